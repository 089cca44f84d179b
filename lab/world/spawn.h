/* Start programs inside a host of the lab. Used by PID 1 only, which has one thread, so that a
 * child may do more than exec between fork and exec.
 */
#ifndef MGC_LAB_SPAWN_H
#define MGC_LAB_SPAWN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/error.h"

/* Open namespace files of one host; -1: stay where we are. */
struct mgc_lab_place {
    int net_fd;
    int uts_fd;
};

struct mgc_lab_spawn {
    struct mgc_lab_place place;
    const char *const *argv; /* argv[0] is looked up in PATH when it has no '/' */
    const char *const *env;  /* NULL: ours */
    const char *cwd;         /* NULL: ours */
    int stdin_fd;            /* -1: the null device */
    int output_fd;           /* stdout and stderr; -1: ours */
    int pass_fd;             /* becomes descriptor 3; -1: none */
    bool foreground;         /* keep our session and streams: the terminal's signals reach it */
    bool hold_signals;       /* SIGINT, SIGTERM and SIGHUP stay blocked until it unblocks them */
    bool nohup;              /* SIGHUP stays ignored, as PID 1 has it */
};

/* From now on what is started dies with this process, by signal: where no PID namespace does it. */
void mgc_lab_spawn_tie(void);

/* Enter the place for good. */
bool mgc_lab_enter(const struct mgc_lab_place *place, struct mgc_error *err);

/* -1 on failure; MGC_E_NOT_FOUND when there is no such program. */
pid_t mgc_lab_spawn(const struct mgc_lab_spawn *spawn, struct mgc_error *err);

/* Run `fn` in a child inside the place; its result is the exit code. -1 on failure. */
pid_t mgc_lab_spawn_call(
    const struct mgc_lab_place *place, int (*fn)(void *arg), void *arg, struct mgc_error *err);

/* Run a short-lived tool to its end, with `input` on its stdin; false with the first line that it
 * wrote when it fails, or when it does not end within the deadline (it is killed then). */
bool mgc_lab_run_tool(const struct mgc_lab_place *place, const char *const *argv, const char *input,
    int64_t deadline_ns, struct mgc_error *err);

/* Exit code as a shell tells it: 128 + number for a signal. */
int mgc_lab_exit_code(int wait_status);
/* "exit code 7" or "signal 9 (Killed)" into buf; returns buf. */
const char *mgc_lab_exit_text(int wait_status, char *buf, size_t size);

#endif
