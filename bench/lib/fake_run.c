#include "bench/lib/fake_run.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/lib/fake_lab.h"
#include "common/base/clock.h"
#include "coordinator/session/fleet_files.h"
#include "coordinator/session/session_private.h"

/* More can hold, or wait for an answer, at no time: of the setup and of one cell. */
enum { TASKS_MAX = 64, ANSWERS_MAX = 4 * TASKS_MAX };

struct task {
    uint64_t id; /* 0: free */
    const struct mgc_step *step;
    const struct mgc_recorded_cell *recorded;
    struct place *place;
};

enum answer_kind { READY, ARRIVE, RELEASED, RESULT };

struct answer {
    uint64_t task_id;
    enum answer_kind kind;
    int64_t instant_ns; /* RELEASED */
};

struct phone { /* and the two workers that serve it */
    const struct mgc_recorded *recorded;
    const struct mgc_plan *plan;
    const struct mgc_cell *current; /* whose attempt began last; never the setup */
    struct task tasks[TASKS_MAX];
    struct answer answers[ANSWERS_MAX]; /* a ring */
    size_t first, count;
    bool failed; /* more than there is room for */
};

struct mgc_fake_run {
    struct fleet fleet; /* first: a session leads to it */
    struct mgc_session_config config;
    struct mgc_session_phone *configs; /* owned, as the next two; one per phone */
    struct mgc_session_result *outcomes;
    struct phone *phones;
    size_t next; /* whose turn it is to be answered */
};

static struct phone *phone_of(void *user)
{
    const struct session *session = user;
    struct mgc_fake_run *run = (struct mgc_fake_run *)session->fleet;
    static_assert(offsetof(struct mgc_fake_run, fleet) == 0, "a session leads to its fleet");
    return &run->phones[session - run->fleet.sessions];
}

/* ---- tasks and answers ---------------------------------------------------------------------- */

static struct task *task_of(struct phone *phone, uint64_t id)
{
    for (size_t i = 0; i < TASKS_MAX; i++) {
        if (phone->tasks[i].id == id)
            return &phone->tasks[i];
    }
    return NULL;
}

static void say(struct phone *phone, uint64_t task_id, enum answer_kind kind, int64_t at_ns)
{
    phone->failed |= phone->count == ANSWERS_MAX;
    if (!phone->failed)
        phone->answers[(phone->first + phone->count++) % ANSWERS_MAX] =
            (struct answer){task_id, kind, at_ns};
}

/* As a worker: one that holds is ready at once, one with a barrier goes there, else it is done. */
static void on_task(struct phone *phone, const struct task *task)
{
    if (task->step->holds)
        say(phone, task->id, READY, 0);
    if (task->step->barrier)
        say(phone, task->id, ARRIVE, 0);
    if (!task->step->holds && !task->step->barrier)
        say(phone, task->id, RESULT, 0);
}

static void on_release(
    struct phone *phone, const struct task *task, const struct mgc_msg_barrier *release)
{
    say(phone, task->id, RELEASED, release->instant_ns);
    if (!task->step->holds)
        say(phone, task->id, RESULT, 0);
}

static bool send(void *user, enum mgc_role role, struct mgc_msg *msg)
{
    struct phone *phone = phone_of(user);
    (void)role;
    uint64_t id = msg->kind == MGC_MSG_TASK      ? msg->task.task_id
                  : msg->kind == MGC_MSG_RELEASE ? msg->barrier.task_id
                                                 : msg->task_ref.task_id;
    const struct task *task = task_of(phone, id);
    if (!task)
        return true; /* it has ended */
    if (msg->kind == MGC_MSG_TASK)
        on_task(phone, task);
    else if (msg->kind == MGC_MSG_RELEASE)
        on_release(phone, task, &msg->barrier);
    else
        say(phone, id, RESULT, 0); /* told to finish, or cancelled */
    return true;
}

