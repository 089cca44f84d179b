/* A worker while it runs: messages of the bus to tasks and back, the fence, the end.
 *
 * Moves:
 *   IDLE    -> JOINED                     welcome: results that wait are sent again
 *   JOINED  -> FENCED                     session lost: every task is told to stop
 *   FENCED  -> IDLE                       the last task has undone its changes, and what earlier
 *                                         ones left has been tried again: dial again
 *   any     -> LEAVING                    told to stop: the same, then the loop ends
 *
 * A task that does not react to a stop within the grace time cannot be killed, being a thread: its
 * result is written as failed and the loop ends with exit code 3, so that the service manager
 * starts the program again and the journal undoes what is left. The same happens to an undo between
 * sessions that takes longer when the worker is told to stop. Everything here runs on the loop's
 * thread, but for those undos: they have one of their own, and nobody dials meanwhile.
 *
 * Sessions that break again and again without a task in them are a loop that this process will not
 * get out of: after rejoin_max of them the loop ends with exit code 3 too, and a fresh process has
 * a try. One that the coordinator ended on purpose does not count, nor one that lasted a minute.
 */
#ifndef MGC_TASK_DISPATCH_H
#define MGC_TASK_DISPATCH_H

#include "common/bus/client.h"
#include "common/task/journal.h"
#include "common/task/leases.h"
#include "common/task/results.h"
#include "common/task/worker.h"

struct mgc_dispatch; /* opaque */

struct mgc_dispatch_config {
    const struct mgc_worker_spec *spec; /* borrowed, like all below: lives longer */
    const struct mgc_enrolment *enrolment;
    struct mgc_msg_hello *hello; /* lease epoch and the facts that change are kept current */
    struct mgc_journal *journal;
    struct mgc_leases *leases;
    struct mgc_results *results;
    int64_t retry_max_ms; /* 0: the bus's default */
    int64_t rejoin_max;   /* so many sessions in a row that broke early and empty: exit code 3 */
    int64_t stop_grace_ms;
};

struct mgc_dispatch *mgc_dispatch_new(
    struct mgc_loop *loop, const struct mgc_dispatch_config *config, struct mgc_error *err);
/* Only once no task runs: after mgc_loop_run with an exit code other than 3. Takes NULL. */
void mgc_dispatch_free(struct mgc_dispatch *dispatch);

/* Before the first session: undo what is left, give the leases back once nothing is, take the next
 * lease epoch, bring the hello up to date. `each` hears of every undo. After a fence, and now and
 * then while there is no session, the same is done on a thread of its own. */
bool mgc_dispatch_new_session(const struct mgc_dispatch_config *config, int undo_tries,
    mgc_journal_each *each, void *user, struct mgc_error *err);

/* Stop all tasks, then end the loop. */
void mgc_dispatch_leave(struct mgc_dispatch *dispatch);
/* Log what every task is doing, and since when. */
void mgc_dispatch_dump(struct mgc_dispatch *dispatch);
/* 0, or 3: a task did not end, sessions only ever break, or no lease epoch can be written. */
int mgc_dispatch_exit_code(const struct mgc_dispatch *dispatch);

/* Logs the outcome of each journal entry; a mgc_journal_each. */
void mgc_dispatch_log_undo(
    void *user, uint64_t task_id, const char *undo, bool other_boot, const struct mgc_error *err);

#endif
