#include "coordinator/link/link.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "coordinator/link/collect.h"

enum { TEXT_MAX = 768 };

/* A worker that has joined at least once. */
struct peer {
    char name[MGC_NAME_SIZE];
    enum mgc_role role;
    bool joined;
    bool announced;                /* the run knows; not before what is late has been collected */
    int64_t lease_epoch;           /* of its session, from the hello; goes into its tasks */
    struct mgc_host_record record; /* owned strings */
    struct mgc_fields facts;       /* owned; of its last hello */
    struct peer *next;
};

struct mgc_link {
    struct mgc_loop *loop;         /* borrowed */
    struct mgc_bus_server *server; /* owned */
    struct mgc_link_ops ops;
    void *user;
    struct mgc_run *run;                  /* borrowed; NULL before attach */
    struct peer *peers;                   /* owned */
    struct peer *serving[MGC_ROLE_COUNT]; /* who has the role now; borrowed from peers */
    struct mgc_collect *collect;          /* owned */
    uint64_t timer;
    char refused[TEXT_MAX]; /* who was turned away last, and why */
    int64_t refused_ns;     /* and when; 0: nobody yet */
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
    for (int role = 0; role < MGC_ROLE_COUNT; role++) {
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

/* Credits and acknowledgements that get lost are said again. */
static bool collect_send(void *user, enum mgc_role role, struct mgc_msg *msg)
{
    struct mgc_link *link = user;
    struct mgc_error err = {0};
    struct peer *peer = serving(link, role);
    if (peer && msg->kind == MGC_MSG_TASK)
        msg->task.lease_epoch = peer->lease_epoch;
    if (peer && mgc_bus_server_send(link->server, peer->name, msg, &err))
        return true;
    if (peer)
        mgc_debug(
            "%s to '%s' was not sent: %s", mgc_msg_kind_name(msg->kind), peer->name, err.text);
    return false;
}

static void collect_stored(void *user, const struct mgc_step *step, const char *dir,
    const struct mgc_msg_result *result, const struct mgc_error *storage, bool late)
{
    struct mgc_link *link = user;
    link->ops.stored(link->user, step, dir, result, storage, late);
    if (link->run && !late)
        mgc_run_result(link->run, step->role, result, storage, mgc_mono_ns());
}

static void collect_missing(void *user, const struct mgc_step *step, const char *dir,
    const struct mgc_msg_result *result, const char *why)
{
    struct mgc_link *link = user;
    link->ops.missing(link->user, step, dir, result, why);
}

static const struct mgc_collect_ops collect_ops = {
    .send = collect_send, .stored = collect_stored, .missing = collect_missing};

/* Tell the run of workers that are there and have nothing of earlier on the way. */
static void announce(struct mgc_link *link)
{
    for (int role = 0; link->run && role < MGC_ROLE_COUNT; role++) {
        struct peer *peer = link->serving[role];
        if (!peer || peer->announced || mgc_collect_is_catching_up(link->collect, peer->role))
            continue;
        peer->announced = true;
        mgc_run_worker_joined(link->run, peer->role, mgc_mono_ns());
    }
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
    mgc_fields_destroy(&peer->facts);
    mgc_fields_copy(&peer->facts, &hello->facts);
    if (link->serving[role]) {
        note(link, "worker '%s' joined, but '%s' already has the role '%s'; left idle", worker,
            link->serving[role]->name, hello->role);
        return;
    }
    link->serving[role] = peer;
    note(link, "worker '%s' (%s) joined from %s, %s, build %s", worker, hello->role, hello->host,
        hello->os, hello->build);
    if (hello->lease_epoch == 0)
        note(link, "worker '%s' knows no leases: nothing keeps an older session's tasks out",
            worker);
    int64_t results = 0;
    mgc_fields_get_int(&hello->facts, "results_waiting", &results);
    mgc_collect_worker_joined(link->collect, role, results, mgc_mono_ns());
    if (mgc_collect_is_catching_up(link->collect, role))
        note(link, "worker '%s': collecting what its broken tasks left", worker);
    mgc_link_rearm(link);
}

static void on_lost(void *user, const char *worker, uint64_t epoch, const struct mgc_error *why)
{
    struct mgc_link *link = user;
    struct peer *peer = find_peer(link, worker);
    if (!peer)
        return;
    peer->joined = peer->announced = false;
    if (link->serving[peer->role] != peer)
        return;
    link->serving[peer->role] = NULL;
    mgc_collect_worker_lost(link->collect, peer->role, mgc_mono_ns());
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
        mgc_collect_result(link->collect, peer->role, msg, mgc_mono_ns());
        break;
    case MGC_MSG_CHUNK:
        mgc_collect_chunk(link->collect, peer->role, msg, mgc_mono_ns());
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
    struct mgc_link *link = user;
    snprintf(link->refused, sizeof(link->refused), "%s: %s", who, why->text);
    link->refused_ns = mgc_mono_ns();
    note(link, "turned away %s", link->refused);
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
    mgc_collect_tick(link->collect, now_ns);
    if (link->run && now_ns >= mgc_run_due(link->run))
        mgc_run_tick(link->run, now_ns);
    mgc_link_rearm(link);
}

void mgc_link_rearm(struct mgc_link *link)
{
    announce(link);
    if (link->run && mgc_run_over(link->run) && mgc_collect_may_end(link->collect, mgc_mono_ns())) {
        mgc_collect_abandon(link->collect);
        link->ops.over(link->user);
    }
    int64_t due_ns = mgc_collect_due(link->collect);
    if (link->run)
        due_ns = mgc_deadline_min(due_ns, mgc_run_due(link->run));
    mgc_loop_remove_timer(link->loop, link->timer);
    link->timer = due_ns == MGC_NEVER ? 0 : mgc_loop_add_timer(link->loop, due_ns, on_timer, link);
}

/* ---- public ---- */

bool mgc_link_turned_away(
    const struct mgc_link *link, int64_t since_ns, char *ret_text, size_t size)
{
    if (!link->refused_ns || link->refused_ns < since_ns)
        return false;
    snprintf(ret_text, size, "%s", link->refused);
    return true;
}

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
    link->collect = mgc_collect_new(&collect_ops, link);
    if (!link->collect)
        mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the link");
    else
        link->server = mgc_bus_server_new(loop, config, &bus_ops, link, err);
    if (link->server)
        return link;
    mgc_link_free(link);
    return NULL;
}

void mgc_link_free(struct mgc_link *link)
{
    if (!link)
        return;
    link->run = NULL;
    mgc_bus_server_free(link->server);
    mgc_loop_remove_timer(link->loop, link->timer);
    mgc_collect_free(link->collect);
    while (link->peers) {
        struct peer *peer = link->peers;
        link->peers = peer->next;
        record_destroy(&peer->record);
        mgc_fields_destroy(&peer->facts);
        free(peer);
    }
    free(link);
}

void mgc_link_attach(struct mgc_link *link, struct mgc_run *run)
{
    link->run = run;
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

bool mgc_link_clock(struct mgc_link *link, enum mgc_role role, struct mgc_clock_offset *ret_offset)
{
    struct peer *peer = serving(link, role);
    if (!peer)
        return false;
    *ret_offset = mgc_bus_server_offset(link->server, peer->name);
    return ret_offset->known;
}

bool mgc_link_offset(struct mgc_link *link, enum mgc_role role, int64_t *ret_offset_ns,
    int64_t *ret_uncertainty_ns, int64_t *ret_round_trip_ns)
{
    struct mgc_clock_offset offset;
    if (!mgc_link_clock(link, role, &offset))
        return false;
    *ret_offset_ns = offset.offset_ns;
    *ret_uncertainty_ns = offset.uncertainty_ns;
    *ret_round_trip_ns = offset.round_trip_ns;
    return true;
}

bool mgc_link_expect(
    struct mgc_link *link, uint64_t task_id, const struct mgc_step *step, const char *dir)
{
    return mgc_collect_expect(link->collect, task_id, step, dir);
}

void mgc_link_step_over(struct mgc_link *link, const struct mgc_step *step)
{
    mgc_collect_step_over(link->collect, step);
}

void mgc_link_moved(struct mgc_link *link, const char *from, const char *to)
{
    mgc_collect_moved(link->collect, from, to);
}

void mgc_link_visit(const struct mgc_link *link,
    void (*fn)(void *user, const struct mgc_link_worker *worker), void *user)
{
    for (struct peer *peer = link->peers; peer; peer = peer->next) {
        struct mgc_link_worker worker = {
            .name = peer->name,
            .joined = peer->joined,
            .record = &peer->record,
            .facts = &peer->facts,
            .offset = mgc_bus_server_offset(link->server, peer->name),
        };
        fn(user, &worker);
    }
}

void mgc_link_set_keys(struct mgc_link *link, const struct mgc_keyring *keys)
{
    mgc_bus_server_set_keys(link->server, keys);
    mgc_link_rearm(link);
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