static bool offset(void *user, enum mgc_role role, int64_t *ret_offset_ns,
    int64_t *ret_uncertainty_ns, int64_t *ret_round_trip_ns)
{
    (void)user;
    (void)role;
    *ret_offset_ns = 0;
    *ret_uncertainty_ns = *ret_round_trip_ns = 100 * 1000;
    return true;
}

/* In place of the seat's, which has nobody (-Wl,--wrap): a verdict asks for the clocks. */
bool __wrap_mgc_seat_clock(
    struct mgc_seat *seat, enum mgc_role role, struct mgc_clock_offset *ret_offset);
bool __wrap_mgc_seat_clock(
    struct mgc_seat *seat, enum mgc_role role, struct mgc_clock_offset *ret_offset)
{
    (void)seat;
    *ret_offset = (struct mgc_clock_offset){.known = true};
    return offset(NULL, role, &ret_offset->offset_ns, &ret_offset->uncertainty_ns,
        &ret_offset->round_trip_ns);
}

static bool attempt_begin(void *user, const struct mgc_cell *cell, const struct mgc_cell *sake,
    int number, struct mgc_error *err)
{
    if (cell->kind != MGC_CELL_SETUP)
        phone_of(user)->current = cell;
    return mgc_session_run_ops.attempt_begin(user, cell, sake, number, err);
}

static void step_sent(void *user, const struct mgc_step *step, uint64_t task_id)
{
    struct phone *phone = phone_of(user);
    const struct mgc_cell *setup = &phone->plan->cells[0];
    bool of_setup = step >= setup->steps && step < setup->steps + setup->step_count;
    const struct mgc_cell *cell = of_setup ? setup : phone->current;
    struct task *free_one = task_of(phone, 0);
    phone->failed |= free_one == NULL;
    if (free_one)
        *free_one = (struct task){.id = task_id,
            .step = step,
            .recorded = mgc_recorded_cell(phone->recorded, cell),
            .place = mgc_session_place(user, cell)};
}

/* ---- giving an answer ----------------------------------------------------------------------- */

static void link_file(const struct task *task, const char *name)
{
    char from[MGC_PATH_MAX], to[MGC_PATH_MAX];
    if (mgc_path_join(from, sizeof(from), task->recorded->dir, name) &&
        mgc_path_join(to, sizeof(to), task->place->dir, name) && link(from, to) != 0)
        unlink(to); /* missing then, and the verdict says so */
}

static void give_result(struct session *session, const struct task *task, int64_t now_ns)
{
    static const struct mgc_recorded_step nothing;
    const struct mgc_error stored = {0};
    const struct mgc_recorded_step *from = mgc_recorded_step(task->recorded, task->step->id);
    from = from ? from : &nothing;
    struct mgc_msg_result result = {.task_id = task->id,
        .text = (char *)"",
        .undo_text = (char *)"",
        .undo_done = from->undo_done,
        .facts = from->facts, /* all borrowed: they are copied */
        .artifacts = from->artifacts,
        .artifact_count = from->artifact_count};
    for (size_t i = 0; i < from->artifact_count; i++)
        link_file(task, from->artifacts[i].name);
    mgc_session_seat_ops.stored(session, task->step, task->place->dir, &result, &stored, false);
    mgc_run_result(session->run, task->step->role, &result, &stored, now_ns);
}

static void give_message(
    struct session *session, const struct task *task, const struct answer *answer, int64_t now_ns)
{
    const struct mgc_recorded_step *from = mgc_recorded_step(task->recorded, task->step->id);
    struct mgc_msg msg = {.kind = MGC_MSG_EVENT};
    if (answer->kind == READY) {
        msg.event = (struct mgc_msg_event){.task_id = task->id, .name = (char *)"ready"};
        if (from)
            msg.event.fields = from->ready;
    } else {
        bool arrives = answer->kind == ARRIVE;
        msg.kind = arrives ? MGC_MSG_ARRIVE : MGC_MSG_RELEASED;
        msg.barrier = (struct mgc_msg_barrier){.task_id = task->id,
            .name = task->step->barrier,
            .text = (char *)"",
            .instant_ns = answer->instant_ns,
            .actual_ns = arrives ? now_ns : answer->instant_ns};
    }
    mgc_run_message(session->run, task->step->role, &msg, now_ns);
}

