#include "coordinator/link/link.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "coordinator/link/transfer.h"

enum { ROLE_COUNT = MGC_ROLE_WSL + 1, TEXT_MAX = 768 };

/* A worker that has joined at least once. */
struct peer {
    char name[MGC_NAME_SIZE];
    enum mgc_role role;
    bool joined;
    int64_t lease_epoch;           /* of its session, from the hello; goes into its tasks */
    struct mgc_host_record record; /* owned strings */
    struct peer *next;
};

struct mgc_link {
    struct mgc_loop *loop;         /* borrowed */
    struct mgc_bus_server *server; /* owned */
    struct mgc_link_ops ops;
    void *user;
    struct mgc_run *run;              /* borrowed; NULL before attach */
    struct peer *peers;               /* owned */
    struct peer *serving[ROLE_COUNT]; /* who has the role now; borrowed from peers */
    struct mgc_transfers transfers;
    uint64_t timer;
};

static void note(struct mgc_link *link, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void note(struct mgc_link *link, const char *fmt, ...)
{
    char text[TEXT_MAX];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    link->ops.note(link->user, text);
}

/* ---- peers ---- */

static struct peer *find_peer(const struct mgc_link *link, const char *name)
{
    for (struct peer *peer = link->peers; peer; peer = peer->next) {
        if (strcmp(peer->name, name) == 0)
            return peer;
    }
    return NULL;
}

static void record_destroy(struct mgc_host_record *record)
{
    free(record->name);
    free(record->role);
    free(record->host);
    free(record->os);
    free(record->build);
    free(record->boot_id);
    *record = (struct mgc_host_record){0};
}

static void record_fill(
    struct mgc_host_record *record, const char *name, const struct mgc_msg_hello *hello)
{
    int64_t sessions = record->sessions;
    record_destroy(record);
    *record = (struct mgc_host_record){
        .name = strdup(name),
        .role = strdup(hello->role),
        .host = strdup(hello->host),
        .os = strdup(hello->os),
        .build = strdup(hello->build),
        .boot_id = strdup(hello->boot_id),
        .sessions = sessions + 1,
    };
}

static bool role_from_name(const char *name, enum mgc_role *ret_role)
{
    for (int role = 0; role < ROLE_COUNT; role++) {
        if (strcmp(mgc_role_name((enum mgc_role)role), name) == 0) {
            *ret_role = (enum mgc_role)role;
            return true;
        }
    }
    return false;
}

static struct peer *add_peer(struct mgc_link *link, const char *name)
{
    struct peer *peer = calloc(1, sizeof(*peer));
    if (!peer)
        return NULL;
    snprintf(peer->name, sizeof(peer->name), "%s", name);
    peer->next = link->peers;
    link->peers = peer;
    return peer;
}

/* ---- artifacts ---- */

static struct peer *serving(const struct mgc_link *link, enum mgc_role role)
{
    return link->serving[role];
}

static void send_to_role(struct mgc_link *link, enum mgc_role role, struct mgc_msg *msg)
{
    struct mgc_error err = {0};
    struct peer *peer = serving(link, role);
    if (peer && !mgc_bus_server_send(link->server, peer->name, msg, &err))
        mgc_debug(
            "%s to '%s' was not sent: %s", mgc_msg_kind_name(msg->kind), peer->name, err.text);
}

static void acknowledge(
    struct mgc_link *link, enum mgc_role role, uint64_t task_id, const char *text)
{
    struct mgc_msg msg = {
        .kind = MGC_MSG_RESULT_ACK,
        .task_ref = {.task_id = task_id, .text = (char *)text},
    };
    send_to_role(link, role, &msg);
}

static void send_host_credit(void *user, struct mgc_msg *msg)
{
    send_to_role(user, MGC_ROLE_HOST, msg);
}

static void send_wsl_credit(void *user, struct mgc_msg *msg)
{
    send_to_role(user, MGC_ROLE_WSL, msg);
}

/* All files of a result are in, or will not come: tell the store's owner, the run, the worker. */
static void conclude_transfer(struct mgc_link *link, struct mgc_transfer *transfer)
{
    const struct mgc_error *storage = mgc_receive_error(transfer->receive);
    enum mgc_role role = transfer->step->role;
    /* First, since what follows gives steps up and begins others. */
    mgc_transfers_detach(&link->transfers, transfer);
    link->ops.stored(link->user, transfer->step, transfer->dir, &transfer->result.result, storage);
    acknowledge(link, role, transfer->task_id, storage->code == MGC_OK ? "" : storage->text);
    if (link->run)
        mgc_run_result(link->run, role, &transfer->result.result, storage, mgc_mono_ns());
    mgc_transfer_free(transfer);
}

static void on_result(struct mgc_link *link, enum mgc_role role, const struct mgc_msg *msg)
{
    struct mgc_transfer *transfer = mgc_transfers_find(&link->transfers, msg->result.task_id);
    if (!transfer || transfer->step->role != role) {
        /* Of an earlier run, or of an attempt that was given up: the worker may forget it. */
        acknowledge(link, role, msg->result.task_id, "not expected in this run");
        return;
    }
    if (transfer->receive)
        return; /* a repeat; its files are on their way */
    if (mgc_transfer_keep_result(transfer, msg))
        transfer->receive = mgc_receive_new(&transfer->result.result, transfer->dir,
            role == MGC_ROLE_HOST ? send_host_credit : send_wsl_credit, link, mgc_mono_ns());
    if (transfer->receive && mgc_receive_done(transfer->receive))
        conclude_transfer(link, transfer);
}

static void on_chunk(struct mgc_link *link, enum mgc_role role, const struct mgc_msg *msg)
{
    struct mgc_transfer *transfer = mgc_transfers_find(&link->transfers, msg->chunk.task_id);
    if (!transfer || transfer->step->role != role || !transfer->receive)
        return;
    mgc_receive_chunk(transfer->receive, &msg->chunk, msg->body, msg->body_len, mgc_mono_ns());
    if (mgc_receive_done(transfer->receive))
        conclude_transfer(link, transfer);
}

/* ---- what the bus tells ---- */

static void on_joined(
    void *user, const char *worker, uint64_t epoch, const struct mgc_msg_hello *hello)
{
    struct mgc_link *link = user;
    enum mgc_role role;
    if (!role_from_name(hello->role, &role)) {
        note(link, "worker '%s' has the unknown role '%s', left idle", worker, hello->role);
        return;
    }
    struct peer *peer = find_peer(link, worker);
    if (!peer)
        peer = add_peer(link, worker);
    if (!peer)
        return;
    peer->role = role;
    peer->joined = true;
    peer->lease_epoch = hello->lease_epoch;
    record_fill(&peer->record, worker, hello);
    if (link->serving[role]) {
        note(link, "worker '%s' joined, but '%s' already has the role '%s'; left idle", worker,
            link->serving[role]->name, hello->role);
        return;
    }
    link->serving[role] = peer;
    note(link, "worker '%s' (%s) joined from %s, %s, build %s", worker, hello->role, hello->host,
        hello->os, hello->build);
    if (link->run)
        mgc_run_worker_joined(link->run, role, mgc_mono_ns());
    mgc_link_rearm(link);
}

static void on_lost(void *user, const char *worker, uint64_t epoch, const struct mgc_error *why)
{
    struct mgc_link *link = user;
    struct peer *peer = find_peer(link, worker);
    if (!peer)
        return;
    peer->joined = false;
    if (link->serving[peer->role] != peer)
        return;
    link->serving[peer->role] = NULL;
    mgc_transfers_drop_role(&link->transfers, peer->role);
    note(link, "worker '%s' (%s) lost: %s", worker, mgc_role_name(peer->role), why->text);
    if (link->run)
        mgc_run_worker_lost(link->run, peer->role, why, mgc_mono_ns());
    mgc_link_rearm(link);
}

static void on_message(void *user, const char *worker, const struct mgc_msg *msg)
{
    struct mgc_link *link = user;
    struct peer *peer = find_peer(link, worker);
    if (!peer || link->serving[peer->role] != peer)
        return;
    switch (msg->kind) {
    case MGC_MSG_RESULT:
        on_result(link, peer->role, msg);
        break;
    case MGC_MSG_CHUNK:
        on_chunk(link, peer->role, msg);
        break;
    case MGC_MSG_EVENT:
    case MGC_MSG_ARRIVE:
    case MGC_MSG_RELEASED:
        if (link->run)
            mgc_run_message(link->run, peer->role, msg, mgc_mono_ns());
        break;
    case MGC_MSG_ERROR:
        note(link, "worker '%s' did not understand a message: %s", worker, msg->text.text);
        break;
    default:
        mgc_debug("worker '%s' sent %s, which a worker does not send", worker,
            mgc_msg_kind_name(msg->kind));
        break;
    }
    mgc_link_rearm(link);
}

static void on_refused(void *user, const char *who, const struct mgc_error *why)
{
    note(user, "turned away %s: %s", who, why->text);
}

static const struct mgc_bus_server_ops bus_ops = {
    .joined = on_joined,
    .lost = on_lost,
    .message = on_message,
    .refused = on_refused,
};

/* ---- time ---- */

static void on_timer(void *user)
{
    struct mgc_link *link = user;
    int64_t now_ns = mgc_mono_ns();
    link->timer = 0;
    for (struct mgc_transfer *t = link->transfers.first, *next; t; t = next) {
        next = t->next;
        if (!t->receive)
            continue;
        mgc_receive_tick(t->receive, now_ns);
        if (mgc_receive_done(t->receive)) {
            conclude_transfer(link, t);
            break; /* the list may have changed; the rest gets its turn at once */
        }
    }
    if (link->run && now_ns >= mgc_run_due(link->run))
        mgc_run_tick(link->run, now_ns);
    mgc_link_rearm(link);
}

void mgc_link_rearm(struct mgc_link *link)
{
    if (link->run && mgc_run_over(link->run))
        link->ops.over(link->user);
    int64_t due_ns = link->run ? mgc_run_due(link->run) : MGC_NEVER;
    for (struct mgc_transfer *t = link->transfers.first; t; t = t->next) {
        if (t->receive)
            due_ns = mgc_deadline_min(due_ns, mgc_receive_due(t->receive));
    }
    mgc_loop_remove_timer(link->loop, link->timer);
    link->timer = due_ns == MGC_NEVER ? 0 : mgc_loop_add_timer(link->loop, due_ns, on_timer, link);
}

/* ---- public ---- */

struct mgc_link *mgc_link_new(struct mgc_loop *loop, const struct mgc_bus_server_config *config,
    const struct mgc_link_ops *ops, void *user, struct mgc_error *err)
{
    struct mgc_link *link = calloc(1, sizeof(*link));
    if (!link) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the link");
        return NULL;
    }
    link->loop = loop;
    link->ops = *ops;
    link->user = user;
    link->server = mgc_bus_server_new(loop, config, &bus_ops, link, err);
    if (!link->server) {
        free(link);
        return NULL;
    }
    return link;
}

