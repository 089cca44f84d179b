/* Connections to a sink, and what goes over the one that steers. For this folder. */
#ifndef WORKER_WSL_NETBENCH_CONN_H
#define WORKER_WSL_NETBENCH_CONN_H

#include "worker-wsl/netbench/netbench.h"

enum { MGC_NETBENCH_SAMPLES_MAX = 8192 };

struct mgc_netbench_session {
    const struct mgc_netbench_request *request; /* borrowed */
    int64_t id;
    int fd;                         /* the connection that steers; -1: none; owned */
    struct mgc_device_stream input; /* from the sink */
    struct mgc_buf output;          /* to it */
    uint32_t last_id;               /* of our messages */
    /* Round trips: one at a time. */
    uint32_t probe_id; /* 0: none is on its way */
    int64_t *samples;  /* owned; MGC_NETBENCH_SAMPLES_MAX */
    size_t sample_count;
    struct mgc_netbench_marks marks;
};

/* Connect, say hello, hear how the phone sees us. False: `session` is closed again. */
bool mgc_netbench_open(struct mgc_netbench_session *session,
    const struct mgc_netbench_request *request, struct mgc_error *err);
void mgc_netbench_close(struct mgc_netbench_session *session); /* takes a zeroed fd of -1 */

/* One more connection of the session, to carry data. Its descriptor, or -1. */
int mgc_netbench_connect(
    struct mgc_netbench_session *session, unsigned stream, struct mgc_error *err);

uint32_t mgc_netbench_say(struct mgc_netbench_session *session, struct mgc_device_msg *msg);
/* Send what waits, as far as it goes now. */
bool mgc_netbench_flush(struct mgc_netbench_session *session, struct mgc_error *err);
bool mgc_netbench_probe(struct mgc_netbench_session *session, struct mgc_error *err);
/* Take what has come, without waiting. Answers to probes are taken here, all else goes to `on`. */
typedef bool mgc_netbench_on(void *ctx, const struct mgc_device_msg *msg, struct mgc_error *err);
bool mgc_netbench_take(
    struct mgc_netbench_session *session, mgc_netbench_on *on, void *ctx, struct mgc_error *err);

/* Put "link test with ADDRESS:PORT: " before the sentence. Returns false. */
bool mgc_netbench_failed(const struct mgc_netbench_request *request, struct mgc_error *err);

#endif
