/* SINK, one test. UP: count what comes until the time is over, tell the client, take the rest until
 * its streams end. DOWN: send until the client says that it has enough. */
#include "sampler/sink.h"

#include <errno.h>
#include <sys/socket.h>

#include "common/base/clock.h"
#include "common/plat/tcp.h"

enum { SLICE = 256 * 1024 };

static bool of_run(const struct mgd_sink_conn *conn)
{
    return conn->fd >= 0 && conn->role == MGD_SINK_STREAM && conn->in_run;
}

static bool sending(const struct mgd_sink *sink)
{
    return sink->run.asked.way == MGC_DEVICE_SINK_DOWN;
}

/* --- end -------------------------------------------------------------------------------------- */

static void close_run(struct mgd_sink *sink)
{
    for (size_t i = 0; i < MGD_SINK_CONNS; i++)
        sink->conns[i].in_run = false;
    mgc_sink_series_destroy(&sink->run.series);
    sink->run = (struct mgd_sink_run){0};
}

void mgd_sink_run_fail(struct mgd_sink *sink, const struct mgc_error *why)
{
    if (sink->run.on && why)
        mgd_sink_say_failed(sink, sink->run.id, why);
    close_run(sink);
}

static void say_stream(struct mgd_sink *sink, const struct mgd_sink_conn *conn)
{
    struct mgc_tcp_facts facts;
    mgc_tcp_facts(conn->fd, &facts);
    mgd_sink_say(sink, &(struct mgc_device_msg){.type = MGC_DEVICE_SINK_STREAM,
                           .id = sink->run.id,
                           .sink_stream = {(uint16_t)conn->stream, conn->bytes,
                               facts.received_bytes, facts.retransmits, facts.congestion}});
}

static void finish(struct mgd_sink *sink)
{
    const struct mgc_sink_series *series = &sink->run.series;
    struct mgc_device_msg msg = {.type = MGC_DEVICE_SINK_RESULT, .id = sink->run.id};
    for (size_t i = 0; i < MGD_SINK_CONNS; i++)
        if (of_run(&sink->conns[i]))
            say_stream(sink, &sink->conns[i]);
    for (size_t i = 0; i < series->count; i++)
        mgd_sink_say(sink, &(struct mgc_device_msg){.type = MGC_DEVICE_SINK_INTERVAL,
                               .id = sink->run.id,
                               .sink_interval = {(uint32_t)i, series->bytes[i]}});
    if (!sending(sink))
        msg.sink_result = (struct mgc_device_sink_result){(uint32_t)series->count, series->first_ns,
            series->duration_ns, mgc_sink_series_total(series)};
    mgd_sink_say(sink, &msg);
    mgd_sink_say(sink, &(struct mgc_device_msg){.type = MGC_DEVICE_DONE, .id = sink->run.id});
    close_run(sink);
}

static void finish_when_all_ended(struct mgd_sink *sink)
{
    struct mgc_error why;
    for (size_t i = 0; i < MGD_SINK_CONNS; i++)
        if (of_run(&sink->conns[i]) && !sink->conns[i].ended)
            return;
    if (sink->run.over) {
        finish(sink);
        return;
    }
    mgc_error_set(&why, MGC_E_LOST, "the client's streams ended before the time was over");
    mgd_sink_run_fail(sink, &why);
}

void mgd_sink_run_stop(struct mgd_sink *sink)
{
    if (!sink->run.on || !sending(sink) || sink->run.over)
        return; /* of a test that has failed meanwhile */
    sink->run.over = true;
    for (size_t i = 0; i < MGD_SINK_CONNS; i++) {
        if (!of_run(&sink->conns[i]))
            continue;
        shutdown(sink->conns[i].fd, SHUT_WR);
        sink->conns[i].ended = true;
    }
    finish(sink);
}

/* --- time ------------------------------------------------------------------------------------- */

int64_t mgd_sink_run_due_ns(const struct mgd_sink *sink)
{
    const struct mgd_sink_run *run = &sink->run;
    if (!run->on)
        return MGC_NEVER;
    int64_t window_ns = run->over ? MGC_NEVER : mgc_sink_series_end_ns(&run->series);
    return mgc_deadline_min(run->deadline_ns, window_ns);
}

void mgd_sink_run_tick(struct mgd_sink *sink)
{
    struct mgd_sink_run *run = &sink->run;
    struct mgc_error why;
    if (run->on && !run->over && mgc_deadline_past(mgc_sink_series_end_ns(&run->series))) {
        run->over = true;
        mgd_sink_say(sink, &(struct mgc_device_msg){.type = MGC_DEVICE_SINK_OVER, .id = run->id});
    }
    if (run->on && mgc_deadline_past(run->deadline_ns)) {
        mgc_error_set(&why, MGC_E_TIMEOUT, "a test of %u ms was not over %d ms after its time",
            run->asked.duration_ms, MGC_SINK_GRACE_MS);
        mgd_sink_run_fail(sink, &why);
    }
}

