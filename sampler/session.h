/* One conversation of mgdevice with the host: messages in, jobs, messages out. One thread, one poll
 * loop; nothing blocks but the file system.
 *
 * A job is a request that goes on: it names descriptors to poll and when it is due next, and does
 * bulk work in slices while the output has room, so that an event is never far behind a file.
 */
#ifndef MGD_SESSION_H
#define MGD_SESSION_H

#include <poll.h>

#include "common/device/stream.h"

enum {
    MGD_ROOM = 256 * 1024,             /* bulk stops while so much waits to be sent */
    MGD_OUTPUT_MAX = 16 * 1024 * 1024, /* a host that takes nothing any more: we end */
    MGD_JOB_FDS = 80,
};

struct mgd_session;
struct mgd_job;

/* All but destroy may be NULL. */
struct mgd_job_ops {
    size_t (*fds)(struct mgd_job *job, struct pollfd *fds, size_t room); /* how many it filled */
    void (*ready)(struct mgd_job *job, const struct pollfd *fds, size_t count);
    int64_t (*due_ns)(const struct mgd_job *job); /* mono ns; MGC_NEVER: not */
    void (*tick)(struct mgd_job *job);            /* due */
    void (*work)(struct mgd_job *job);            /* one slice, while there is room */
    void (*data)(struct mgd_job *job, const struct mgc_device_bytes *bytes);     /* PUT_DATA */
    bool (*now)(struct mgd_job *job, const struct mgc_device_sample_now *asked); /* false: not so */
    void (*cancel)(struct mgd_job *job);  /* last words; DONE follows */
    void (*destroy)(struct mgd_job *job); /* frees it */
};

struct mgd_job {
    const struct mgd_job_ops *ops;
    struct mgd_session *session; /* borrowed */
    uint32_t id;
    bool over; /* its last message is on the way */
    struct mgd_job *next;
};

struct mgd_session {
    int in, out; /* borrowed */
    int parent;  /* pidfd of our parent, -1: none; owned */
    struct mgc_device_stream input;
    struct mgc_buf output; /* to be sent */
    size_t sent;           /* of it */
    struct mgd_job *jobs;  /* owned */
    bool welcomed;         /* HELLO came and was answered */
    bool ending;
    int exit_code;
    int64_t read_ns; /* when the input was read last */
};

/* Until the input ends, the output breaks or the parent is gone. Returns the exit code: 0, or 2 for
 * a peer that does not speak the protocol (said on stderr). */
int mgd_session_run(int in, int out);

void mgd_send(struct mgd_session *session, const struct mgc_device_msg *msg);
/* Bytes that wait to be sent. */
size_t mgd_waiting(const struct mgd_session *session);
/* The last message of a request. errnum 0: none; the text then stands alone. */
void mgd_done(struct mgd_session *session, uint32_t id);
void mgd_failed(struct mgd_session *session, uint32_t id, enum mgc_code code, int errnum,
    const char *fmt, ...) MGC_PRINTF(5, 6);

/* Take a job, filled in by its maker up to `next`, into the session. */
void mgd_job_add(struct mgd_session *session, struct mgd_job *job);
void mgd_job_done(struct mgd_job *job);

/* The requests; each sends its answer or adds a job. */
void mgd_start_remove(struct mgd_session *session, const struct mgc_device_msg *msg);
void mgd_start_watch(struct mgd_session *session, const struct mgc_device_msg *msg);
void mgd_start_read(struct mgd_session *session, const struct mgc_device_msg *msg);
void mgd_start_put(struct mgd_session *session, const struct mgc_device_msg *msg);
void mgd_start_sample(struct mgd_session *session, const struct mgc_device_msg *msg);
void mgd_start_sink(struct mgd_session *session, const struct mgc_device_msg *msg);
void mgd_start_procs(struct mgd_session *session, const struct mgc_device_msg *msg);

#endif
