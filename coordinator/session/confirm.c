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
    size_t first, end = mgc_plan_block(plan, cell, &first);
    for (size_t i = first; i < end; i++) {
        const struct mgc_cell *other = &plan->cells[i];
        const struct mgc_standing *standing = mgc_session_standing(session, other);
        if (is_wanted(session, other) && !(standing && standing->kept))
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

/* ---- the end ---- */

/* Of a night in which no input changed, what the gate finds is no build's doing: that is how its
 * false alarms are counted. */
static bool is_unchanged(const struct mgc_run_gate *gate)
{
    bool all = gate->count > 0;
    for (size_t i = 0; i < gate->count; i++)
        all = all && gate->arms[i].result.inputs == MGC_GATE_INPUTS_UNCHANGED;
    return all;
}

static json_t *lines_of(const struct mgc_run_gate *gate)
{
    struct mgc_buf text = {0};
    json_t *lines = json_array();
    char *rest = NULL;
    mgc_run_gate_print(gate, false, &text);
    for (char *line = text.len ? strtok_r(text.data, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest))
        json_array_append_new(lines, mgc_json_text(line + strspn(line, " ")));
    if (is_unchanged(gate))
        json_array_append_new(lines,
            json_string("gate: inputs are those of the night before; what changed is no build's "
                        "doing"));
    mgc_buf_destroy(&text);
    return lines;
}

void mgc_session_decide(struct session *session)
{
    struct mgc_results *results = session->results;
    struct mgc_run_gate gate = {0};
    struct mgc_error err = {0};
    if (!mgc_plan_confirms(results->plan) || results->interrupted || results->stopped_reason)
        return;
    if (!mgc_run_gate_now(session->config->site->results, results, &gate, &err)) {
        mgc_results_note(results, "the regression gate could not be asked: %s", err.text);
        return;
    }
    results->gate = mgc_run_gate_to_json(&gate);
    json_object_set_new(results->gate, "inputs_unchanged", json_boolean(is_unchanged(&gate)));
    json_object_set_new(results->gate, "lines", lines_of(&gate));
    mgc_run_gate_destroy(&gate);
}
