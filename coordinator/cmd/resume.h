/* `mgcoord run --resume RUN`: the run that is to go on, and its plan, which comes from its own
 * directory; or why it does not go on. */
#ifndef MGC_CMD_RESUME_H
#define MGC_CMD_RESUME_H

#include "coordinator/cmd/options.h"
#include "coordinator/session/resume.h"

struct mgc_resumed {              /* zeroed: nothing */
    struct mgc_run_dir dir;       /* of the whole run, with its lock */
    struct mgc_resume *parts;     /* owned; one per phone; one without a name has its own `dir` */
    struct mgc_phone_plans plans; /* in the same order; empty where a part is done */
    bool *done;                   /* owned; nothing is left to do with that phone */
    size_t count;
};
void mgc_resumed_close(struct mgc_resumed *resumed); /* takes zeroed */

/* `plan` is the operand, NULL when there is none: then the plan is the one that the run was begun
 * with. -1: it goes on, and the result is the caller's to close. Otherwise the exit code; what was
 * wrong, or that nothing is left to do, was printed. */
int mgc_cmd_resume(const char *run, const struct mgc_plan_options *options, const char *plan,
    struct mgc_resumed *ret_resumed);

#endif
