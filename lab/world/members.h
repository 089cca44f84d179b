/* The programs that belong to the lab's hosts, looked after as a service manager would: started,
 * logged to a file of their own, started again 200 ms after they ended
 * (workers after worker_restart_ms, which is a fault knob). PID 1 only.
 *
 *   waiting --start--> running --ended--> waiting (restart at a time) ... until stop_all
 */
#ifndef MGC_LAB_MEMBERS_H
#define MGC_LAB_MEMBERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "lab/world/roster.h"
#include "lab/world/world.h"

/* proxy, link, and of several: a phone each, and three of a pair. */
enum { MGC_LAB_MEMBER_MAX = 2 + MGC_LAB_PHONES_MAX + 3 * MGC_LAB_PAIRS_MAX };
enum { MGC_LAB_MEMBER_ARGS = 20, MGC_LAB_RESTART_MS = 200 };
enum { MGC_LAB_RESTART_MAX_MS = 3600000 };

struct mgc_lab_member {
    /* Strings are copied when it is added, and live as long as the lab. */
    const char *name;
    enum mgc_lab_host host;
    const char *argv[MGC_LAB_MEMBER_ARGS];
    const char *home; /* HOME; TMPDIR is the tmp directory in it */
    char log_path[512];
    bool worker;  /* worker_restart_ms concerns it */
    int pass_fd;  /* borrowed; -1: none */
    int adb_port; /* of its adb server; 0: the usual one */
    pid_t pid;    /* as seen in the lab; 0: not running */
    int restarts;
    int last_status;       /* wait status of its last end */
    int64_t restart_at_ns; /* MGC_NEVER: not due */
};

struct mgc_lab_members {
    struct mgc_lab_member items[MGC_LAB_MEMBER_MAX];
    size_t count;
    int64_t worker_restart_ms; /* set it before the first worker is added */
    bool stopping;
};

/* Copies *member and starts it; members start in the order in which they are added. */
bool mgc_lab_member_add(struct mgc_lab_members *members, struct mgc_lab_world *world,
    const struct mgc_lab_member *member, struct mgc_error *err);

/* NULL when pid is none of them. Notes the end and when to start again. */
struct mgc_lab_member *mgc_lab_member_ended(
    struct mgc_lab_members *members, pid_t pid, int wait_status);

/* Start what is due. */
void mgc_lab_members_restart(struct mgc_lab_members *members, struct mgc_lab_world *world);
int64_t mgc_lab_members_next(const struct mgc_lab_members *members); /* MGC_NEVER: nothing due */

/* SIGTERM to all; nothing is started again. */
void mgc_lab_members_stop(struct mgc_lab_members *members);
bool mgc_lab_members_running(const struct mgc_lab_members *members);

bool mgc_lab_member_signal(
    struct mgc_lab_members *members, const char *name, int sig, struct mgc_error *err);

/* Append a status line of each, see status.h. */
bool mgc_lab_members_status(const struct mgc_lab_members *members, struct mgc_buf *out);

#endif
