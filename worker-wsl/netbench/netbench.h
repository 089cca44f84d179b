/* A link test against a sink on the phone (common/device/sink.h): how fast the link is in each
 * direction by the receiver's clock, how long a round trip takes idle and under that load, and
 * whether the connection that carried it was end to end.
 *
 * One call, one session, no reconnect: a connection that breaks is the end of the test. IPv4.
 */
#ifndef WORKER_WSL_NETBENCH_NETBENCH_H
#define WORKER_WSL_NETBENCH_NETBENCH_H

#include "common/base/fields.h"
#include "common/device/sink.h"
#include "common/plat/tcp.h"

struct mgc_netbench_request {
    const char *address; /* dotted quad */
    unsigned port;
    unsigned char token[MGC_DEVICE_TOKEN_SIZE];
    bool up, down;
    unsigned streams;
    int64_t duration_ms, interval_ms;
    int64_t warmup_ms;      /* at the begin of each direction, not in its throughput */
    unsigned probes;        /* round trips while nothing else goes on */
    const char *congestion; /* control to use; empty: each system's own */
    int64_t timeout_ms;     /* for connecting, and for an answer */
    int64_t deadline_ns;    /* for all of it, mono */
    int stop_fd;            /* readable: MGC_E_CANCELLED; -1: none */
    /* Called when all is ready, before the first load; may be NULL. False ends the test. */
    bool (*before_load)(void *ctx, struct mgc_error *err);
    void *ctx;
};

/* Round trips of a small message and its answer. Nothing but n when n is 0. */
struct mgc_netbench_rtt {
    size_t n;
    int64_t min_ns, median_ns, p95_ns; /* nearest rank: each was really measured */
};

struct mgc_netbench_stream {
    int64_t sent_bytes, received_bytes; /* from begin to end, by who sent and who received */
};

/* What came of one direction. */
struct mgc_netbench_way {
    bool measured; /* else nothing below says anything */
    int64_t duration_ns, interval_ns, warmup_ns;
    int64_t *bytes; /* owned; received in each interval */
    size_t count;
    struct mgc_netbench_stream streams[MGC_SINK_STREAMS_MAX];
    size_t stream_count;
    int64_t heard_bytes; /* UP: that the phone's kernel received, hellos too; -1: not known */
    int64_t retransmits; /* of the sender, all streams; -1: not known */
    char congestion[MGC_TCP_CONGESTION_SIZE]; /* of the sender; empty: not known */
    struct mgc_netbench_rtt loaded;
};

enum mgc_netbench_path {
    MGC_NETBENCH_PATH_UNKNOWN = 0,
    MGC_NETBENCH_PATH_END_TO_END,
    MGC_NETBENCH_PATH_MIDDLEBOX, /* something in between has ended the connection */
};

/* The first connection of the session is marked: it names a segment size and a window scale that no
 * system names by itself. What ends TCP in between names its own. */
struct mgc_netbench_marks {
    uint32_t mss;          /* that we named, bytes */
    uint16_t wscale;       /* that we named; valid when has_wscale */
    char own_address[16];  /* of our end, as we have it */
    char seen_address[16]; /* as the phone has it; another one behind a NAT */
    unsigned own_port, seen_port;
    uint32_t seen_mss; /* that the phone will send; 0: not known */
    uint16_t seen_wscale;
    bool seen_timestamps;
};

struct mgc_netbench_result {
    struct mgc_netbench_marks marks;
    struct mgc_netbench_rtt idle;
    struct mgc_netbench_way up, down;
};

bool mgc_netbench_run(const struct mgc_netbench_request *request,
    struct mgc_netbench_result *ret_result, struct mgc_error *err);
void mgc_netbench_result_destroy(struct mgc_netbench_result *result); /* takes NULL and zeroed */

/* --- figures.c: pure -------------------------------------------------------------------------- */

/* Sorts the samples. */
struct mgc_netbench_rtt mgc_netbench_rtt_of(int64_t *samples_ns, size_t count);

struct mgc_netbench_figures {
    int64_t bytes, window_ns;           /* without the warm-up */
    int64_t bps;                        /* bits a second of these */
    int64_t sent_bytes, received_bytes; /* all streams, from begin to end */
    size_t intervals;                   /* whole ones in the window */
    double cv;                          /* standard deviation of their bytes, by their mean */
    bool has_cv;                        /* two intervals at least, and something came */
};
/* The warm-up is rounded up to whole intervals, and never takes all of them. */
struct mgc_netbench_figures mgc_netbench_figures(const struct mgc_netbench_way *way);

enum mgc_netbench_path mgc_netbench_path(const struct mgc_netbench_marks *marks);
const char *mgc_netbench_path_name(enum mgc_netbench_path path); /* "end-to-end" */
/* One sentence about what was seen. */
void mgc_netbench_path_reason(const struct mgc_netbench_marks *marks, char *text, size_t size);

/* --- write.c ---------------------------------------------------------------------------------- */

/* Facts of wsl.netbench (docs/tasks.md); what was not measured is absent. */
bool mgc_netbench_to_fields(const struct mgc_netbench_result *result, struct mgc_fields *fields);
/* The intervals: "way,index,begin_ms,end_ms,bytes,bps". */
bool mgc_netbench_put_csv(const struct mgc_netbench_result *result, struct mgc_buf *text);

#endif
