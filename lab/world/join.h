/* Run a command in a host of a running lab, as a process of the lab: it is in the lab's PID
 * namespace, so it ends with the lab. (A process that joined only the network would survive it and
 * keep that network alive.)
 */
#ifndef MGC_LAB_JOIN_H
#define MGC_LAB_JOIN_H

#include "common/base/error.h"
#include "lab/world/hosts.h"
#include "lab/world/target.h"

/* An interactive shell gets the terminal for a process group of its own: ours has no number in the
 * lab, and a shell that cannot name the group that it came from fails when it gives that back.
 * Exit code of the command, or 125 to 127 with err when it could not be run. */
int mgc_lab_join_run(const struct mgc_lab_target *target, enum mgc_lab_host host,
    char *const *command, bool interactive, struct mgc_error *err);

/* Turn a pid of the lab into ours; 0 when it is not there. */
pid_t mgc_lab_join_pid(const struct mgc_lab_target *target, pid_t lab_pid);

#endif
