/* The two streams of a replay, and how a lost phone is survived: the device helper as the app's
 * user (its watches), and the shell that launches, reads the process's log and can end it. The app
 * goes on without adb; so after a loss both are opened again and the watches armed again. One
 * thread: the task's. */
#ifndef MGC_HOST_REPLAY_STREAMS_H
#define MGC_HOST_REPLAY_STREAMS_H

#include "worker-host/tasks/helper_open.h"
#include "worker-host/tasks/replay_launch.h"
#include "worker-host/tasks/replay_seen.h"

struct mgc_replay_streams {
    struct mgc_task *task;                  /* borrowed */
    const struct mgc_replay_launch *launch; /* borrowed */
    struct mgc_replay_seen *seen;           /* borrowed */
    const struct mgc_knobs *held;           /* borrowed: what the check reads; NULL: no knobs */
    struct mgc_helper *helper;              /* owned */
    char boot_id[MGC_HOST_BOOT_ID_SIZE];
    struct mgc_adb_shell shell; /* open after the launch */
    bool launched, shell_over;
    bool check_asked; /* on the shell that is open */
    uint32_t files_watch, procs_watch;
    bool follows_pid;    /* procs_watch is of the one process, and its log is read */
    int64_t deadline_ns; /* mono; of the whole run, MGC_NEVER before the launch */
    int64_t losses;
};

/* Open the helper, remove what the run will write, arm the watches. MGC_E_BUSY when the app's
 * process is there already: its state is of an earlier replay. */
bool mgc_replay_streams_open(struct mgc_replay_streams *streams, struct mgc_error *err);
/* Start the app; am's answer comes through `seen`. */
bool mgc_replay_streams_launch(struct mgc_replay_streams *streams, struct mgc_error *err);
/* Wait for one thing on either stream until `deadline_ns` (MGC_E_TIMEOUT) and take it. A lost phone
 * that comes back is one such thing. */
bool mgc_replay_streams_step(
    struct mgc_replay_streams *streams, int64_t deadline_ns, struct mgc_error *err);
/* Is there a result.json that is a whole document? */
bool mgc_replay_streams_result(
    struct mgc_replay_streams *streams, bool *ret_whole, struct mgc_error *err);
/* Ask for the end of the process, where that can be asked. */
void mgc_replay_streams_kill(struct mgc_replay_streams *streams);
/* Ask once per shell whether app and knobs are still what they were (replay_check.h); the answer
 * comes through `seen`, while other things go on. */
bool mgc_replay_streams_ask_check(struct mgc_replay_streams *streams, struct mgc_error *err);
/* Fetch the listed files into the task's directory. ret_missing, ret_changed: names with commas. */
bool mgc_replay_streams_fetch(struct mgc_replay_streams *streams,
    const struct mgc_host_files *files, struct mgc_buf *ret_missing, struct mgc_buf *ret_changed,
    struct mgc_error *err);
void mgc_replay_streams_close(struct mgc_replay_streams *streams);

#endif
