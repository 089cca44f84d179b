/* Who may use what on this machine: leases on the resources that task kinds name (task.h).
 *
 * A lease is granted to a run for a resource such as "phone:SERIAL", when the first of its tasks
 * needs it, and lasts as long as the session: it is given back after the fence, when everything is
 * undone. Its fencing epoch grows with every session and is kept on disk; the coordinator learns it
 * from the hello and puts it into its tasks, so that one meant for an earlier session is refused.
 *
 *   LOCKS/RESOURCE.lock    held while the lease lasts, for the whole machine: a second worker with
 *                          another state directory finds it. Dies with the process. Its text names
 *                          the holder.
 *   STATE/leases/epoch     number of the last session
 *   STATE/leases/RESOURCE  a lease that was granted; one that is there at start was cut off by a
 *                          crash, and is taken back before what the crash left is undone
 *
 * Belongs to the loop's thread.
 */
#ifndef MGC_TASK_LEASES_H
#define MGC_TASK_LEASES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/fields.h"
#include "common/task/task.h"
#include "common/wire/msg.h"

struct mgc_leases; /* opaque */

struct mgc_leases_config {
    const char *dir;   /* STATE/leases; made when absent; borrowed for the call, like locks */
    const char *locks; /* the machine's lock directory */
};

/* Also with an epoch that cannot be read: what was granted can still be taken back and undone. */
struct mgc_leases *mgc_leases_open(const struct mgc_leases_config *config, struct mgc_error *err);
/* What was not given back before (mgc_leases_end) is as cut off by a crash. Takes NULL. */
void mgc_leases_free(struct mgc_leases *leases);

/* Take back what a crash cut off, before its changes are undone. False with MGC_E_BUSY while
 * somebody else uses one of the resources: to undo now would hit them. Nothing to do: true. */
bool mgc_leases_recover(struct mgc_leases *leases, struct mgc_error *err);

/* Epoch of the next session, on disk before this returns. Never given twice. MGC_E_CONFIG when the
 * one that stood on disk could not be read: to guess one could repeat one. */
bool mgc_leases_next_epoch(struct mgc_leases *leases, int64_t *ret_epoch, struct mgc_error *err);

/* May this task, of a known kind and with checked parameters, start? MGC_E_STALE: it is meant for
 * another session. MGC_E_BUSY names resource, holder, its task and since when. Granted until
 * mgc_leases_leave. */
bool mgc_leases_grant(struct mgc_leases *leases, const struct mgc_task_kind *kind,
    const struct mgc_msg_task *task, const char *run_id, struct mgc_error *err);
/* The task has ended and undone its changes; unknown ids are fine. */
void mgc_leases_leave(struct mgc_leases *leases, uint64_t task_id);
/* The session is over and everything undone: give all back but what recover could not take. Without
 * this call a lease stays ours, for the run that needs it next. */
void mgc_leases_end(struct mgc_leases *leases);

/* Who asks for what is granted from now on: "HOST, process PID", or empty. Copied, cut to fit. */
void mgc_leases_for(struct mgc_leases *leases, const char *coordinator);

/* Who holds what on this machine, the first 64 of them; those of an earlier call are removed. The
 * n-th from 0 has the texts lease.n.resource, .run, .coordinator, .epoch, .since (UTC), .task (what
 * is not known is absent), and .state:
 *
 *   held   this worker, for the run of its session
 *   left   this worker, for a run whose session is over and whose changes are not undone yet
 *   other  another worker of this machine
 *   gone   nobody: a worker of this machine died with it, and has not come back to undo
 *
 * `in_session`: false between two of them, when nothing of ours is for a run that is on. */
#define MGC_LEASE_FACT "lease."
bool mgc_leases_facts(struct mgc_leases *leases, bool in_session, struct mgc_fields *facts);

#endif
