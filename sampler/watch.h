/* The two halves of a watch. */
#ifndef MGD_WATCH_H
#define MGD_WATCH_H

#include "sampler/session.h"

/* --- files: inotify on one directory, or on the way to it while it is not there ----------------
 */

struct mgd_files {
    struct mgd_session *session; /* borrowed */
    uint32_t id;
    char *dir;    /* owned; NULL: no files */
    char **names; /* owned; none: all */
    size_t name_count;
    int notify; /* inotify; -1: none */
    int at;     /* its watch: on dir, or on what there is of it */
    bool there; /* dir is watched */
    int errnum; /* why not, other than that it is not there */
};

/* False: no inotify here, or no memory; errno. `names` is copied. */
bool mgd_files_open(struct mgd_files *files, struct mgd_session *session, uint32_t id,
    const char *dir, const struct mgc_device_list *names);
void mgd_files_ready(struct mgd_files *files);
void mgd_files_close(struct mgd_files *files);

/* --- processes: a pidfd each, and a look through /proc for new ones ----------------------------
 */

enum { MGD_PROCS_MAX = 64 };

struct mgd_one {
    uint32_t pid, ppid, uid;
    int64_t start_ticks;
    int fd; /* pidfd; -1: looked for by /proc */
    char comm[32];
};

struct mgd_procs {
    struct mgd_session *session; /* borrowed */
    uint32_t id;
    char *package; /* owned; NULL: only those that are there */
    struct mgd_one items[MGD_PROCS_MAX];
    size_t count;
    int64_t scan_ns, next_scan_ns; /* period; MGC_NEVER: no more */
    int64_t next_look_ns;          /* at those without a pidfd */
};

/* Tells what is there as FOUND. pid 0: none; package empty: none. False: no memory. */
bool mgd_procs_open(struct mgd_procs *procs, struct mgd_session *session, uint32_t id,
    const char *package, uint32_t pid, int64_t scan_ns);
size_t mgd_procs_fds(const struct mgd_procs *procs, struct pollfd *fds, size_t room);
void mgd_procs_ready(struct mgd_procs *procs, const struct pollfd *fds, size_t count);
int64_t mgd_procs_due(const struct mgd_procs *procs);
void mgd_procs_tick(struct mgd_procs *procs);
void mgd_procs_close(struct mgd_procs *procs);

#endif