/* --- data ------------------------------------------------------------------------------------- */

short mgd_sink_stream_events(const struct mgd_sink *sink, const struct mgd_sink_conn *conn)
{
    if (!conn->in_run)
        return POLLIN; /* its end */
    if (sending(sink))
        return conn->ended ? POLLIN : POLLIN | POLLOUT;
    return conn->ended ? 0 : POLLIN;
}

static void broke(struct mgd_sink *sink, struct mgd_sink_conn *conn, int errnum)
{
    struct mgc_error why;
    if (of_run(conn)) {
        if (errnum)
            mgc_error_errno(&why, errnum, "stream %u broke", conn->stream);
        else
            mgc_error_set(&why, MGC_E_LOST, "the client ended stream %u", conn->stream);
        why.code = MGC_E_LOST;
        mgd_sink_run_fail(sink, &why);
    }
    mgd_sink_close(conn);
}

static void receive(struct mgd_sink *sink, struct mgd_sink_conn *conn)
{
    static char data[SLICE];
    ssize_t len = recv(conn->fd, data, sizeof(data), MSG_DONTWAIT);
    if (len < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (len < 0 || (len == 0 && (!of_run(conn) || sending(sink)))) {
        broke(sink, conn, len < 0 ? errno : 0);
        return;
    }
    if (!of_run(conn))
        return; /* of a test that has failed: taken, so that its end is seen */
    if (len == 0) {
        conn->ended = true;
        finish_when_all_ended(sink);
        return;
    }
    conn->bytes += len;
    sink->received_bytes += len;
    if (!sink->run.over)
        mgc_sink_series_add(&sink->run.series, mgc_mono_ns(), len);
}

static void transmit(struct mgd_sink *sink, struct mgd_sink_conn *conn)
{
    static unsigned char data[SLICE];
    static bool filled;
    if (!filled)
        mgc_sink_fill(data, sizeof(data));
    filled = true;
    ssize_t len = send(conn->fd, data, sizeof(data), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (len < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (len < 0) {
        broke(sink, conn, errno);
        return;
    }
    conn->bytes += len;
    sink->sent_bytes += len;
}

void mgd_sink_stream_ready(struct mgd_sink *sink, struct mgd_sink_conn *conn, short revents)
{
    int fd = conn->fd;
    if (revents & ~POLLOUT)
        receive(sink, conn);
    if (revents & POLLOUT && conn->fd == fd && of_run(conn) && sending(sink) && !conn->ended)
        transmit(sink, conn);
}

/* --- begin ------------------------------------------------------------------------------------ */

static bool take_streams(
    struct mgd_sink *sink, const struct mgc_device_sink_run *asked, struct mgc_error *err)
{
    unsigned found = 0;
    for (size_t i = 0; i < MGD_SINK_CONNS; i++) {
        struct mgd_sink_conn *conn = &sink->conns[i];
        if (conn->fd < 0 || conn->role != MGD_SINK_STREAM || conn->used)
            continue;
        if (asked->congestion[0] && asked->way == MGC_DEVICE_SINK_DOWN &&
            !mgc_tcp_set_congestion(conn->fd, asked->congestion, err))
            return false;
        conn->in_run = conn->used = true;
        found++;
    }
    return found == asked->streams ||
           mgc_error_set(err, MGC_E_PROTOCOL, "a test with %u streams, and %u are connected",
               asked->streams, found);
}

void mgd_sink_run_begin(struct mgd_sink *sink, const struct mgc_device_msg *msg)
{
    const struct mgc_device_sink_run *asked = &msg->sink_run;
    struct mgd_sink_run *run = &sink->run;
    struct mgc_error why;
    if (run->on) {
        mgc_error_set(&why, MGC_E_BUSY, "a test goes on already");
        mgd_sink_say_failed(sink, msg->id, &why);
        return;
    }
    *run = (struct mgd_sink_run){.on = true,
        .id = msg->id,
        .asked = *asked,
        .deadline_ns = mgc_deadline_in_ms(asked->duration_ms + MGC_SINK_GRACE_MS)};
    run->asked.congestion = NULL; /* it belongs to the message */
    bool ok = mgc_sink_run_check(asked, &why) && take_streams(sink, asked, &why);
    if (ok && asked->way == MGC_DEVICE_SINK_UP && !mgc_sink_series_make(&run->series, asked))
        ok = mgc_error_set(&why, MGC_E_NO_MEMORY, "no memory for a test");
    if (!ok) {
        mgd_sink_run_fail(sink, &why);
        return;
    }
    mgd_sink_say(sink, &(struct mgc_device_msg){.type = MGC_DEVICE_BEGUN, .id = msg->id});
}
