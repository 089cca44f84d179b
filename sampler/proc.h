/* Processes as /proc tells them. The parsers are pure. */
#ifndef MGD_PROC_H
#define MGD_PROC_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mgd_stat {
    char comm[32];
    char state; /* 'R', 'S', 'Z', ... */
    uint32_t ppid;
    int64_t start_ticks; /* field 22 */
};

/* A stat line: "PID (NAME) STATE PPID ...". The name may hold anything, brackets too. Pure. */
bool mgd_stat_parse(const char *text, struct mgd_stat *ret_stat);

/* Does a process with this argv[0] belong to the package? The package's own name, "NAME:part", or a
 * program in its library directory (".../NAME/..." or ".../NAME-..."), but no mgdevice. Pure. */
bool mgd_of_package(const char *argv0, const char *package);

struct mgd_proc {
    uint32_t pid, uid;
    struct mgd_stat stat;
    char cmdline[1001]; /* blanks for the zeroes between arguments; starts with argv[0] */
};

/* False when there is no such process, or it is a zombie, or it is not for us to see. A process may
 * end meanwhile; what is given belongs to one and the same. */
bool mgd_proc_read(uint32_t pid, struct mgd_proc *ret_proc);
/* argv[0] only, for looking through many. Empty for a kernel thread. False: not there. */
bool mgd_proc_argv0(uint32_t pid, char *ret_text, size_t size);

/* A small text file, 0-terminated; returns its length or -errno. */
int mgd_read_text(const char *path, char *ret_text, size_t size);

/* pidfd_open(2): readable once the process ended; -1 with errno (ENOSYS before Linux 5.3). */
int mgd_pidfd(int pid);

/* ppoll until a moment of the monotonic clock (MGC_NEVER: none), exact to the timer's slack. */
int mgd_poll(struct pollfd *fds, size_t count, int64_t deadline_ns);

#endif