void mgc_link_free(struct mgc_link *link)
{
    if (!link)
        return;
    link->run = NULL;
    mgc_bus_server_free(link->server);
    mgc_loop_remove_timer(link->loop, link->timer);
    mgc_transfers_destroy(&link->transfers);
    while (link->peers) {
        struct peer *peer = link->peers;
        link->peers = peer->next;
        record_destroy(&peer->record);
        free(peer);
    }
    free(link);
}

void mgc_link_attach(struct mgc_link *link, struct mgc_run *run)
{
    link->run = run;
    for (int role = 0; role < ROLE_COUNT; role++) {
        if (link->serving[role])
            mgc_run_worker_joined(run, (enum mgc_role)role, mgc_mono_ns());
    }
    mgc_link_rearm(link);
}

bool mgc_link_send(struct mgc_link *link, enum mgc_role role, struct mgc_msg *msg)
{
    struct mgc_error err = {0};
    struct peer *peer = serving(link, role);
    if (!peer)
        return false;
    if (msg->kind == MGC_MSG_TASK)
        msg->task.lease_epoch = peer->lease_epoch;
    if (mgc_bus_server_send(link->server, peer->name, msg, &err))
        return true;
    note(link, "%s to worker '%s' was not sent: %s", mgc_msg_kind_name(msg->kind), peer->name,
        err.text);
    return false;
}

