/* Between the bus and the runs: which worker serves which run, whose message becomes which event,
 * and the artifacts on their way into the store.
 *
 * A link has a seat per run: that run's view of it, with one worker per role. A seat names its
 * workers, or takes the first of the role that joins; a further one of the same role is noted then
 * and stands by until that one is lost. One worker may serve several seats. A task's messages go to
 * the seat that sent the task: ids are random, so no two tasks have the same. Everything happens on
 * the loop's thread.
 */
#ifndef MGC_LINK_LINK_H
#define MGC_LINK_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/bus/server.h"
#include "coordinator/merge/results.h"
#include "coordinator/sched/run.h"

struct mgc_link; /* opaque */
struct mgc_seat; /* opaque */

/* A sentence about a worker: joined, lost, turned away. */
typedef void mgc_link_note(void *user, const char *text);

struct mgc_link *mgc_link_new(struct mgc_loop *loop, const struct mgc_bus_server_config *config,
    mgc_link_note *note, void *user, struct mgc_error *err);
void mgc_link_free(struct mgc_link *link); /* with its seats; takes NULL */

/* Call after anything that may have changed when a run wants its next tick. */
void mgc_link_rearm(struct mgc_link *link);

/* ---- seats ---- */

struct mgc_seat_ops {
    /* A step's result, with its files in dir or `storage` saying why not all of them are; comes
     * before the scheduler hears of it. `late`: its attempt has ended, the scheduler never does. */
    void (*stored)(void *user, const struct mgc_step *step, const char *dir,
        const struct mgc_msg_result *result, const struct mgc_error *storage, bool late);
    /* What a late step left does not come any more, and why; result is NULL when that is not known
     * either. */
    void (*missing)(void *user, const struct mgc_step *step, const char *dir,
        const struct mgc_msg_result *result, const char *why);
    /* The run is over and everything late is in or missing; comes once. */
    void (*over)(void *user);
};

/* `workers`: who serves in each role, MGC_ROLE_COUNT of them; NULL or a NULL name: anyone. The link
 * owns the seat. NULL: no memory. */
struct mgc_seat *mgc_link_seat(struct mgc_link *link, char *const *workers,
    const struct mgc_seat_ops *ops, void *user, struct mgc_error *err);

/* The run that gets the events (borrowed); also tells it who has joined already. NULL: it is gone,
 * and the seat takes part in nothing any more. */
void mgc_seat_attach(struct mgc_seat *seat, struct mgc_run *run);
/* The run is ticked soon, whenever it is due. */
void mgc_seat_poke(struct mgc_seat *seat);

/* As in struct mgc_run_ops. A task gets the lease epoch of the worker's session. */
bool mgc_seat_send(struct mgc_seat *seat, enum mgc_role role, struct mgc_msg *msg);
bool mgc_seat_offset(struct mgc_seat *seat, enum mgc_role role, int64_t *ret_offset_ns,
    int64_t *ret_uncertainty_ns, int64_t *ret_round_trip_ns);
/* All that is known of that worker's clock; false without a session or before the first ping. */
bool mgc_seat_clock(struct mgc_seat *seat, enum mgc_role role, struct mgc_clock_offset *ret_offset);
/* Files of that step's task go into dir (copied). False on no memory. */
bool mgc_seat_expect(
    struct mgc_seat *seat, uint64_t task_id, const struct mgc_step *step, const char *dir);

/* The run is done with that step: what still comes is late (collect.h). */
void mgc_seat_step_over(struct mgc_seat *seat, const struct mgc_step *step);
/* An attempt's directory has got another name. */
void mgc_seat_moved(struct mgc_seat *seat, const char *from, const char *to);

/* One record per worker that ever joined and may serve the seat, into results->hosts. */
bool mgc_seat_hosts(
    const struct mgc_seat *seat, struct mgc_results *results, struct mgc_error *err);

/* ---- about workers ---- */

/* Whom the bus turned away last, and why, if that was at or after since_ns (mono); false: nobody.
 */
bool mgc_link_turned_away(
    const struct mgc_link *link, int64_t since_ns, char *ret_text, size_t size);

/* A worker that ever joined, as it is now. Borrowed for the call. */
struct mgc_link_worker {
    const char *name;
    bool joined; /* has a session */
    const struct mgc_host_record *record;
    const struct mgc_fields *facts;  /* of its last hello */
    const struct mgc_fields *leases; /* its answer to mgc_link_look; NULL: it gave none */
    struct mgc_clock_offset offset;
};
typedef void mgc_link_visitor(void *user, const struct mgc_link_worker *worker);
void mgc_link_visit(const struct mgc_link *link, mgc_link_visitor *fn, void *user);
/* Only those that may serve the seat. */
void mgc_seat_visit(const struct mgc_seat *seat, mgc_link_visitor *fn, void *user);

/* Ask all that have a session who holds what on their machines. `looked` (NULL: nobody) is called
 * with the user of mgc_link_new when the last one has answered or is gone, perhaps at once. Earlier
 * answers are forgotten. */
void mgc_link_look(struct mgc_link *link, void (*looked)(void *user));

/* After the key directory changed (common/bus/server.h): `keys` is borrowed from now on. */
void mgc_link_set_keys(struct mgc_link *link, const struct mgc_keyring *keys);

#endif
