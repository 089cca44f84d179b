/* fork + exec with the failure told to the parent. */
#ifndef MGC_PLAT_UNIX_SPAWN_H
#define MGC_PLAT_UNIX_SPAWN_H

#include <sys/types.h>

#include "common/base/error.h"
#include "common/plat/process.h"

/* Pid of a child that has passed exec and leads a group of its own, or -1. *ret_stdout_fd is set
 * when the spec asks for a pipe. */
pid_t mgc_plat_spawn(
    const struct mgc_process_spec *spec, int *ret_stdout_fd, struct mgc_error *err);

#endif
