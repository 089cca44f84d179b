/* Results and their files, on the way from the workers into the attempts' directories.
 *
 * What a task leaves is collected whatever became of its attempt: when something failed, it is what
 * people look for. A transfer whose session ends keeps what has come and goes on where it stopped
 * once the worker is back; so does one whose result was not there yet. A task that a crash of its
 * worker cut off leaves files that nobody has masked, since the worker keeps no secrets: the
 * worker is told them once more in a task "worker.salvage", whose artifacts those files are.
 *
 *   EXPECTED -> RECEIVING        its result came
 *   RECEIVING -> over            all files are here, or one failed: `stored`; only when all are
 *                                safe on disk the worker is told that it may forget its copy
 *   EXPECTED, RECEIVING -> late  the session or its step is over: the scheduler does not wait
 *   late -> over                 as above; or `missing`: it does not come any more
 *
 * No sockets; time is an argument (mono ns). One thread; callbacks may call everything but free.
 */
#ifndef MGC_LINK_COLLECT_H
#define MGC_LINK_COLLECT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/wire/msg.h"
#include "coordinator/plan/plan.h"

struct mgc_collect; /* opaque */

struct mgc_collect_ops {
    /* False: the worker of that role has no session. */
    bool (*send)(void *user, enum mgc_role role, struct mgc_msg *msg);
    /* A result, with its files in dir, or `storage` saying why not all of them are. `late`: the
     * scheduler is done with the step; otherwise it hears of it next. */
    void (*stored)(void *user, const struct mgc_step *step, const char *dir,
        const struct mgc_msg_result *result, const struct mgc_error *storage, bool late);
    /* A late one that will not come, and why. `result` is NULL when not even that came. */
    void (*missing)(void *user, const struct mgc_step *step, const char *dir,
        const struct mgc_msg_result *result, const char *why);
};

struct mgc_collect *mgc_collect_new(const struct mgc_collect_ops *ops, void *user);
/* Removes what is half there; takes NULL. */
void mgc_collect_free(struct mgc_collect *collect);

/* The files of that step's task go into dir. False on no memory. */
bool mgc_collect_expect(
    struct mgc_collect *collect, uint64_t task_id, const struct mgc_step *step, const char *dir);
/* The run is done with that step: what still comes is late. */
void mgc_collect_step_over(struct mgc_collect *collect, const struct mgc_step *step);
/* A directory has got another name. */
void mgc_collect_moved(struct mgc_collect *collect, const char *from, const char *to);

/* RESULT and CHUNK of a worker with that role. */
void mgc_collect_result(
    struct mgc_collect *collect, enum mgc_role role, const struct mgc_msg *msg, int64_t now_ns);
void mgc_collect_chunk(
    struct mgc_collect *collect, enum mgc_role role, const struct mgc_msg *msg, int64_t now_ns);

void mgc_collect_worker_lost(struct mgc_collect *collect, enum mgc_role role, int64_t now_ns);
/* It is back, with so many results to send (its hello's "results_waiting"). */
void mgc_collect_worker_joined(
    struct mgc_collect *collect, enum mgc_role role, int64_t results, int64_t now_ns);
/* Something late is on its way from the worker that is there: give it no work before that is over,
 * since nothing shall move in a measured window. Bounded. */
bool mgc_collect_is_catching_up(const struct mgc_collect *collect, enum mgc_role role);

void mgc_collect_tick(struct mgc_collect *collect, int64_t now_ns);
int64_t mgc_collect_due(const struct mgc_collect *collect);

/* The run is over: may it end, or is something late still worth waiting for (bounded)? */
bool mgc_collect_may_end(const struct mgc_collect *collect, int64_t now_ns);
/* It ends: whatever is not here is missing. */
void mgc_collect_abandon(struct mgc_collect *collect);

#endif
