/* `mgcoord run --resume RUN`: the run that is to go on, and its plan, which comes from its own
 * directory; or why it does not go on. */
#ifndef MGC_CMD_RESUME_H
#define MGC_CMD_RESUME_H

#include "coordinator/cmd/options.h"
#include "coordinator/session/resume.h"

/* `plan` is the operand, NULL when there is none: then the plan is the one that the run was begun
 * with. -1: it goes on, and all three results are the caller's to close and destroy. Otherwise the
 * exit code; what was wrong, or that nothing is left to do, was printed. */
int mgc_cmd_resume(const char *run, const struct mgc_plan_options *options, const char *plan,
    struct mgc_resume *ret_resume, struct mgc_site *ret_site, struct mgc_plan *ret_plan);

#endif
