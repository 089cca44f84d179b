/* SINK: the far end of a link test (common/device/sink.h). For this folder.
 *
 *   sink.c          the job: listener, clients at the door, when everything ends
 *   sink_client.c   the one client that is in: its messages, its streams
 *   sink_run.c      one test
 */
#ifndef MGD_SINK_H
#define MGD_SINK_H

#include "common/device/sink.h"
#include "sampler/session.h"

enum { MGD_SINK_CONNS = 32 };

enum mgd_sink_role { MGD_SINK_GREETING, MGD_SINK_CONTROL, MGD_SINK_STREAM };

struct mgd_sink_conn {
    int fd; /* -1: free; owned */
    enum mgd_sink_role role;
    uint32_t address, port; /* of the client */
    unsigned char hello[MGC_SINK_HELLO_SIZE];
    size_t got;          /* of it */
    int64_t deadline_ns; /* for it */
    unsigned stream;     /* of a stream: which one, from 1 */
    int64_t bytes;       /* of a stream: received or sent */
    bool in_run;         /* its test goes on */
    bool used;           /* a test has had it */
    bool ended;          /* it has received all, or sent all */
};

struct mgd_sink_run {
    bool on;
    bool over; /* the receiver has what it wanted */
    uint32_t id;
    struct mgc_device_sink_run asked;
    struct mgc_sink_series series; /* of UP */
    int64_t deadline_ns;
};

struct mgd_sink {
    struct mgd_job job; /* first */
    int listener;
    unsigned char token[MGC_DEVICE_TOKEN_SIZE];
    int64_t end_ns; /* of its lifetime */
    struct mgd_sink_conn conns[MGD_SINK_CONNS];
    struct mgd_sink_conn *polled[MGD_SINK_CONNS];
    size_t polled_count;

    struct mgd_sink_conn *client; /* the connection that steers; NULL: nobody is in */
    int64_t session;
    struct mgc_device_stream input; /* from the client */
    struct mgc_buf output;          /* to it */
    int64_t read_ns;                /* when it was read last */
    struct mgd_sink_run run;

    uint32_t sessions, refused, told;
    int64_t received_bytes, sent_bytes;
};

/* --- sink.c */
void mgd_sink_close(struct mgd_sink_conn *conn);
void mgd_sink_tell(
    struct mgd_sink *sink, enum mgc_device_sink_what what, const struct mgd_sink_conn *conn);

/* --- sink_client.c */
/* A client that knows the token: in, unless somebody is; false: turned away. */
bool mgd_sink_enter(
    struct mgd_sink *sink, struct mgd_sink_conn *conn, const struct mgc_device_sink_hello *hello);
/* The client and all that is its. */
void mgd_sink_leave(struct mgd_sink *sink);
void mgd_sink_say(struct mgd_sink *sink, const struct mgc_device_msg *msg);
void mgd_sink_say_failed(struct mgd_sink *sink, uint32_t id, const struct mgc_error *why);
void mgd_sink_client_ready(struct mgd_sink *sink, short revents);
/* Send what waits for the client. */
void mgd_sink_flush(struct mgd_sink *sink);

/* --- sink_run.c */
void mgd_sink_run_begin(struct mgd_sink *sink, const struct mgc_device_msg *msg);
void mgd_sink_run_stop(struct mgd_sink *sink); /* SINK_STOP */
/* It comes to nothing. NULL: nobody is there to be told. */
void mgd_sink_run_fail(struct mgd_sink *sink, const struct mgc_error *why);
int64_t mgd_sink_run_due_ns(const struct mgd_sink *sink);
void mgd_sink_run_tick(struct mgd_sink *sink);
short mgd_sink_stream_events(const struct mgd_sink *sink, const struct mgd_sink_conn *conn);
void mgd_sink_stream_ready(struct mgd_sink *sink, struct mgd_sink_conn *conn, short revents);

#endif
