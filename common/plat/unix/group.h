/* Ending process groups: what process.c and the undo of dead runs share. */
#ifndef MGC_PLAT_UNIX_GROUP_H
#define MGC_PLAT_UNIX_GROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

int mgc_plat_pidfd_open(pid_t pid); /* -1 with errno; close-on-exec */

/* Wait until the group has no living member; false at the deadline. Waits on pidfds, which also
 * tell of processes that are not our children. */
bool mgc_plat_group_wait(pid_t group, int64_t deadline_ns);

/* SIGTERM, up to grace_ms for everybody to go, SIGKILL, and up to a few seconds for the kernel to
 * end them. grace_ms 0: SIGKILL at once. False when somebody is left (stuck in the kernel). The
 * caller makes sure that the group number is still the one it means. */
bool mgc_plat_group_end(pid_t group, int64_t grace_ms);

#endif
