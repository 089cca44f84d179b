/* A coordinator's end of the bus in this process, and worker processes that joined it over
 * loopback: the product's server, keys, enrolment and worker, with a benchmark's task kinds
 * (bench/worker.c). Calls and callbacks on one thread.
 */
#ifndef MGC_BENCH_LIB_FLEET_H
#define MGC_BENCH_LIB_FLEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/lib/report.h"
#include "common/bus/server.h"

struct mgc_fleet; /* opaque */

typedef void mgc_fleet_message(void *user, size_t worker, const struct mgc_msg *msg);

/* Start `count` workers of mgbench-worker and wait until all joined and their clocks are known
 * within 0.2 ms, or as well as they are after 8 s; NULL when that takes more than a minute. `bench`
 * is borrowed. */
struct mgc_fleet *mgc_fleet_new(const struct mgc_bench *bench, size_t count,
    mgc_fleet_message *message, void *user, struct mgc_error *err);
void mgc_fleet_free(struct mgc_fleet *fleet); /* ends the workers and waits for them; takes NULL */

struct mgc_loop *mgc_fleet_loop(struct mgc_fleet *fleet);

/* Run the loop until mgc_fleet_wake was called and *done is set. False: `ms` went by, or a worker
 * was lost meanwhile. `what` is what is waited for. */
bool mgc_fleet_until(
    struct mgc_fleet *fleet, const bool *done, int64_t ms, const char *what, struct mgc_error *err);
void mgc_fleet_wake(struct mgc_fleet *fleet); /* from callbacks: look at *done */

bool mgc_fleet_send(
    struct mgc_fleet *fleet, size_t worker, struct mgc_msg *msg, struct mgc_error *err);
/* A new task; params (borrowed) may be NULL. */
bool mgc_fleet_task(struct mgc_fleet *fleet, size_t worker, uint64_t task_id, const char *kind,
    const struct mgc_fields *params, struct mgc_error *err);
/* CANCEL, FINISH or RESULT_ACK of a task. */
bool mgc_fleet_tell(struct mgc_fleet *fleet, size_t worker, enum mgc_msg_kind kind,
    uint64_t task_id, struct mgc_error *err);
struct mgc_clock_offset mgc_fleet_offset(const struct mgc_fleet *fleet, size_t worker);

#endif
