/* Which turns of cells are left out when they come: by a rule or a budget of the plan, since their
 * build is not installed or the path before their block is bad, or since the cell was finished
 * before this session of its run. */

#include "coordinator/merge/bad_look.h"
#include "coordinator/session/session_private.h"
#include "coordinator/verify/reasons.h"

/* A further turn in a block whose new bracket is bad: the cell stays void as it is. */
static bool leave_void(struct session *session, const struct mgc_turn *turn)
{
    struct mgc_cell_result *result = mgc_results_find(session->results, turn->cell);
    if (!result || turn->sake || !mgc_results_bad_look(session->results, turn->cell))
        return false;
    result->again = false;
    return true;
}

/* By a rule of the plan. */
static bool leave_out_by_rule(struct session *session, struct mgc_cell_result *result)
{
    const struct mgc_cell_result *cause;
    const struct mgc_shorten *rule =
        result ? mgc_results_left_out(session->results, result->cell, &cause) : NULL;
    if (!rule)
        return false;
    mgc_reason_set(&result->verdict, MGC_REASON_LEFT_OUT,
        "left out by the plan's rule: %s took the app longer than %g s, so %s has %lld round%s",
        cause->cell->id, (double)rule->above_ms / 1000, rule->workload, (long long)rule->reps,
        rule->reps == 1 ? "" : "s");
    return true;
}

/* What was finished before this session of the run. */
static bool is_kept(struct session *session, const struct mgc_cell *cell, bool look_again)
{
    const struct mgc_standing *standing = mgc_session_standing(session, cell);
    if (!standing || !standing->kept || look_again)
        return false;
    if (cell->kind == MGC_CELL_BRACKET && cell->after)
        mgc_session_link_looked_at(session, cell);
    mgc_session_replace_void(session, cell); /* what was to go again when the run was cut off */
    return true;
}

/* The plan's own turn of the cell. */
static bool leave_out(struct session *session, const struct mgc_turn *turn)
{
    const struct mgc_cell *cell = turn->cell;
    struct mgc_cell_result *result = mgc_results_find(session->results, cell);
    bool confirms = cell->confirm && mgc_session_confirms(session, cell);
    if (is_kept(session, cell, confirms && cell->kind == MGC_CELL_BRACKET))
        return true;
    if (cell->confirm && !confirms) {
        mgc_session_leave_unconfirmed(session, cell);
        return true;
    }
    if (result && mgc_results_lacks_build(session->results, result))
        return true;
    if (leave_out_by_rule(session, result) || mgc_session_over_budget(session, turn))
        return true;
    return result && mgc_results_leave_block(session->results, result);
}

bool mgc_session_left_out(void *user, const struct mgc_turn *turn)
{
    struct session *session = user;
    if (turn->again)
        return mgc_session_over_budget(session, turn) || leave_void(session, turn);
    if (!leave_out(session, turn))
        return false;
    mgc_progress_view_kept(&session->view, turn->cell); /* it takes no time any more */
    return true;
}
