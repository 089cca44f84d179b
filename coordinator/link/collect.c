#include "coordinator/link/collect.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/path.h"
#include "coordinator/store/receive.h"

enum {
    RESULTS_MS = 10 * 1000, /* a worker that is back sends what it has at once */
    SALVAGE_MS = 60 * 1000, /* to mask and hash what a crash left */
    ABSENT_MS = 15 * 1000,  /* at the end of the run: for a worker to be started again */
    SALVAGE_DEADLINE_MS = SALVAGE_MS,
};

struct transfer {
    struct transfer *next;
    uint64_t task_id;
    uint64_t salvages; /* task whose files this one brings, also to be acknowledged; or 0 */
    const struct mgc_step *step; /* borrowed from the plan */
    char dir[MGC_PATH_MAX];
    bool late;
    bool lost;             /* a session ended while it was under way */
    int64_t result_by_ns;  /* then it is missing; MGC_NEVER: no limit, or the result is here */
    struct mgc_msg result; /* owned copy, once it is there */
    struct mgc_receive *receive; /* owned; NULL before the result */
    struct mgc_collect *collect; /* borrowed; for credits */
};

struct source { /* the worker of a role */
    bool present;
    int64_t results_left;    /* that it still has to send of what it brought along */
    int64_t absent_until_ns; /* not there: how long the run's end waits for it; MGC_NEVER: not */
};

struct mgc_collect {
    struct mgc_collect_ops ops;
    void *user;
    struct transfer *first; /* owned */
    struct source sources[MGC_ROLE_COUNT];
    uint64_t *stored; /* owned; tasks whose results and files are safe here */
    size_t stored_count;
};

struct mgc_collect *mgc_collect_new(const struct mgc_collect_ops *ops, void *user)
{
    struct mgc_collect *collect = calloc(1, sizeof(*collect));
    if (!collect)
        return NULL;
    collect->ops = *ops;
    collect->user = user;
    for (int role = 0; role < MGC_ROLE_COUNT; role++)
        collect->sources[role].absent_until_ns = MGC_NEVER;
    return collect;
}

static void transfer_free(struct transfer *transfer)
{
    mgc_receive_free(transfer->receive);
    mgc_msg_destroy(&transfer->result);
    free(transfer);
}

void mgc_collect_free(struct mgc_collect *collect)
{
    if (!collect)
        return;
    while (collect->first) {
        struct transfer *next = collect->first->next;
        transfer_free(collect->first);
        collect->first = next;
    }
    free(collect->stored);
    free(collect);
}

static struct source *source_of(struct mgc_collect *collect, const struct transfer *transfer)
{
    return &collect->sources[transfer->step->role];
}

static struct transfer *find(const struct mgc_collect *collect, enum mgc_role role, uint64_t id)
{
    struct transfer *transfer = collect->first;
    while (transfer && (transfer->task_id != id || transfer->step->role != role))
        transfer = transfer->next;
    return transfer;
}

static void detach(struct mgc_collect *collect, const struct transfer *transfer)
{
    struct transfer **at = &collect->first;
    while (*at != transfer)
        at = &(*at)->next;
    *at = transfer->next;
}

bool mgc_collect_expect(
    struct mgc_collect *collect, uint64_t task_id, const struct mgc_step *step, const char *dir)
{
    struct transfer *transfer = calloc(1, sizeof(*transfer));
    if (!transfer)
        return false;
    *transfer = (struct transfer){.next = collect->first,
        .task_id = task_id,
        .step = step,
        .result_by_ns = MGC_NEVER,
        .collect = collect};
    snprintf(transfer->dir, sizeof(transfer->dir), "%s", dir);
    collect->first = transfer;
    return true;
}

void mgc_collect_step_over(struct mgc_collect *collect, const struct mgc_step *step)
{
    for (struct transfer *t = collect->first; t; t = t->next)
        t->late = t->late || t->step == step;
}

void mgc_collect_moved(struct mgc_collect *collect, const char *from, const char *to)
{
    for (struct transfer *t = collect->first; t; t = t->next) {
        if (strcmp(t->dir, from) != 0)
            continue;
        snprintf(t->dir, sizeof(t->dir), "%s", to);
        if (t->receive)
            mgc_receive_moved(t->receive, to);
    }
}

/* ---- ends of a transfer ---- */

/* Out of memory it stays unknown, so the worker keeps it: never the other way round. */
static bool remember_stored(struct mgc_collect *collect, uint64_t task_id)
{
    size_t size = (collect->stored_count + 1) * sizeof(*collect->stored);
    uint64_t *stored = realloc(collect->stored, size);
    if (!stored)
        return false;
    stored[collect->stored_count++] = task_id;
    collect->stored = stored;
    return true;
}

static bool is_stored(const struct mgc_collect *collect, uint64_t task_id)
{
    for (size_t i = 0; i < collect->stored_count; i++) {
        if (collect->stored[i] == task_id)
            return true;
    }
    return false;
}

