#include "lab/phone/pump.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "lab/phone/timer.h"

enum { READ_CHUNK = 256 * 1024, LINGER_MS = 10000 };

struct pump {
    struct mgl_stream *stream; /* NULL once it has ended */
    struct mgl_watch watch;
    struct mgc_buf in; /* from the host, not yet written to fd */
    pid_t group;
    bool at_end; /* of what comes out of the descriptor */
    bool shut;   /* the other side has been told that nothing more goes in */
    struct mgl_timer linger;
    struct pump *next; /* of those that linger */
};

static struct pump *lingering; /* there is one loop in this process */

static void pump_free(struct pump *pump)
{
    int fd = pump->watch.fd;
    for (struct pump **at = &lingering; *at; at = &(*at)->next) {
        if (*at == pump) {
            *at = pump->next;
            break;
        }
    }
    mgl_timer_stop(&pump->linger);
    mgl_watch_remove(&pump->watch);
    close(fd);
    mgc_buf_destroy(&pump->in);
    free(pump);
}

static void update_watch(struct pump *pump)
{
    uint32_t events = pump->in.len > 0 ? EPOLLOUT : 0;
    if (mgl_stream_room(pump->stream) > 0)
        events |= EPOLLIN;
    mgl_watch_set(&pump->watch, events);
}

/* A reader that has gone away does not end the stream: what it wrote before still counts. */
static void put_in(struct pump *pump)
{
    while (pump->in.len > 0) {
        ssize_t put = write(pump->watch.fd, pump->in.data, pump->in.len);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0 && errno == EAGAIN)
            return;
        mgc_buf_consume(&pump->in, put < 0 ? pump->in.len : (size_t)put);
    }
}

static void write_in(struct pump *pump)
{
    put_in(pump);
    if (pump->in.len == 0)
        mgl_stream_consumed(pump->stream);
}

/* ---- after the stream: adb sends CLSE right behind the last WRTE, and waits for no OKAY ---- */

static void linger_over(struct mgl_timer *timer)
{
    struct pump *pump = timer->arg;
    if (pump->group > 0)
        kill(-pump->group, SIGHUP);
    pump_free(pump);
}

/* As adbd does it: all that came goes in, then the other side hears the end and may end, too. */
static void linger_on(struct pump *pump)
{
    put_in(pump);
    if (pump->in.len == 0 && !pump->shut) {
        pump->shut = true;
        if (shutdown(pump->watch.fd, SHUT_WR) != 0)
            pump->at_end = true; /* a terminal: closing it is its end */
    }
    if (pump->shut && pump->at_end) {
        pump_free(pump);
        return;
    }
    mgl_watch_set(&pump->watch, (pump->at_end ? 0 : EPOLLIN) | (pump->in.len > 0 ? EPOLLOUT : 0));
    if (!mgl_timer_start(pump->watch.loop, &pump->linger, LINGER_MS * MGC_NS_PER_MS))
        linger_over(&pump->linger);
}

static void linger(struct pump *pump)
{
    pump->stream = NULL;
    pump->linger.fired = linger_over;
    pump->linger.arg = pump;
    pump->next = lingering;
    lingering = pump;
    linger_on(pump);
}

/* What still comes out is for nobody. */
static void linger_ready(struct pump *pump, uint32_t events)
{
    static char chunk[READ_CHUNK];
    if (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) {
        ssize_t got = read(pump->watch.fd, chunk, sizeof(chunk));
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            pump->at_end = true;
    }
    linger_on(pump);
}

void mgl_pumps_end(void)
{
    while (lingering)
        linger_over(&lingering->linger);
}

/* False at the end of the descriptor (a terminal says EIO). */
static bool read_out(struct pump *pump)
{
    static char chunk[READ_CHUNK];
    size_t room = mgl_stream_room(pump->stream);
    if (room == 0)
        return true;
    ssize_t got = read(pump->watch.fd, chunk, room < sizeof(chunk) ? room : sizeof(chunk));
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (got <= 0)
        return false;
    mgl_stream_send(pump->stream, chunk, (size_t)got);
    return true;
}

static void pump_ready(struct mgl_watch *watch, uint32_t events)
{
    struct pump *pump = watch->arg;
    if (!pump->stream) {
        linger_ready(pump, events);
        return;
    }
    if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) && !read_out(pump)) {
        pump->at_end = true;
        mgl_stream_finish(pump->stream);
        linger(pump);
        return;
    }
    if ((events & EPOLLOUT) && pump->in.len > 0)
        write_in(pump);
    update_watch(pump);
}

static void pump_data(struct mgl_stream *stream, const uint8_t *data, size_t len)
{
    struct pump *pump = stream->service;
    mgc_buf_append(&pump->in, data, len);
    write_in(pump);
    update_watch(pump);
}

static void pump_room(struct mgl_stream *stream)
{
    update_watch(stream->service);
}

static void pump_closed(struct mgl_stream *stream)
{
    linger(stream->service);
}

static const struct mgl_stream_ops pump_ops = {pump_data, pump_room, pump_closed};

bool mgl_pump_start(struct mgl_loop *loop, struct mgl_stream *stream, int fd, pid_t group)
{
    struct pump *pump = calloc(1, sizeof(*pump));
    if (!pump) {
        close(fd);
        mgl_stream_refuse(stream);
        return false;
    }
    pump->stream = stream;
    pump->group = group;
    pump->watch.ready = pump_ready;
    pump->watch.arg = pump;
    mgl_stream_accept(stream, &pump_ops, pump);
    mgl_watch_add(loop, &pump->watch, fd, EPOLLIN);
    return true;
}