bool mgc_link_offset(struct mgc_link *link, enum mgc_role role, int64_t *ret_offset_ns,
    int64_t *ret_uncertainty_ns, int64_t *ret_round_trip_ns)
{
    struct peer *peer = serving(link, role);
    if (!peer)
        return false;
    struct mgc_clock_offset offset = mgc_bus_server_offset(link->server, peer->name);
    if (!offset.known)
        return false;
    *ret_offset_ns = offset.offset_ns;
    *ret_uncertainty_ns = offset.uncertainty_ns;
    *ret_round_trip_ns = offset.round_trip_ns;
    return true;
}

bool mgc_link_expect(
    struct mgc_link *link, uint64_t task_id, const struct mgc_step *step, const char *dir)
{
    return mgc_transfers_add(&link->transfers, task_id, step, dir) != NULL;
}

void mgc_link_give_up(struct mgc_link *link, const struct mgc_step *step)
{
    mgc_transfers_drop_step(&link->transfers, step);
}

bool mgc_link_hosts(const struct mgc_link *link, struct mgc_results *results)
{
    size_t count = 0;
    for (struct peer *peer = link->peers; peer; peer = peer->next)
        count++;
    struct mgc_host_record *hosts = calloc(count + 1, sizeof(*hosts));
    if (!hosts)
        return false;
    size_t i = 0;
    for (struct peer *peer = link->peers; peer; peer = peer->next, i++) {
        struct mgc_clock_offset offset = mgc_bus_server_offset(link->server, peer->name);
        const struct mgc_host_record *record = &peer->record;
        hosts[i] = (struct mgc_host_record){
            .name = strdup(record->name),
            .role = strdup(record->role),
            .host = strdup(record->host),
            .os = strdup(record->os),
            .build = strdup(record->build),
            .boot_id = strdup(record->boot_id),
            .sessions = record->sessions,
            .clock_known = offset.known,
            .offset_ns = offset.offset_ns,
            .uncertainty_ns = offset.uncertainty_ns,
        };
    }
    results->hosts = hosts;
    results->host_count = count;
    return true;
}
