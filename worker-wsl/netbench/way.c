/* One direction of a link test: one poll loop over the connection that steers and the streams. */
#include "worker-wsl/netbench/way.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"

enum { PROBE_MS = 100, SLICE = 256 * 1024, STOP = 0, CONTROL, FIRST };

struct way {
    struct mgc_netbench_session *session; /* borrowed */
    struct mgc_netbench_way *result;      /* borrowed */
    struct mgc_device_sink_run asked;
    uint32_t run_id;
    int fds[MGC_SINK_STREAMS_MAX]; /* owned; -1: none */
    bool ended[MGC_SINK_STREAMS_MAX];
    struct mgc_sink_series series; /* of DOWN */
    unsigned char *data;           /* owned; SLICE bytes */
    bool begun, over, done;
    int64_t probe_ns, deadline_ns;
};

static bool receiving(const struct way *way)
{
    return way->asked.way == MGC_DEVICE_SINK_DOWN;
}

/* --- what the sink says ----------------------------------------------------------------------- */

static void stop_sending(struct way *way)
{
    way->over = true;
    for (size_t i = 0; i < way->asked.streams; i++) {
        shutdown(way->fds[i], SHUT_WR);
        way->ended[i] = true;
    }
}

static bool take_stream(
    struct way *way, const struct mgc_device_sink_stream *said, struct mgc_error *err)
{
    if (said->stream < 1 || said->stream > way->asked.streams)
        return mgc_error_set(
            err, MGC_E_PROTOCOL, "a count of stream %u, which there is not", said->stream);
    struct mgc_netbench_stream *stream = &way->result->streams[said->stream - 1];
    struct mgc_netbench_way *result = way->result;
    if (!receiving(way)) {
        stream->received_bytes = said->bytes;
        result->heard_bytes = said->heard_bytes < 0 || result->heard_bytes < 0
                                  ? -1
                                  : result->heard_bytes + said->heard_bytes;
        return true;
    }
    stream->sent_bytes = said->bytes;
    result->retransmits = said->retransmits < 0 || result->retransmits < 0
                              ? -1
                              : result->retransmits + said->retransmits;
    snprintf(result->congestion, sizeof(result->congestion), "%s", said->congestion);
    return true;
}

static bool take_interval(
    struct way *way, const struct mgc_device_sink_interval *said, struct mgc_error *err)
{
    if (receiving(way) || said->index >= way->result->count)
        return mgc_error_set(err, MGC_E_PROTOCOL, "interval %u, which there is not", said->index);
    way->result->bytes[said->index] = said->bytes;
    return true;
}

static bool take_result(
    struct way *way, const struct mgc_device_sink_result *said, struct mgc_error *err)
{
    if (!receiving(way) &&
        (said->intervals != way->result->count || said->window_ns != way->result->duration_ns))
        return mgc_error_set(err, MGC_E_PROTOCOL, "the sink measured %u intervals, expected %zu",
            said->intervals, way->result->count);
    return true;
}

static bool take(void *ctx, const struct mgc_device_msg *msg, struct mgc_error *err)
{
    struct way *way = ctx;
    if (msg->id != way->run_id)
        return true; /* a probe of the direction before */
    switch (msg->type) {
    case MGC_DEVICE_BEGUN:
        way->begun = true;
        return true;
    case MGC_DEVICE_SINK_OVER:
        if (!receiving(way))
            stop_sending(way);
        return true;
    case MGC_DEVICE_SINK_STREAM:
        return take_stream(way, &msg->sink_stream, err);
    case MGC_DEVICE_SINK_INTERVAL:
        return take_interval(way, &msg->sink_interval, err);
    case MGC_DEVICE_SINK_RESULT:
        return take_result(way, &msg->sink_result, err);
    case MGC_DEVICE_DONE:
        way->done = true;
        return true;
    case MGC_DEVICE_FAILED:
        return mgc_error_set(err,
            msg->failed.code < MGC_CODE_COUNT ? (enum mgc_code)msg->failed.code : MGC_E_FAILED,
            "the sink: %s", msg->failed.text);
    default:
        return mgc_error_set(
            err, MGC_E_PROTOCOL, "the sink said %s", mgc_device_type_name(msg->type));
    }
}

/* --- data ------------------------------------------------------------------------------------- */

static bool broke(size_t i, int errnum, struct mgc_error *err)
{
    mgc_error_errno(err, errnum, "stream %zu broke", i + 1);
    err->code = MGC_E_LOST;
    return false;
}