static void give(struct session *session, struct phone *phone)
{
    struct answer answer = phone->answers[phone->first];
    struct task *task = task_of(phone, answer.task_id);
    phone->first = (phone->first + 1) % ANSWERS_MAX;
    phone->count--;
    if (!task)
        return;
    struct task copy = *task;
    if (answer.kind == RESULT) {
        task->id = 0; /* what follows may need the place */
        give_result(session, &copy, mgc_mono_ns());
    } else {
        give_message(session, &copy, &answer, mgc_mono_ns());
    }
}

bool mgc_fake_run_step(struct mgc_fake_run *run)
{
    for (size_t tried = 0; tried < run->fleet.count; tried++) {
        size_t at = run->next;
        run->next = (run->next + 1) % run->fleet.count;
        if (run->phones[at].count == 0 || run->phones[at].failed)
            continue;
        give(&run->fleet.sessions[at], &run->phones[at]);
        return true;
    }
    return false;
}

/* ---- from begin to end ---------------------------------------------------------------------- */

/* The phones' workers are their own: nobody waits for the link of another. */
static bool slot_take(void *user, const struct mgc_cell *cell, char *ret_who, size_t size)
{
    (void)user;
    (void)cell;
    (void)ret_who;
    (void)size;
    return true;
}

static void slot_drop(void *user)
{
    (void)user;
}

static void on_note(void *user, const char *text)
{
    (void)user;
    (void)text;
}

/* As mgc_session_run, without control from outside and signals. */
static bool open_all(struct mgc_fake_run *run, struct mgc_error *err)
{
    struct fleet *fleet = &run->fleet;
    const struct mgc_site *site = run->configs[0].site;
    const struct mgc_plan *plan = run->configs[0].plan;
    const char *run_id = plan->part_of ? plan->part_of : plan->run_id;
    struct mgc_bus_server_config bus = {
        .endpoint = "tcp://127.0.0.1:0", .keys = &fleet->keys, .run_id = run_id, .build = "bench"};
    if (!mgc_keyring_load(site->keys, &fleet->keys, err) || !(fleet->loop = mgc_loop_new(err)) ||
        !mgc_run_dir_open(&fleet->dir, site->results, run_id, err))
        return false;
    fleet->link = mgc_link_new(fleet->loop, &bus, on_note, NULL, err);
    bool ok = fleet->link != NULL;
    for (size_t i = 0; ok && i < fleet->count; i++)
        ok = mgc_session_open(&fleet->sessions[i], err);
    return ok && (!mgc_fleet_is_named(fleet) || mgc_fleet_files_begin(fleet, err));
}

static bool begin(struct session *session, struct mgc_error *err)
{
    struct mgc_run_ops ops = mgc_session_run_ops;
    ops.send = send;
    ops.offset = offset;
    ops.attempt_begin = attempt_begin;
    ops.step_sent = step_sent;
    ops.slot_take = slot_take;
    ops.slot_drop = slot_drop;
    mgc_session_budget_begin(session);
    session->seat = mgc_link_seat(session->fleet->link, NULL, &mgc_session_seat_ops, session, err);
    session->run = session->seat ? mgc_run_new(session->config->plan, &ops, session, err) : NULL;
    if (session->run)
        mgc_run_begin(session->run, mgc_mono_ns());
    for (int role = 0; session->run && role < MGC_ROLE_COUNT; role++)
        mgc_run_worker_joined(session->run, (enum mgc_role)role, mgc_mono_ns());
    return session->run != NULL;
}