/* The worker deletes its copy at that word. */
static void acknowledge(struct mgc_collect *collect, enum mgc_role role, uint64_t task_id)
{
    struct mgc_msg msg = {
        .kind = MGC_MSG_RESULT_ACK,
        .task_ref = {.task_id = task_id, .text = (char *)""},
    };
    collect->ops.send(collect->user, role, &msg);
}

static void acknowledge_stored(struct mgc_collect *collect, enum mgc_role role, uint64_t task_id)
{
    if (remember_stored(collect, task_id))
        acknowledge(collect, role, task_id);
}

/* All files are in, or will not come. */
static void conclude(struct mgc_collect *collect, struct transfer *transfer)
{
    const struct mgc_error *storage = mgc_receive_error(transfer->receive);
    const struct mgc_step *step = transfer->step;
    detach(collect, transfer); /* first, since what follows begins other steps */
    collect->ops.stored(
        collect->user, step, transfer->dir, &transfer->result.result, storage, transfer->late);
    if (storage->code == MGC_OK) {
        acknowledge_stored(collect, step->role, transfer->task_id);
        if (transfer->salvages)
            acknowledge_stored(collect, step->role, transfer->salvages);
    }
    transfer_free(transfer);
}

static void give_up(struct mgc_collect *collect, struct transfer *transfer, const char *why)
{
    detach(collect, transfer);
    collect->ops.missing(collect->user, transfer->step, transfer->dir,
        transfer->receive ? &transfer->result.result : NULL, why);
    transfer_free(transfer);
}

/* ---- what comes ---- */

static void send_credit(void *user, struct mgc_msg *msg)
{
    struct transfer *transfer = user;
    struct mgc_collect *collect = transfer->collect;
    collect->ops.send(collect->user, transfer->step->role, msg);
}

/* Through the codec and back: the one place that knows how to copy a message whole. */
static bool keep_result(struct transfer *transfer, const struct mgc_msg *msg)
{
    struct mgc_buf bytes = {0};
    bool ok = mgc_msg_encode(msg, &bytes, NULL) &&
              mgc_msg_decode(bytes.data, bytes.len, &transfer->result, NULL);
    mgc_buf_destroy(&bytes);
    return ok;
}

static void receive(struct mgc_collect *collect, struct transfer *transfer,
    const struct mgc_msg *msg, int64_t now_ns)
{
    transfer->result_by_ns = MGC_NEVER;
    if (transfer->receive)
        mgc_receive_resume(
            transfer->receive, now_ns); /* said again: in this session, or a new one */
    else if (keep_result(transfer, msg))
        transfer->receive =
            mgc_receive_new(&transfer->result.result, transfer->dir, send_credit, transfer, now_ns);
    if (transfer->receive && mgc_receive_done(transfer->receive))
        conclude(collect, transfer);
}

/* ---- what a crash left ---- */

static bool has_unmasked_files(const struct mgc_msg_result *result)
{
    int64_t left;
    return mgc_fields_get_int(&result->facts, "files_left", &left) && left > 0;
}

/* From now on the transfer is that of the salvage. False: what is left cannot be had. */
static bool salvage(struct mgc_collect *collect, struct transfer *transfer, int64_t now_ns)
{
    const struct mgc_step *step = transfer->step;
    uint64_t crashed = transfer->task_id;
    char label[128];
    snprintf(label, sizeof(label), "files that a crash left of %s", step->id);
    struct mgc_msg msg = {
        .kind = MGC_MSG_TASK,
        .task = {.task_id = mgc_random_id(),
            .kind = (char *)"worker.salvage",
            .label = label,
            .deadline_ms = SALVAGE_DEADLINE_MS,
            .secrets = step->secrets},
    };
    bool ok = mgc_fields_setf(&msg.task.params, "task", "%016" PRIx64, crashed) &&
              collect->ops.send(collect->user, step->role, &msg);
    mgc_fields_destroy(&msg.task.params);
    if (!ok)
        return false;
    transfer->task_id = msg.task.task_id;
    transfer->salvages = crashed;
    transfer->late = true;
    transfer->lost = false;
    transfer->result_by_ns = now_ns + SALVAGE_MS * MGC_NS_PER_MS;
    return true;
}

/* Its worker died while it ran. The result counts now, the files come with another one. */
static void take_crashed(struct mgc_collect *collect, struct transfer *transfer,
    const struct mgc_msg *msg, int64_t now_ns)
{
    struct mgc_error none = {0};
    bool late = transfer->late;
    bool comes = salvage(collect, transfer, now_ns);
    if (!comes)
        detach(collect, transfer);
    collect->ops.stored(collect->user, transfer->step, transfer->dir, &msg->result, &none, late);
    if (!comes)
        transfer_free(transfer);
}

static void expire_lost(struct mgc_collect *collect, enum mgc_role role);

void mgc_collect_result(
    struct mgc_collect *collect, enum mgc_role role, const struct mgc_msg *msg, int64_t now_ns)
{
    uint64_t task_id = msg->result.task_id;
    struct transfer *transfer = find(collect, role, task_id);
    struct source *source = &collect->sources[role];
    source->results_left -= source->results_left > 0;
    if (transfer && !transfer->receive && has_unmasked_files(&msg->result))
        take_crashed(collect, transfer, msg, now_ns);
    else if (transfer)
        receive(collect, transfer, msg, now_ns);
    else if (is_stored(collect, task_id))
        acknowledge(collect, role, task_id); /* the session that carried the first one broke */
    /* Anything else is of another run, or could not be stored: the worker's is the only copy. */
    expire_lost(collect, role);
}