static bool transmit(struct way *way, size_t i, struct mgc_error *err)
{
    ssize_t len = send(way->fds[i], way->data, SLICE, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (len < 0 && errno != EAGAIN && errno != EINTR)
        return broke(i, errno, err);
    if (len > 0)
        way->result->streams[i].sent_bytes += len;
    return true;
}

static bool receive(struct way *way, size_t i, struct mgc_error *err)
{
    ssize_t len = recv(way->fds[i], way->data, SLICE, MSG_DONTWAIT);
    if (len < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (len < 0 || (len == 0 && !way->over) || (len > 0 && !receiving(way)))
        return broke(i, len < 0 ? errno : ECONNRESET, err);
    if (len == 0) {
        way->ended[i] = true;
        return true;
    }
    way->result->streams[i].received_bytes += len;
    if (!way->over)
        mgc_sink_series_add(&way->series, mgc_mono_ns(), len);
    return true;
}

/* --- loop ------------------------------------------------------------------------------------- */

static short events_of(const struct way *way, size_t i)
{
    if (way->ended[i])
        return 0;
    if (receiving(way))
        return POLLIN;
    return way->begun && !way->over ? POLLIN | POLLOUT : POLLIN;
}

static bool finished(const struct way *way)
{
    for (size_t i = 0; i < way->asked.streams; i++)
        if (!way->ended[i])
            return false;
    return way->done;
}

static bool loaded(const struct way *way)
{
    return way->begun && !way->over;
}

/* What the clock asks for, and when it asks next. */
static bool on_time(struct way *way, int64_t *ret_due_ns, struct mgc_error *err)
{
    struct mgc_netbench_session *session = way->session;
    int64_t window_ns = mgc_sink_series_end_ns(&way->series);
    if (receiving(way) && !way->over && mgc_deadline_past(window_ns)) {
        way->over = true;
        mgc_netbench_say(session, &(struct mgc_device_msg){.type = MGC_DEVICE_SINK_STOP});
        if (!mgc_netbench_flush(session, err))
            return false;
    }
    bool probe = loaded(way) && !session->probe_id;
    if (probe && mgc_deadline_past(way->probe_ns)) {
        way->probe_ns = mgc_deadline_in_ms(PROBE_MS);
        if (!mgc_netbench_probe(session, err))
            return false;
    }
    if (mgc_deadline_past(way->deadline_ns))
        return mgc_error_set(err, MGC_E_TIMEOUT, "%s was not over %d ms after its %u ms",
            mgc_sink_way_name(way->asked.way), MGC_SINK_GRACE_MS, way->asked.duration_ms);
    *ret_due_ns = mgc_deadline_min(way->deadline_ns, way->over ? MGC_NEVER : window_ns);
    if (loaded(way) && !session->probe_id)
        *ret_due_ns = mgc_deadline_min(*ret_due_ns, way->probe_ns);
    return true;
}

static bool serve(struct way *way, const struct pollfd *fds, struct mgc_error *err)
{
    bool ok = true;
    if (fds[STOP].revents)
        return mgc_error_set(err, MGC_E_CANCELLED, "asked to stop");
    if (fds[CONTROL].revents)
        ok = mgc_netbench_flush(way->session, err) &&
             mgc_netbench_take(way->session, take, way, err);
    for (size_t i = 0; ok && i < way->asked.streams; i++) {
        short revents = fds[FIRST + i].revents;
        if (way->ended[i])
            continue; /* by what the sink has just said */
        if (revents & ~POLLOUT)
            ok = receive(way, i, err);
        if (ok && revents & POLLOUT && loaded(way) && !receiving(way))
            ok = transmit(way, i, err);
    }
    return ok;
}

static bool turn(struct way *way, struct mgc_error *err)
{
    struct pollfd fds[FIRST + MGC_SINK_STREAMS_MAX];
    int64_t due_ns = way->deadline_ns;
    if (!on_time(way, &due_ns, err))
        return false;
    fds[STOP] = (struct pollfd){way->session->request->stop_fd, POLLIN, 0};
    fds[CONTROL] =
        (struct pollfd){way->session->fd, way->session->output.len ? POLLIN | POLLOUT : POLLIN, 0};
    for (size_t i = 0; i < way->asked.streams; i++)
        fds[FIRST + i] = (struct pollfd){way->ended[i] ? -1 : way->fds[i], events_of(way, i), 0};
    int ready = poll(fds, FIRST + way->asked.streams, mgc_deadline_poll_ms(due_ns));
    if (ready < 0 && errno != EINTR)
        return mgc_error_errno(err, errno, "poll");
    return ready <= 0 || serve(way, fds, err);
}

/* --- begin and end ---------------------------------------------------------------------------- */

static bool prepare(struct way *way, struct mgc_error *err)
{
    struct mgc_netbench_way *result = way->result;
    const struct mgc_netbench_request *request = way->session->request;
    struct mgc_sink_series series;
    if (!mgc_sink_run_check(&way->asked, err))
        return false;
    way->data = malloc(SLICE);
    if (!way->data || !mgc_sink_series_make(&series, &way->asked))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a test");
    mgc_sink_fill(way->data, SLICE);
    *result = (struct mgc_netbench_way){.duration_ns = series.duration_ns,
        .interval_ns = series.interval_ns,
        .warmup_ns = request->warmup_ms * MGC_NS_PER_MS,
        .count = series.count,
        .stream_count = way->asked.streams};
    result->bytes = calloc(series.count, sizeof(*result->bytes));
    if (receiving(way))
        way->series = series;
    else
        mgc_sink_series_destroy(&series);
    return result->bytes || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a test");
}

static bool connect_all(struct way *way, struct mgc_error *err)
{
    const char *congestion = way->asked.congestion;
    for (unsigned i = 0; i < way->asked.streams; i++) {
        way->fds[i] = mgc_netbench_connect(way->session, i + 1, err);
        if (way->fds[i] < 0)
            return false;
        if (receiving(way))
            continue;
        mgc_tcp_limit_unsent(way->fds[i], MGC_SINK_UNSENT);
        if (congestion[0] && !mgc_tcp_set_congestion(way->fds[i], congestion, err))
            return false;
    }
    return true;
}

static void note_sender(struct way *way)
{
    struct mgc_netbench_way *result = way->result;
    struct mgc_tcp_facts facts;
    for (size_t i = 0; !receiving(way) && i < way->asked.streams; i++) {
        mgc_tcp_facts(way->fds[i], &facts);
        result->retransmits = facts.retransmits < 0 || result->retransmits < 0
                                  ? -1
                                  : result->retransmits + facts.retransmits;
        snprintf(result->congestion, sizeof(result->congestion), "%s", facts.congestion);
    }
    for (size_t i = 0; receiving(way) && i < result->count; i++)
        result->bytes[i] = way->series.bytes[i];
}

static void close_all(struct way *way)
{
    for (size_t i = 0; i < MGC_SINK_STREAMS_MAX; i++)
        if (way->fds[i] >= 0)
            close(way->fds[i]);
    mgc_sink_series_destroy(&way->series);
    free(way->data);
}

bool mgc_netbench_way_run(struct mgc_netbench_session *session, enum mgc_device_sink_way direction,
    struct mgc_netbench_way *ret_way, struct mgc_error *err)
{
    const struct mgc_netbench_request *request = session->request;
    struct way way = {.session = session,
        .result = ret_way,
        .asked = {.way = (uint16_t)direction,
            .streams = (uint16_t)request->streams,
            .duration_ms = (uint32_t)request->duration_ms,
            .interval_ms = (uint32_t)request->interval_ms,
            .congestion = request->congestion}};
    memset(way.fds, -1, sizeof(way.fds));
    session->sample_count = 0;
    bool ok = prepare(&way, err) && connect_all(&way, err);
    way.deadline_ns = mgc_deadline_min(
        request->deadline_ns, mgc_deadline_in_ms(request->duration_ms + MGC_SINK_GRACE_MS));
    if (ok) {
        way.run_id = mgc_netbench_say(
            session, &(struct mgc_device_msg){.type = MGC_DEVICE_SINK_RUN, .sink_run = way.asked});
        ok = mgc_netbench_flush(session, err);
    }
    while (ok && !finished(&way))
        ok = turn(&way, err);
    if (ok) {
        note_sender(&way);
        ret_way->loaded = mgc_netbench_rtt_of(session->samples, session->sample_count);
        ret_way->measured = true;
    }
    session->probe_id = 0;
    close_all(&way);
    return ok || mgc_error_prefix(err, "%s", mgc_sink_way_name(direction));
}
