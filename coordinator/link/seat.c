/* A run's view of the link: who serves it, and its files on the way. */
#include "coordinator/link/seat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"

/* False: the role has nobody, or the bus did not take it (`err` is set only then). */
static bool send_to(
    struct mgc_seat *seat, enum mgc_role role, struct mgc_msg *msg, struct mgc_error *err)
{
    const struct mgc_peer *peer = seat->serving[role];
    if (!peer)
        return false;
    if (msg->kind == MGC_MSG_TASK)
        msg->task.lease_epoch = peer->lease_epoch;
    return mgc_bus_server_send(seat->link->server, peer->name, msg, err) ||
           mgc_error_prefix(
               err, "%s to worker '%s' was not sent", mgc_msg_kind_name(msg->kind), peer->name);
}

/* ---- artifacts ---- */

/* Credits and acknowledgements that get lost are said again. */
static bool collect_send(void *user, enum mgc_role role, struct mgc_msg *msg)
{
    struct mgc_error err = {0};
    bool ok = send_to(user, role, msg, &err);
    if (err.code)
        mgc_debug("%s", err.text);
    return ok;
}

static void collect_stored(void *user, const struct mgc_step *step, const char *dir,
    const struct mgc_msg_result *result, const struct mgc_error *storage, bool late)
{
    struct mgc_seat *seat = user;
    seat->ops.stored(seat->user, step, dir, result, storage, late);
    if (seat->run && !late)
        mgc_run_result(seat->run, step->role, result, storage, mgc_mono_ns());
}

static void collect_missing(void *user, const struct mgc_step *step, const char *dir,
    const struct mgc_msg_result *result, const char *why)
{
    struct mgc_seat *seat = user;
    seat->ops.missing(seat->user, step, dir, result, why);
}

static const struct mgc_collect_ops collect_ops = {
    .send = collect_send, .stored = collect_stored, .missing = collect_missing};

/* ---- life ---- */

static struct mgc_seat *seat_new(struct mgc_link *link, char *const *workers,
    const struct mgc_seat_ops *ops, void *user, struct mgc_error *err)
{
    struct mgc_seat *seat = calloc(1, sizeof(*seat));
    if (seat)
        *seat = (struct mgc_seat){.link = link, .ops = *ops, .user = user};
    for (int role = 0; seat && workers && role < MGC_ROLE_COUNT; role++) {
        if (workers[role])
            snprintf(seat->names[role], sizeof(seat->names[role]), "%s", workers[role]);
    }
    if (seat)
        seat->collect = mgc_collect_new(&collect_ops, seat);
    if (seat && seat->collect)
        return seat;
    mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the link");
    free(seat);
    return NULL;
}

struct mgc_seat *mgc_link_seat(struct mgc_link *link, char *const *workers,
    const struct mgc_seat_ops *ops, void *user, struct mgc_error *err)
{
    struct mgc_seat **at = &link->seats;
    while (*at)
        at = &(*at)->next;
    *at = seat_new(link, workers, ops, user, err);
    return *at;
}

void mgc_seat_free(struct mgc_seat *seat)
{
    seat->run = NULL;
    mgc_collect_free(seat->collect);
    free(seat);
}

void mgc_seat_attach(struct mgc_seat *seat, struct mgc_run *run)
{
    seat->run = run;
    mgc_link_rearm(seat->link);
}

void mgc_seat_poke(struct mgc_seat *seat)
{
    seat->poked = true;
}

/* ---- who serves ---- */

bool mgc_seat_has(const struct mgc_seat *seat, const struct mgc_peer *peer)
{
    return seat->serving[peer->role] == peer;
}

bool mgc_seat_begin_serving(struct mgc_seat *seat, struct mgc_peer *peer)
{
    int64_t results = 0;
    seat->serving[peer->role] = peer;
    seat->announced[peer->role] = false;
    mgc_fields_get_int(&peer->facts, "results_waiting", &results);
    mgc_collect_worker_joined(seat->collect, peer->role, results, mgc_mono_ns());
    return mgc_collect_is_catching_up(seat->collect, peer->role);
}

void mgc_seat_end_serving(struct mgc_seat *seat, enum mgc_role role)
{
    seat->serving[role] = NULL;
    seat->announced[role] = false;
    mgc_collect_worker_lost(seat->collect, role, mgc_mono_ns());
}

void mgc_seat_tell_lost(struct mgc_seat *seat, enum mgc_role role, const struct mgc_error *why)
{
    if (seat->run)
        mgc_run_worker_lost(seat->run, role, why, mgc_mono_ns());
}

