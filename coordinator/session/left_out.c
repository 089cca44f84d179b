/* Which turns of cells are left out when they come: by a rule of the plan, since the path before
 * their block is bad, or since the cell was finished before this session of its run. */

#include "coordinator/session/session_private.h"
#include "coordinator/verify/reasons.h"

/* The block's first bracket was looked at, and was not good. */
static const struct mgc_bracket_result *bad_bracket(
    const struct mgc_results *results, const struct mgc_cell *cell)
{
    const struct mgc_bracket_result *bracket = mgc_results_look(results, cell, false);
    return bracket && bracket->verdict.state != MGC_VERDICT_MEASURED ? bracket : NULL;
}

/* A further turn in a block whose new bracket is bad: the cell stays void as it is. */
static bool leave_void(struct session *session, const struct mgc_turn *turn)
{
    struct mgc_cell_result *result = mgc_results_find(session->results, turn->cell);
    if (!result || turn->sake || !bad_bracket(session->results, turn->cell))
        return false;
    result->again = false;
    return true;
}

bool mgc_session_left_out(void *user, const struct mgc_turn *turn)
{
    struct session *session = user;
    const struct mgc_cell *cell = turn->cell;
    const struct mgc_standing *standing = mgc_session_standing(session, cell);
    const struct mgc_bracket_result *bracket = bad_bracket(session->results, cell);
    if (turn->again)
        return leave_void(session, turn);
    bool confirms = cell->confirm && mgc_session_confirms(session, cell);
    bool look_again = confirms && cell->kind == MGC_CELL_BRACKET;
    if (standing && standing->kept && !look_again) {
        if (cell->kind == MGC_CELL_BRACKET && cell->after)
            mgc_session_link_looked_at(session, cell);
        mgc_session_replace_void(session, cell); /* what was to go again when the run was cut off */
        return true;
    }
    if (cell->confirm && !confirms) {
        mgc_session_leave_unconfirmed(session, cell);
        return true;
    }
    const struct mgc_cell_result *cause;
    const struct mgc_shorten *rule = mgc_results_left_out(session->results, cell, &cause);
    struct mgc_cell_result *result = mgc_results_find(session->results, cell);
    if (bracket && result)
        mgc_reason_set(&result->verdict, MGC_REASON_PATH_NOT_GOOD, "%s: %s", bracket->cell->id,
            bracket->verdict.text);
    if (bracket && result)
        return true;
    if (!rule || !result)
        return false;
    mgc_reason_set(&result->verdict, MGC_REASON_LEFT_OUT,
        "left out by the plan's rule: %s took the app longer than %g s, so %s has %lld round%s",
        cause->cell->id, (double)rule->above_ms / 1000, rule->workload, (long long)rule->reps,
        rule->reps == 1 ? "" : "s");
    return true;
}