void mgc_collect_chunk(
    struct mgc_collect *collect, enum mgc_role role, const struct mgc_msg *msg, int64_t now_ns)
{
    struct transfer *transfer = find(collect, role, msg->chunk.task_id);
    if (!transfer || !transfer->receive)
        return;
    mgc_receive_chunk(transfer->receive, &msg->chunk, msg->body, msg->body_len, now_ns);
    if (mgc_receive_done(transfer->receive))
        conclude(collect, transfer);
}

/* ---- sessions ---- */

void mgc_collect_worker_lost(struct mgc_collect *collect, enum mgc_role role, int64_t now_ns)
{
    struct source *source = &collect->sources[role];
    source->present = false;
    source->absent_until_ns = now_ns + ABSENT_MS * MGC_NS_PER_MS;
    for (struct transfer *t = collect->first; t; t = t->next) {
        if (t->step->role != role)
            continue;
        t->late = t->lost = true;
        t->result_by_ns = MGC_NEVER;
        if (t->receive)
            mgc_receive_pause(t->receive);
    }
}

void mgc_collect_worker_joined(
    struct mgc_collect *collect, enum mgc_role role, int64_t results, int64_t now_ns)
{
    struct source *source = &collect->sources[role];
    *source =
        (struct source){.present = true, .results_left = results, .absent_until_ns = MGC_NEVER};
    for (struct transfer *t = collect->first; t; t = t->next) {
        if (t->step->role == role && t->lost)
            t->result_by_ns = now_ns + RESULTS_MS * MGC_NS_PER_MS;
    }
    expire_lost(collect, role);
}

static bool is_coming(const struct transfer *transfer)
{
    return transfer->late && (transfer->receive || transfer->result_by_ns != MGC_NEVER);
}

/* Once the worker has sent all it brought along, what is not among it will not come. */
static void expire_lost(struct mgc_collect *collect, enum mgc_role role)
{
    if (!collect->sources[role].present || collect->sources[role].results_left > 0)
        return;
    for (struct transfer *t = collect->first, *next; t; t = next) {
        next = t->next;
        if (t->step->role == role && t->lost && t->result_by_ns != MGC_NEVER)
            give_up(collect, t, "the worker that has its role now has no result of it");
    }
}

bool mgc_collect_is_catching_up(const struct mgc_collect *collect, enum mgc_role role)
{
    for (const struct transfer *t = collect->first; t; t = t->next) {
        if (t->step->role == role && collect->sources[role].present && is_coming(t))
            return true;
    }
    return false;
}

/* ---- time ---- */

/* True when it was taken out of the list. */
static bool tick_one(struct mgc_collect *collect, struct transfer *transfer, int64_t now_ns)
{
    if (transfer->receive)
        mgc_receive_tick(transfer->receive, now_ns);
    if (transfer->receive && mgc_receive_done(transfer->receive))
        conclude(collect, transfer);
    else if (now_ns >= transfer->result_by_ns)
        give_up(collect, transfer, "no result of it came in time");
    else
        return false;
    return true;
}

void mgc_collect_tick(struct mgc_collect *collect, int64_t now_ns)
{
    for (int role = 0; role < MGC_ROLE_COUNT; role++) {
        if (now_ns >= collect->sources[role].absent_until_ns)
            collect->sources[role].absent_until_ns = MGC_NEVER;
    }
    for (struct transfer *t = collect->first; t; t = t->next) {
        if (tick_one(collect, t, now_ns))
            return; /* the list may have changed; the rest gets its turn at once */
    }
}

int64_t mgc_collect_due(const struct mgc_collect *collect)
{
    int64_t due_ns = MGC_NEVER;
    for (int role = 0; role < MGC_ROLE_COUNT; role++)
        due_ns = mgc_deadline_min(due_ns, collect->sources[role].absent_until_ns);
    for (const struct transfer *t = collect->first; t; t = t->next) {
        due_ns = mgc_deadline_min(due_ns, t->result_by_ns);
        if (t->receive)
            due_ns = mgc_deadline_min(due_ns, mgc_receive_due(t->receive));
    }
    return due_ns;
}

/* ---- the end of the run ---- */

bool mgc_collect_may_end(const struct mgc_collect *collect, int64_t now_ns)
{
    for (const struct transfer *t = collect->first; t; t = t->next) {
        const struct source *source = &collect->sources[t->step->role];
        if (source->present ? is_coming(t)
                            : t->lost && now_ns < source->absent_until_ns &&
                                  source->absent_until_ns != MGC_NEVER)
            return false;
    }
    return true;
}

void mgc_collect_abandon(struct mgc_collect *collect)
{
    while (collect->first)
        give_up(collect, collect->first,
            source_of(collect, collect->first)->present
                ? "no result of it had come when the run ended"
                : "its worker was not back when the run ended");
}