void mgc_seat_announce(struct mgc_seat *seat)
{
    for (int role = 0; seat->run && role < MGC_ROLE_COUNT; role++) {
        if (!seat->serving[role] || seat->announced[role] ||
            mgc_collect_is_catching_up(seat->collect, (enum mgc_role)role))
            continue;
        seat->announced[role] = true;
        mgc_run_worker_joined(seat->run, (enum mgc_role)role, mgc_mono_ns());
    }
}

/* ---- what happens ---- */

/* Results and chunks go to all whose worker it is, since a seat knows its own tasks, and counts
 * what a worker that is back still has to send. */
bool mgc_seat_message(struct mgc_seat *seat, enum mgc_role role, const struct mgc_msg *msg)
{
    switch (msg->kind) {
    case MGC_MSG_RESULT:
        mgc_collect_result(seat->collect, role, msg, mgc_mono_ns());
        return false;
    case MGC_MSG_CHUNK:
        mgc_collect_chunk(seat->collect, role, msg, mgc_mono_ns());
        return false;
    default:
        return seat->run && mgc_run_message(seat->run, role, msg, mgc_mono_ns());
    }
}

void mgc_seat_tick(struct mgc_seat *seat, int64_t now_ns)
{
    bool poked = seat->poked;
    seat->poked = false;
    mgc_collect_tick(seat->collect, now_ns);
    if (seat->run && (poked || now_ns >= mgc_run_due(seat->run)))
        mgc_run_tick(seat->run, now_ns);
}

int64_t mgc_seat_due(const struct mgc_seat *seat)
{
    int64_t due_ns = mgc_collect_due(seat->collect);
    if (seat->run)
        due_ns = mgc_deadline_min(due_ns, seat->poked ? 0 : mgc_run_due(seat->run));
    return due_ns;
}

void mgc_seat_look_for_end(struct mgc_seat *seat)
{
    if (!seat->run || seat->over || !mgc_run_over(seat->run) ||
        !mgc_collect_may_end(seat->collect, mgc_mono_ns()))
        return;
    mgc_collect_abandon(seat->collect);
    seat->over = true;
    seat->ops.over(seat->user);
}

/* ---- what a run asks for ---- */

bool mgc_seat_send(struct mgc_seat *seat, enum mgc_role role, struct mgc_msg *msg)
{
    struct mgc_error err = {0};
    bool ok = send_to(seat, role, msg, &err);
    if (err.code)
        mgc_link_say(seat->link, "%s", err.text);
    return ok;
}

bool mgc_seat_clock(struct mgc_seat *seat, enum mgc_role role, struct mgc_clock_offset *ret_offset)
{
    const struct mgc_peer *peer = seat->serving[role];
    if (!peer)
        return false;
    *ret_offset = mgc_bus_server_offset(seat->link->server, peer->name);
    return ret_offset->known;
}

bool mgc_seat_offset(struct mgc_seat *seat, enum mgc_role role, int64_t *ret_offset_ns,
    int64_t *ret_uncertainty_ns, int64_t *ret_round_trip_ns)
{
    struct mgc_clock_offset offset;
    if (!mgc_seat_clock(seat, role, &offset))
        return false;
    *ret_offset_ns = offset.offset_ns;
    *ret_uncertainty_ns = offset.uncertainty_ns;
    *ret_round_trip_ns = offset.round_trip_ns;
    return true;
}

bool mgc_seat_expect(
    struct mgc_seat *seat, uint64_t task_id, const struct mgc_step *step, const char *dir)
{
    return mgc_collect_expect(seat->collect, task_id, step, dir);
}

void mgc_seat_step_over(struct mgc_seat *seat, const struct mgc_step *step)
{
    mgc_collect_step_over(seat->collect, step);
}

void mgc_seat_moved(struct mgc_seat *seat, const char *from, const char *to)
{
    mgc_collect_moved(seat->collect, from, to);
}

bool mgc_seat_hosts(const struct mgc_seat *seat, struct mgc_results *results, struct mgc_error *err)
{
    if (!mgc_peers_records(&seat->link->peers, seat->names, results, err))
        return false;
    for (size_t i = 0; i < results->host_count; i++) {
        struct mgc_host_record *host = &results->hosts[i];
        struct mgc_clock_offset offset = mgc_bus_server_offset(seat->link->server, host->name);
        host->clock_known = offset.known;
        host->offset_ns = offset.offset_ns;
        host->uncertainty_ns = offset.uncertainty_ns;
    }
    return true;
}
