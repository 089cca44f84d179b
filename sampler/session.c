#include "sampler/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "sampler/hello.h"
#include "sampler/proc.h"

enum { READ_SIZE = 128 * 1024, IN = 0, OUT, PARENT, OWN_FDS, JOBS_MAX = 64, FDS_MAX = 512 };

/* --- out -------------------------------------------------------------------------------------- */

size_t mgd_waiting(const struct mgd_session *session)
{
    return session->output.len - session->sent;
}

static void end(struct mgd_session *session, int exit_code, const char *why)
{
    if (!session->ending && why)
        fprintf(stderr, "mgdevice: %s\n", why);
    session->ending = true;
    session->exit_code = exit_code;
}

void mgd_send(struct mgd_session *session, const struct mgc_device_msg *msg)
{
    if (session->sent == session->output.len) {
        mgc_buf_clear(&session->output);
        session->sent = 0;
    }
    if (!mgc_device_put_message(&session->output, msg))
        end(session, 3, "no memory for a message, or it is too long");
    else if (mgd_waiting(session) > MGD_OUTPUT_MAX)
        end(session, 3, "the host takes nothing any more");
}

void mgd_done(struct mgd_session *session, uint32_t id)
{
    mgd_send(session, &(struct mgc_device_msg){.type = MGC_DEVICE_DONE, .id = id});
}

void mgd_failed(
    struct mgd_session *session, uint32_t id, enum mgc_code code, int errnum, const char *fmt, ...)
{
    char text[600];
    va_list args;
    va_start(args, fmt);
    int len = vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    if (errnum && len >= 0 && (size_t)len < sizeof(text))
        snprintf(text + len, sizeof(text) - (size_t)len, ": %s", strerror(errnum));
    mgd_send(session, &(struct mgc_device_msg){.type = MGC_DEVICE_FAILED,
                          .id = id,
                          .failed = {(uint16_t)code, (uint32_t)errnum, text}});
}

static void write_out(struct mgd_session *session)
{
    while (mgd_waiting(session) > 0) {
        ssize_t len =
            write(session->out, session->output.data + session->sent, mgd_waiting(session));
        if (len < 0 && errno == EINTR)
            continue;
        if (len < 0 && errno == EAGAIN)
            break;
        if (len <= 0) {
            end(session, 0, NULL); /* nobody listens any more: that is our end, not an error */
            return;
        }
        session->sent += (size_t)len;
    }
    /* What was sent goes away in large steps only, so that moving the rest stays cheap. */
    if (session->sent >= MGD_ROOM || mgd_waiting(session) == 0) {
        mgc_buf_consume(&session->output, session->sent);
        session->sent = 0;
    }
}

/* --- jobs ------------------------------------------------------------------------------------- */

void mgd_job_add(struct mgd_session *session, struct mgd_job *job)
{
    struct mgd_job **last = &session->jobs;
    while (*last)
        last = &(*last)->next;
    job->session = session;
    job->next = NULL;
    *last = job;
}

void mgd_job_done(struct mgd_job *job)
{
    if (!job->over)
        mgd_done(job->session, job->id);
    job->over = true;
}

static void drop_ended(struct mgd_session *session, bool all)
{
    for (struct mgd_job **at = &session->jobs; *at;) {
        struct mgd_job *job = *at;
        if (!job->over && !all) {
            at = &job->next;
            continue;
        }
        *at = job->next;
        job->ops->destroy(job);
    }
}

static struct mgd_job *find_job(struct mgd_session *session, uint32_t id, size_t *ret_count)
{
    struct mgd_job *found = NULL;
    *ret_count = 0;
    for (struct mgd_job *job = session->jobs; job; job = job->next) {
        ++*ret_count;
        if (job->id == id && !job->over)
            found = job;
    }
    return found;
}

/* --- in --------------------------------------------------------------------------------------- */

