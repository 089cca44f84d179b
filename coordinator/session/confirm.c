/* Which confirming cells are run: the gate is asked once, when the first one's turn comes. */
#include <stdio.h>
#include <string.h>

#include "coordinator/merge/confirm.h"
#include "coordinator/merge/rounds.h"
#include "coordinator/session/session_private.h"
#include "coordinator/verify/reasons.h"

static void tell_flagged(struct session *session)
{
    const struct mgc_run_gate *gate = &session->gate;
    char text[256];
    size_t flagged = 0;
    for (size_t i = 0; i < gate->count; i++) {
        if (!gate->arms[i].result.flagged)
            continue;
        flagged++;
        snprintf(text, sizeof(text), "the gate has %.80s of %.80s run again, to confirm it",
            gate->arms[i].key.arm, gate->arms[i].key.workload);
        mgc_session_note(session, text);
    }
    if (flagged == 0)
        mgc_session_note(session, "the gate has nothing run again");
}

/* Without an answer nothing is run again; that is no fault of the run. */
static void ask(struct session *session)
{
    struct mgc_error err = {0};
    if (session->gate_asked)
        return;
    session->gate_asked = true;
    if (mgc_run_gate_now(session->config->site->results, session->results, &session->gate, &err)) {
        tell_flagged(session);
        return;
    }
    mgc_results_note(session->results,
        "the regression gate could not be asked, so nothing was run again: %s", err.text);
}

static bool is_flagged(const struct session *session, const struct mgc_cell *cell)
{
    return mgc_run_gate_flags(
        &session->gate, cell->lane, cell->workload, cell->expect.backend, cell->arm);
}

/* The plan's reference goes along with any flagged arm of its workload. */
static bool goes_along(const struct session *session, const struct mgc_cell *cell)
{
    const struct mgc_plan *plan = session->config->plan;
    if (!plan->reference || strcmp(cell->arm, plan->reference) != 0)
        return false;
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct mgc_cell *other = &plan->cells[i];
        if (other->kind == MGC_CELL_MEASURE && other->confirm &&
            strcmp(other->workload, cell->workload) == 0 &&
            mgc_cell_has_backend(other, cell->expect.backend) && is_flagged(session, other))
            return true;
    }
    return false;
}

static bool is_wanted(const struct session *session, const struct mgc_cell *cell)
{
    return cell->kind == MGC_CELL_MEASURE &&
           (is_flagged(session, cell) || goes_along(session, cell));
}

bool mgc_session_confirms(struct session *session, const struct mgc_cell *cell)
{
    const struct mgc_plan *plan = session->config->plan;
    ask(session);
    if (cell->kind != MGC_CELL_BRACKET)
        return is_wanted(session, cell);
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct mgc_cell *other = &plan->cells[i];
        const struct mgc_standing *standing = mgc_session_standing(session, other);
        if (other->block == cell->block && is_wanted(session, other) &&
            !(standing && standing->kept))
            return true;
    }
    return false;
}

void mgc_session_leave_unconfirmed(struct session *session, const struct mgc_cell *cell)
{
    struct mgc_cell_result *result = mgc_results_find(session->results, cell);
    if (result)
        mgc_reason_set(&result->verdict, MGC_REASON_NOT_FLAGGED,
            "%s of %s is not flagged by the regression gate", cell->arm, cell->workload);
}
