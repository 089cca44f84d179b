/* The program that both workers are: options, enrolment, the loop, the journal, the bus.
 *
 *   start: load enrolment -> undo what a crash left in the journal -> load unacknowledged results
 *          -> dial
 *   lost session: cancel every task, wait for their undo, then join again with a new epoch
 *   SIGTERM: the same, then exit 0
 */
#ifndef MGC_TASK_WORKER_H
#define MGC_TASK_WORKER_H

#include "common/task/task.h"

struct mgc_worker_spec {
    const char *program; /* "mgworker-wsl" */
    const char *role;    /* "wsl"; the enrolment must say the same */
    const char *summary;
    const struct mgc_task_kind *kinds; /* tables live as long as the process */
    const struct mgc_undo_kind *undos;
    void *worker; /* given to tasks and undos */
    /* Add facts for the hello (may be NULL). */
    bool (*facts)(struct mgc_fields *facts, void *worker, struct mgc_error *err);
};

/* Parse argv (--enrol FILE, --state DIR, --locks DIR, ...; --help tells), run until told to stop.
 * Exit codes: 0 asked to stop; 2 usage or enrolment; 3 cannot work here (state directory, journal)
 * or not in this process any more (dispatch.h): a service manager should start it again. */
int mgc_worker_main(const struct mgc_worker_spec *spec, int argc, char **argv);

#endif