static void on_clock(struct mgd_session *session, const struct mgc_device_msg *msg)
{
    mgd_send(session, &(struct mgc_device_msg){.type = MGC_DEVICE_CLOCK_REPLY,
                          .id = msg->id,
                          .clock_reply = {msg->clock.t1_ns, session->read_ns, mgc_mono_ns()}});
}

static void on_cancel(struct mgd_session *session, const struct mgc_device_msg *msg)
{
    size_t count;
    struct mgd_job *job = find_job(session, msg->cancel.request, &count);
    if (job && job->ops->cancel)
        job->ops->cancel(job);
    if (job)
        mgd_job_done(job);
    mgd_done(session, msg->id); /* one that has just ended by itself is no error */
}

static void on_sample_now(struct mgd_session *session, const struct mgc_device_msg *msg)
{
    size_t count;
    const struct mgc_device_sample_now *asked = &msg->sample_now;
    struct mgd_job *job = find_job(session, asked->request, &count);
    if (job && job->ops->now && job->ops->now(job, asked))
        mgd_done(session, msg->id);
    else
        mgd_failed(session, msg->id, MGC_E_USAGE, 0,
            "%u rows now, the second after %u ms, of request %u: expected 1 to 16, 1 to 60000 ms, "
            "and a sampling that goes on",
            asked->rows, asked->gap_ms, asked->request);
}

static void start(struct mgd_session *session, const struct mgc_device_msg *msg)
{
    static const struct {
        enum mgc_device_type type;
        void (*start)(struct mgd_session *session, const struct mgc_device_msg *msg);
    } starts[] = {{MGC_DEVICE_CANCEL, on_cancel}, {MGC_DEVICE_CLOCK, on_clock},
        {MGC_DEVICE_REMOVE, mgd_start_remove}, {MGC_DEVICE_WATCH, mgd_start_watch},
        {MGC_DEVICE_READ, mgd_start_read}, {MGC_DEVICE_PUT, mgd_start_put},
        {MGC_DEVICE_SAMPLE, mgd_start_sample}, {MGC_DEVICE_PROCS, mgd_start_procs},
        {MGC_DEVICE_SAMPLE_NOW, on_sample_now}, {MGC_DEVICE_SINK, mgd_start_sink}};
    size_t jobs;
    if (find_job(session, msg->id, &jobs) || jobs >= JOBS_MAX) {
        mgd_failed(session, msg->id, MGC_E_PROTOCOL, 0,
            "request %u: its id is in use, or %d requests go on already", msg->id, JOBS_MAX);
        return;
    }
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        if (starts[i].type == msg->type) {
            starts[i].start(session, msg);
            return;
        }
    }
    mgd_failed(
        session, msg->id, MGC_E_PROTOCOL, 0, "%s is no request", mgc_device_type_name(msg->type));
}

static void take(struct mgd_session *session, const struct mgc_device_msg *msg)
{
    size_t count;
    if (msg->type == MGC_DEVICE_PUT_DATA) {
        struct mgd_job *job = find_job(session, msg->id, &count);
        if (job && job->ops->data)
            job->ops->data(job, &msg->put_data.data); /* else of one that has failed already */
        return;
    }
    if (!session->welcomed) {
        session->welcomed = mgd_hello(session, msg);
        return;
    }
    start(session, msg);
}

