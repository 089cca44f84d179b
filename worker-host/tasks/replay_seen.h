/* What the streams of one replay have said so far: the launch's answer, the app's process, its
 * result file, a fatal line. Pure; one thread.
 *
 * The process counts from when the watch saw it start to when the watch saw it end; result.json
 * counts when a writer closed it. Both moments are of the phone's monotonic clock. What happened
 * while the phone was out of reach is known, but not when.
 */
#ifndef MGC_HOST_REPLAY_SEEN_H
#define MGC_HOST_REPLAY_SEEN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/device/message.h"
#include "worker-host/tasks/files.h"

enum { MGC_REPLAY_LINE_MAX = 400, MGC_REPLAY_SAID_MAX = 4096, MGC_REPLAY_CHECK_MAX = 65536 };

struct mgc_replay_seen {
    const char *package; /* borrowed */
    bool has_pid, ended;
    int64_t pid, start_ticks;
    int64_t start_ns, end_ns; /* phone's mono; 0: not seen as it happened */
    bool alive_again;         /* since the watch was armed again, the process was found */
    /* result.json */
    unsigned closes;                       /* how often it was closed or found, so far */
    int64_t closed_ns;                     /* of the latest close; 0: only found */
    int64_t closed_inode, closed_mtime_ns; /* of that close; -1: not known */
    /* other files of the output directory */
    const struct mgc_host_files *files;   /* borrowed */
    bool file_open[MGC_HOST_FILES_MAX];   /* created, and not closed since */
    bool file_closed[MGC_HOST_FILES_MAX]; /* at least once */
    bool forks_server;                    /* the run has a server of its own, with counters */
    /* the launching stream */
    struct mgc_buf said;          /* owned: what am said, both streams, without our own marks */
    struct mgc_buf out, err_line; /* owned: a line still without its end */
    bool am_done;
    bool am_lost; /* the stream broke before its answer came, which will not come any more */
    int am_code;
    int64_t launched_s; /* phone's wall clock just before the launch; 0: not known */
    bool said_done;     /* the activity has logged how the replay ended: it writes nothing more */
    char fatal_line[MGC_REPLAY_LINE_MAX + 1]; /* empty: none */
    int died_signal;                          /* from the crash's own line; 0: not known */
    struct mgc_buf check;                     /* owned: the report of replay_check.h */
    bool check_begun, check_done;             /* its first and last line have come */
};

/* `env`: the client's (NULL: none); all texts are borrowed. */
void mgc_replay_seen_init(struct mgc_replay_seen *seen, const char *package, const char *env,
    const struct mgc_host_files *files);
void mgc_replay_seen_destroy(struct mgc_replay_seen *seen); /* takes NULL and zeroed */

/* PROC and FILE messages of the watches. */
void mgc_replay_seen_event(struct mgc_replay_seen *seen, const struct mgc_device_msg *msg);
/* Bytes of the launching stream. Standard output is the process's log. */
void mgc_replay_seen_out(struct mgc_replay_seen *seen, const char *data, size_t len);
void mgc_replay_seen_err(struct mgc_replay_seen *seen, const char *data, size_t len);

/* That stream broke: the rest of a line will not come, nor will am's answer. */
void mgc_replay_seen_broken(struct mgc_replay_seen *seen);

/* Is nothing that the task is to bring still being written when the result is there? That is JSON
 * files that are open, and the counters of a forked server, which writes them once its client has
 * closed (contract section 7). Logs stay open as long as their process lives. */
bool mgc_replay_seen_settled(const struct mgc_replay_seen *seen);

/* Name of item `i` when it lies in the output directory itself, else NULL. */
const char *mgc_replay_output_name(const struct mgc_host_files *files, size_t i);

#endif
