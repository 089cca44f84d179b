/* Start a process on the phone: own session, given streams and uid, signals as they should be.
 *
 * The daemon is the phone's PID 1, single-threaded, so plain fork is safe. */
#ifndef MGC_LAB_PHONE_SPAWN_H
#define MGC_LAB_PHONE_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/base/error.h"
#include "lab/phone/ids.h"

struct mgl_spawn {
    /* A program, or a function of this one; the function's result is the exit code. Every other
     * descriptor is closed first, so the function sees only in, out and err as 0, 1 and 2. */
    const char *path; /* NULL: function */
    const char *const *argv;
    const char *const *env; /* the whole environment; NULL: function */
    int (*function)(void *arg);
    void *arg;
    const char *cwd;
    int in, out, err;     /* borrowed; all three are given */
    bool controlling_tty; /* `in` is a terminal: make it the session's */
    enum mgl_identity identity;
};

/* From now on children are killed when this process dies. */
void mgl_spawn_tie(void);

/* The pid (also its session and process group), or -1. */
pid_t mgl_spawn(const struct mgl_spawn *spawn, struct mgc_error *err);

#endif