static bool make(struct mgc_fake_run *run, struct mgc_fake_plan *const *plans, size_t count)
{
    struct fleet *fleet = &run->fleet;
    run->configs = calloc(count, sizeof(*run->configs));
    run->outcomes = calloc(count, sizeof(*run->outcomes));
    run->phones = calloc(count, sizeof(*run->phones));
    fleet->sessions = calloc(count, sizeof(*fleet->sessions));
    fleet->dir.lock = (struct mgc_lock)MGC_LOCK_INIT;
    if (!run->configs || !run->outcomes || !run->phones || !fleet->sessions)
        return false;
    run->config = (struct mgc_session_config){.phones = run->configs, .phone_count = count};
    fleet->config = &run->config;
    fleet->count = count;
    for (size_t i = 0; i < count; i++) {
        run->configs[i] =
            (struct mgc_session_phone){.site = &plans[i]->site, .plan = &plans[i]->plan};
        run->phones[i] =
            (struct phone){.recorded = &plans[i]->lab->recorded, .plan = &plans[i]->plan};
        fleet->sessions[i] = (struct session){.config = &run->configs[i],
            .fleet = fleet,
            .outcome = &run->outcomes[i],
            .results = &run->outcomes[i].results,
            .dir.lock = MGC_LOCK_INIT};
    }
    return true;
}

struct mgc_fake_run *mgc_fake_run_new(
    struct mgc_fake_plan *const *plans, size_t count, struct mgc_error *err)
{
    struct mgc_fake_run *run = calloc(1, sizeof(*run));
    if (!run || !make(run, plans, count)) {
        mgc_fake_run_free(run);
        mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a run");
        return NULL;
    }
    bool ok = open_all(run, err);
    for (size_t i = 0; ok && i < count; i++)
        ok = begin(&run->fleet.sessions[i], err);
    if (ok)
        return run;
    mgc_fake_run_free(run);
    return NULL;
}

void mgc_fake_run_free(struct mgc_fake_run *run)
{
    if (!run)
        return;
    struct fleet *fleet = &run->fleet;
    for (size_t i = 0; i < fleet->count; i++) {
        mgc_session_close(&fleet->sessions[i]);
        mgc_session_result_destroy(&run->outcomes[i]);
    }
    mgc_link_free(fleet->link);
    mgc_loop_free(fleet->loop);
    mgc_keyring_destroy(&fleet->keys);
    mgc_run_dir_close(&fleet->dir);
    free(fleet->sessions);
    free(run->configs);
    free(run->outcomes);
    free(run->phones);
    free(run);
}

static bool is_good(const struct session *session, struct mgc_error *err)
{
    const struct mgc_results *results = session->results;
    if (!mgc_run_over(session->run) || results->stopped_reason)
        return mgc_error_set(err, MGC_E_FAILED, "the run did not come to its end: %s",
            results->stopped_reason ? results->stopped_reason : session->view.phase);
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_verdict *verdict = &results->cells[i].verdict;
        if (verdict->state != MGC_VERDICT_MEASURED)
            return mgc_error_set(err, MGC_E_FAILED, "%s is not measured: %.200s",
                results->cells[i].cell->id, verdict->text);
    }
    return true;
}

bool mgc_fake_run_is_good(const struct mgc_fake_run *run, struct mgc_error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < run->fleet.count; i++)
        ok = is_good(&run->fleet.sessions[i], err);
    return ok;
}

bool mgc_fake_run_end(struct mgc_fake_run *run, struct mgc_error *err)
{
    struct fleet *fleet = &run->fleet;
    for (size_t i = 0; i < fleet->count; i++) {
        mgc_session_finish(&fleet->sessions[i]);
        if (!fleet->sessions[i].safe)
            return mgc_error_set(err, MGC_E_FAILED, "the run's end could not be written: %.200s",
                run->outcomes[i].error.text);
    }
    return !mgc_fleet_is_named(fleet) || mgc_fleet_files_end(fleet, err);
}
