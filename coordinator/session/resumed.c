/* The session's part in a resumed run: what it begins with, and whether it still measures the same
 * things. Of every run: what its numbers are of, into run.json. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/merge/put_back.h"
#include "coordinator/session/inputs.h"
#include "coordinator/session/record.h"
#include "coordinator/session/session_private.h"

/* ---- the beginning ---- */

static void take_course(struct mgc_results *from, struct mgc_results *to)
{
    to->start_wall_ns = from->start_wall_ns ? from->start_wall_ns : to->start_wall_ns;
    to->resumes = from->resumes + 1;
    /* Until the setup is made again: with these the gate is asked when all else is measured. */
    mgc_fields_copy(&to->device, &from->device);
    mgc_fields_copy(&to->setup, &from->setup);
    for (size_t i = 0; i < from->note_count; i++)
        mgc_results_note(to, "%s", from->notes[i]);
    for (size_t i = 0; i < from->put_back_count; i++) {
        const struct mgc_put_back *row = &from->put_back[i];
        mgc_results_put_back_row(
            to, row->step, row->kind, row->done, row->failed, row->on_rejoin, row->text);
    }
}

static void note_repeated(struct session *session)
{
    const struct mgc_plan *plan = session->config->plan;
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct mgc_standing *standing = &session->standings[i];
        if (standing->why[0])
            mgc_results_note(session->results, "%s: attempt %d is superseded: %s",
                plan->cells[i].id, standing->attempt, standing->why);
    }
}

static size_t count_kept(const struct session *session)
{
    const struct mgc_plan *plan = session->config->plan;
    size_t kept = 0;
    for (size_t i = 0; i < plan->cell_count; i++)
        kept += plan->cells[i].kind == MGC_CELL_MEASURE && session->standings[i].kept;
    return kept;
}

bool mgc_session_resume(struct session *session, struct mgc_error *err)
{
    struct mgc_resume *resume = session->config->resume;
    struct mgc_results *results = session->results;
    session->standings = calloc(session->config->plan->cell_count + 1, sizeof(*session->standings));
    session->record = json_incref(resume->record);
    session->inputs_before = json_deep_copy(json_object_get(session->record, "inputs"));
    if (!session->standings)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the resumed run");
    if (!mgc_resume_cells(resume, &session->dir, results, session->standings, err))
        return mgc_error_prefix(err, "resume");
    take_course(&resume->restored->results, results);
    note_repeated(session);
    return mgc_record_resume(
        &session->dir, session->record, count_kept(session), results->count, err);
}

void mgc_session_tell_kept(struct session *session)
{
    char line[160];
    const struct mgc_plan *plan = session->config->plan;
    if (!session->standings)
        return;
    for (size_t i = 0; i < plan->cell_count; i++) {
        if (session->standings[i].kept)
            mgc_progress_view_kept(&session->view, &plan->cells[i]);
    }
    snprintf(line, sizeof(line), "resumed: %zu of %zu cells are finished and are kept",
        count_kept(session), session->results->count);
    mgc_session_note(session, line);
}

const struct mgc_standing *mgc_session_standing(
    const struct session *session, const struct mgc_cell *cell)
{
    return session->standings ? &session->standings[cell - session->config->plan->cells] : NULL;
}

/* ---- what is measured ---- */

static json_t *inputs_of(json_t *record)
{
    if (!json_object_get(record, "inputs"))
        json_object_set_new(record, "inputs", json_object());
    return json_object_get(record, "inputs");
}

struct taking {
    struct session *session;
    bool is_new, ok;
};

static void take_worker(void *user, const struct mgc_link_worker *worker)
{
    struct taking *taking = user;
    struct session *session = taking->session;
    char name[160];
    if (!taking->ok || !worker->joined || !worker->record->build)
        return;
    snprintf(name, sizeof(name), "worker.%.120s.build", worker->name);
    taking->ok = mgc_inputs_take_text(inputs_of(session->record), session->inputs_before, name,
        worker->record->build, &taking->is_new, &session->refused);
}

bool mgc_session_take_inputs(struct session *session, const struct mgc_attempt *attempt)
{
    struct mgc_error err = {0};
    struct taking taking = {.session = session};
    taking.ok = mgc_inputs_take(inputs_of(session->record), session->inputs_before, attempt,
        &taking.is_new, &session->refused);
    mgc_seat_visit(session->seat, take_worker, &taking);
    if (!taking.ok)
        return mgc_error_prefix(
            &session->refused, "run '%s' cannot be resumed", session->config->plan->run_id);
    if (taking.is_new && !mgc_record_write(&session->dir, session->record, &err))
        mgc_session_disk_failed(session, &err);
    return true;
}

void mgc_session_refuse(struct session *session)
{
    mgc_record_refuse(&session->dir, session->record, session->refused.text);
    session->outcome->error = session->refused;
}
