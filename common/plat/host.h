/* What this machine is: facts that go into a hello and into every result. */
#ifndef MGC_PLAT_HOST_H
#define MGC_PLAT_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"

struct mgc_host {
    char name[64];    /* host name */
    char os[128];     /* "Linux 6.1.0-18-amd64", "Windows 10.0.22631" */
    char arch[32];    /* "x86_64" */
    char boot_id[64]; /* changes at every boot; empty when the system does not tell */
    int cpus;
    int64_t memory_bytes;
};

bool mgc_host_read(struct mgc_host *ret_host, struct mgc_error *err);

/* How long mgc_host_load takes: Windows keeps no average, so it is watched for a while. */
#ifdef _WIN32
enum { MGC_HOST_LOAD_MS = 500 };
#else
enum { MGC_HOST_LOAD_MS = 0 };
#endif

/* How many tasks run or want to run, on average: of the last minute (/proc/loadavg); Windows: of
 * MGC_HOST_LOAD_MS from now on, and at most one per CPU. */
bool mgc_host_load(double *ret_load, struct mgc_error *err);

/* Directory for this user's durable program state: $XDG_STATE_HOME/mgcoord or
 * ~/.local/state/mgcoord (root: /var/lib/mgcoord); Windows: %LOCALAPPDATA%\mgcoord. */
bool mgc_host_state_dir(char *ret_path, unsigned long size, struct mgc_error *err);

/* Make, if need be, and name the directory for locks that all programs of this machine share,
 * whoever runs them: /run/lock/mgcoord, where that cannot be used $XDG_RUNTIME_DIR/mgcoord (then
 * only of this user); Windows: %ProgramData%\\mgcoord\\locks. */
bool mgc_host_lock_dir(char *ret_path, unsigned long size, struct mgc_error *err);

/* Absolute path of the running program. */
bool mgc_host_program(char *ret_path, unsigned long size, struct mgc_error *err);

#endif