static void read_in(struct mgd_session *session)
{
    static char data[READ_SIZE];
    struct mgc_device_msg msg;
    struct mgc_error err = {0};
    ssize_t len = read(session->in, data, sizeof(data));
    if (len < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (len <= 0) {
        end(session, 0, NULL);
        return;
    }
    session->read_ns = mgc_mono_ns();
    enum mgc_device_next next = MGC_DEVICE_BROKEN;
    if (mgc_device_stream_feed(&session->input, data, (size_t)len, &err))
        while (!session->ending &&
               (next = mgc_device_stream_next(&session->input, &msg, &err)) == MGC_DEVICE_MESSAGE)
            take(session, &msg);
    if (next == MGC_DEVICE_BROKEN)
        end(session, 2, err.text);
}

/* --- loop ------------------------------------------------------------------------------------- */

struct turn {
    struct pollfd fds[FDS_MAX];
    size_t first[JOBS_MAX], count[JOBS_MAX];
    size_t used;
};

static int64_t plan_jobs(struct mgd_session *session, struct turn *turn)
{
    int64_t due_ns = MGC_NEVER;
    size_t i = 0;
    for (struct mgd_job *job = session->jobs; job; job = job->next, i++) {
        size_t room = FDS_MAX - turn->used < MGD_JOB_FDS ? FDS_MAX - turn->used : MGD_JOB_FDS;
        turn->first[i] = turn->used;
        turn->count[i] = job->ops->fds ? job->ops->fds(job, turn->fds + turn->used, room) : 0;
        turn->used += turn->count[i];
        if (job->ops->due_ns)
            due_ns = mgc_deadline_min(due_ns, job->ops->due_ns(job));
        if (job->ops->work && mgd_waiting(session) < MGD_ROOM)
            due_ns = 0;
    }
    return due_ns;
}

/* In the order of plan_jobs; nothing is added meanwhile. */
static void serve_jobs(struct mgd_session *session, const struct turn *turn)
{
    size_t i = 0;
    bool worked = false;
    for (struct mgd_job *job = session->jobs; job; job = job->next, i++) {
        bool ready = false;
        for (size_t k = 0; k < turn->count[i]; k++)
            ready |= turn->fds[turn->first[i] + k].revents != 0;
        if (ready && !job->over)
            job->ops->ready(job, turn->fds + turn->first[i], turn->count[i]);
        if (job->ops->due_ns && !job->over && mgc_deadline_past(job->ops->due_ns(job)))
            job->ops->tick(job);
        /* Bulk in order of arrival, one request at a time. */
        if (job->ops->work && !job->over && !worked && mgd_waiting(session) < MGD_ROOM) {
            job->ops->work(job);
            worked = true;
        }
    }
}

static void turn_once(struct mgd_session *session, struct turn *turn)
{
    turn->fds[IN] = (struct pollfd){session->in, POLLIN, 0};
    turn->fds[OUT] = (struct pollfd){session->out, mgd_waiting(session) ? POLLOUT : 0, 0};
    turn->fds[PARENT] = (struct pollfd){session->parent, POLLIN, 0};
    turn->used = OWN_FDS;
    int64_t due_ns = plan_jobs(session, turn);
    if (mgd_poll(turn->fds, turn->used, due_ns) < 0 && errno != EINTR) {
        end(session, 3, strerror(errno));
        return;
    }
    if (turn->fds[PARENT].revents || turn->fds[OUT].revents & (POLLERR | POLLNVAL)) {
        end(session, 0, NULL);
        return;
    }
    serve_jobs(session, turn);
    drop_ended(session, false);
    if (turn->fds[IN].revents)
        read_in(session);
    drop_ended(session, false);
    write_out(session);
}

int mgd_session_run(int in, int out)
{
    static struct turn turn;
    struct mgd_session session = {.in = in, .out = out, .parent = mgd_pidfd(getppid())};
    session.output.max = MGD_OUTPUT_MAX + 2 * MGC_DEVICE_PAYLOAD_MAX;
    /* Not to be stuck in a write while the input has ended. */
    fcntl(out, F_SETFL, fcntl(out, F_GETFL) | O_NONBLOCK);
    mgc_device_put_preamble(&session.output);
    write_out(&session);
    while (!session.ending)
        turn_once(&session, &turn);
    drop_ended(&session, true);
    mgc_device_stream_destroy(&session.input);
    mgc_buf_destroy(&session.output);
    if (session.parent >= 0)
        close(session.parent);
    return session.exit_code;
}
