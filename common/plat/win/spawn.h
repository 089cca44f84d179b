/* CreateProcessW with exactly the handles that the child is meant to have. */
#ifndef MGC_PLAT_WIN_SPAWN_H
#define MGC_PLAT_WIN_SPAWN_H

#include <stdint.h>
#include <windows.h>

#include "common/base/error.h"
#include "common/plat/process.h"

struct mgc_win_child {
    HANDLE process; /* owned by the caller */
    DWORD pid;
    int stdout_fd; /* owned by the caller: C runtime descriptor; -1 without a pipe */
};

/* The child runs as a member of `job` from its first instruction on. `stop_event` is the name that
 * it finds in its environment. */
bool mgc_win_spawn(const struct mgc_process_spec *spec, HANDLE job, const char *stop_event,
    struct mgc_win_child *ret_child, struct mgc_error *err);

#endif
