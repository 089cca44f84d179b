/* Child processes: started from an argument vector (never through a shell), in a group of their
 * own, waited for with a deadline, and ended as a whole tree.
 *
 * Linux: a process group. Windows: a job object, which also ends with us. Any thread may start; one
 * object belongs to one thread, except mgc_process_kill_tree, which any thread may call while the
 * object lives.
 */
#ifndef MGC_PLAT_PROCESS_H
#define MGC_PLAT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

struct mgc_process; /* opaque */

struct mgc_process_spec {
    const char *const *argv; /* argv[0] is the program: with a '/', a path, else found in PATH */
    const char *const *env;  /* "K=V" list, the whole environment; NULL: inherit ours */
    const char *cwd;         /* NULL: inherit */
    /* Where the standard streams go: a path (created, truncated), or NULL for the null device. */
    const char *stdout_path;
    const char *stderr_path; /* same text as stdout_path: both into one file, in order */
    bool stdout_pipe;        /* instead of stdout_path: read it from mgc_process_stdout */
    bool inherit_stdio;      /* instead of all of these: share our own streams */
    uint64_t file_size_max;  /* a file that it writes may grow to (Linux: then SIGXFSZ; Windows:
                                MGC_E_UNSUPPORTED); 0: any */
    bool no_core;            /* no core file, which would hold its environment (Linux) */
    bool die_with_us;        /* end the child when our process dies (Linux: the thread that starts
                                it must outlive it; Windows: always, with its whole tree) */
    bool spares_children;    /* what the child leaves behind on purpose is not ended with it (Linux:
                                it leaves the group by itself; Windows: it never joins the job) */
};

enum mgc_exit_kind { MGC_EXIT_CODE, MGC_EXIT_SIGNAL };

struct mgc_exit {
    enum mgc_exit_kind kind;
    int value; /* exit code, or signal number */
};

/* NULL on failure; MGC_E_NOT_FOUND when there is no such program. */
struct mgc_process *mgc_process_start(const struct mgc_process_spec *spec, struct mgc_error *err);
int64_t mgc_process_pid(const struct mgc_process *process);
/* Read end of the stdout pipe, -1 without one; owned by the process object. */
int mgc_process_stdout(const struct mgc_process *process);

/* Readable when the child has ended (Linux: a pidfd); -1 where the platform has none. */
int mgc_process_fd(const struct mgc_process *process);

/* Wait until it ended (true) or the deadline (false, MGC_E_TIMEOUT). May be called again. Linux: an
 * ended child stays a zombie until stop or free, which keeps the group's number ours. */
bool mgc_process_wait(struct mgc_process *process, int64_t deadline_ns, struct mgc_exit *ret_exit,
    struct mgc_error *err);

/* Ask the tree to end (SIGTERM; Windows has nothing that every program hears, so only programs that
 * call mgc_stop_on_signals are asked there), after grace_ms end it (SIGKILL), and reap the child.
 * Also cleans up what the group still holds when the child itself has already ended. */
void mgc_process_stop(struct mgc_process *process, int64_t grace_ms);
void mgc_process_kill_tree(struct mgc_process *process);
/* Stops it if it runs, then frees. Takes NULL. */
void mgc_process_free(struct mgc_process *process);

/* "exit code 7" or "signal 9 (Killed)". Windows knows no signals: there 9 means that we ended it,
 * and a crash is the code of its exception, "exit code 0xC0000005". */
const char *mgc_exit_text(const struct mgc_exit *exit, char *buf, size_t size);

/* A time that, with the pid, names one process for ever (Linux: field 22 of /proc/PID/stat, in
 * clock ticks since boot; Windows: 100 ns since 1601); false when there is no such process. */
bool mgc_process_start_time(int64_t pid, uint64_t *ret_ticks);

/* Kill the group of a process started earlier, by a run of us that died, if pid and start time
 * still match. True when it is gone or never was. For the undo journal.
 *
 * What outlived its leader (die_with_us ends the leader alone) is known by its group's number, by
 * not being older than the leader, and by `dir`, a directory that nobody else uses: the working
 * directory of one member is there, or a variable of its environment (TMPDIR, HOME) is that path.
 * dir NULL: nothing proves whose they are, so they are left. Windows: only the process itself, as
 * its tree died with us. */
bool mgc_process_kill_stale(
    int64_t pid, uint64_t start_ticks, const char *dir, struct mgc_error *err);

#endif
