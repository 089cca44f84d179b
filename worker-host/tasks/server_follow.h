/* Two streams of one phone at once: the log, and the watch on the server's process. The task's
 * waits go through here, so that a line, the server's death, the device's loss, stop and finish
 * each end them at once. Task's thread.
 *
 * The watch is the device program's (host.helper), which tells the process's end at once; where it
 * cannot be had, a loop of the device's shell, which looks once a second. The facts say which:
 * watch = "helper" or "shell", and then watch_why.
 *
 * A device that leaves adb takes both streams along, not the server. When it is back in time with
 * the same boot id, the log is read on from its last time stamp and the same process is watched
 * again. */
#ifndef MGC_HOST_SERVER_FOLLOW_H
#define MGC_HOST_SERVER_FOLLOW_H

#include "worker-host/adb/logcat.h"
#include "worker-host/helper/helper.h"
#include "worker-host/tasks/common.h"
#include "worker-host/tasks/server_log.h"
#include "worker-host/tasks/server_proc.h"
#include "worker-host/tasks/server_why.h"

struct mgc_server_follow {
    struct mgc_task *task;       /* borrowed */
    struct mgc_adb_log *log;     /* borrowed; feeds `said` */
    struct mgc_server_log *said; /* borrowed */
    struct mgc_helper *helper;   /* owned; NULL: the shell watches */
    struct mgc_adb_shell shell;  /* of that watch */
    bool watching;
    struct mgc_server_watch watch;
    const char *package; /* borrowed */
    const char *boot_id; /* borrowed; empty: not known */
    int64_t pid;         /* watched */
    int64_t silent_ns;   /* mono ns: a watch silent until then means a lost device */
    bool finished;       /* the coordinator said finish */
    int64_t losses;      /* of the device, that were got over */
    bool lost;           /* it went and was not got over; `how` says more */
    enum mgc_server_lost how;
};

/* Get the helper as the app's user, or settle for the shell. False when the device is lost or the
 * task is to stop. */
bool mgc_server_follow_open(struct mgc_server_follow *follow, struct mgc_error *err);

/* Start watching a process; ready once mgc_server_follow_wait sees watch.started or .gone. */
bool mgc_server_follow_pid(struct mgc_server_follow *follow, int64_t pid, struct mgc_error *err);

enum mgc_server_until {
    MGC_SERVER_UNTIL_LISTEN,  /* a listen line, or the service says that its server has ended */
    MGC_SERVER_UNTIL_STARTED, /* the watch has found the process */
    MGC_SERVER_UNTIL_FINISH,
    MGC_SERVER_UNTIL_BROKEN, /* finish, or the session ended badly */
    MGC_SERVER_UNTIL_REAPED, /* the session that was ready; or no session will be, only refusals */
};

/* Wait for it. MGC_E_TIMEOUT at `deadline_ns`; MGC_E_FAILED when the watched process ended;
 * MGC_E_LOST when the device went for good; why the task must stop when it must. While the device
 * is away the deadline does not run. */
bool mgc_server_follow_wait(struct mgc_server_follow *follow, enum mgc_server_until until,
    int64_t deadline_ns, struct mgc_error *err);

void mgc_server_follow_close(struct mgc_server_follow *follow);

#endif
