/* SAMPLE: the text of some nodes at fixed moments, and when SAMPLE_NOW asks for it. Each node's
 * file stays open and is read from its start, which for /proc and /sys makes the text anew. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "sampler/path.h"
#include "sampler/session.h"

enum { VALUE_MAX = 512, NOW_ROWS_MAX = 16, NOW_GAP_MAX_MS = 60000 };

struct node {
    const char *path; /* borrowed from names */
    int fd;           /* -1: to be opened */
};

struct sampling {
    struct mgd_job job; /* first */
    char *names;        /* owned */
    struct node *nodes; /* owned */
    size_t count;
    int64_t period_ns, due_ns;
    uint32_t rows, rows_max, missed, missed_now, dropped;
    /* beside the schedule, as SAMPLE_NOW asked */
    uint32_t asked_rows;          /* still to come */
    int64_t asked_due_ns, gap_ns; /* the next one; MGC_NEVER: none. From it to the one after it */
    struct mgc_buf values;
};

static struct sampling *of(struct mgd_job *job)
{
    return (struct sampling *)job;
}

/* Length, or -errno. */
static int read_node(struct node *node, char *ret_text, size_t size)
{
    if (node->fd < 0)
        node->fd = open(node->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (node->fd < 0)
        return -errno;
    ssize_t len = pread(node->fd, ret_text, size - 1, 0);
    if (len < 0) {
        int errnum = errno;
        close(node->fd); /* a node that went away with its CPU comes back as another file */
        node->fd = -1;
        return -errnum;
    }
    while (len > 0 && (ret_text[len - 1] == '\n' || ret_text[len - 1] == '\0'))
        len--;
    ret_text[len] = '\0';
    return (int)len;
}

static void read_all(struct sampling *sampling, struct mgc_device_list *list)
{
    char text[VALUE_MAX + 1] = "=";
    mgc_buf_clear(&sampling->values);
    for (size_t i = 0; i < sampling->count; i++) {
        char failed[16];
        int len = read_node(&sampling->nodes[i], text + 1, VALUE_MAX);
        if (len < 0)
            snprintf(failed, sizeof(failed), "!%d", -len);
        mgc_device_list_add(list, &sampling->values, len < 0 ? failed : text);
    }
}

static void say_end(struct mgd_job *job)
{
    const struct sampling *sampling = of(job);
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage);
    mgd_send(job->session,
        &(struct mgc_device_msg){.type = MGC_DEVICE_SAMPLE_END,
            .id = job->id,
            .sample_end = {.rows = sampling->rows,
                .missed = sampling->missed,
                .dropped = sampling->dropped,
                .user_us = usage.ru_utime.tv_sec * 1000000LL + usage.ru_utime.tv_usec,
                .sys_us = usage.ru_stime.tv_sec * 1000000LL + usage.ru_stime.tv_usec}});
}

static int64_t due_ns(const struct mgd_job *job)
{
    const struct sampling *sampling = (const struct sampling *)job;
    return mgc_deadline_min(sampling->due_ns, sampling->asked_due_ns);
}

/* The schedule is absolute: rows that it is too late for are counted, not made up. */
static void schedule(struct sampling *sampling, int64_t now_ns)
{
    int64_t behind = (now_ns - sampling->due_ns) / sampling->period_ns;
    sampling->missed_now = behind > 0 ? (uint32_t)behind : 0;
    sampling->missed += sampling->missed_now;
    sampling->due_ns += (behind + 1) * sampling->period_ns;
}

static void send_row(struct sampling *sampling, int64_t due_ns, uint32_t missed)
{
    struct mgc_device_msg msg = {.type = MGC_DEVICE_ROW, .id = sampling->job.id};
    struct mgc_device_row *row = &msg.row;
    row->missed = missed;
    row->due_ns = due_ns;
    row->begin_ns = mgc_mono_ns();
    read_all(sampling, &row->values);
    row->end_ns = mgc_mono_ns();
    row->row = sampling->rows++;
    if (mgd_waiting(sampling->job.session) < 4 * MGD_ROOM)
        mgd_send(sampling->job.session, &msg);
    else
        sampling->dropped++;
}

/* A row has been read: it also is the one that was asked for, if one was due. */
static void asked_done(struct sampling *sampling)
{
    if (!mgc_deadline_past(sampling->asked_due_ns))
        return;
    if (--sampling->asked_rows == 0) {
        sampling->asked_due_ns = MGC_NEVER;
        return;
    }
    sampling->asked_due_ns += sampling->gap_ns;
    sampling->gap_ns *= 2;
}

static void tick(struct mgd_job *job)
{
    struct sampling *sampling = of(job);
    if (mgc_deadline_past(sampling->due_ns)) {
        send_row(sampling, sampling->due_ns, sampling->missed_now);
        schedule(sampling, mgc_mono_ns());
    } else {
        send_row(sampling, sampling->asked_due_ns, 0);
    }
    asked_done(sampling);
    if (sampling->rows_max && sampling->rows == sampling->rows_max) {
        say_end(job);
        mgd_job_done(job);
    }
}

/* The first row is read before the answer: whoever asks knows that it is older than that. */
static bool now(struct mgd_job *job, const struct mgc_device_sample_now *asked)
{
    struct sampling *sampling = of(job);
    bool series = asked->rows > 1;
    if (asked->rows < 1 || asked->rows > NOW_ROWS_MAX || (series && asked->gap_ms < 1) ||
        asked->gap_ms > NOW_GAP_MAX_MS)
        return false;
    sampling->asked_rows = asked->rows;
    sampling->asked_due_ns = mgc_mono_ns();
    sampling->gap_ns = asked->gap_ms * MGC_NS_PER_MS;
    tick(job);
    return true;
}

static void destroy(struct mgd_job *job)
{
    struct sampling *sampling = of(job);
    for (size_t i = 0; i < sampling->count; i++)
        if (sampling->nodes[i].fd >= 0)
            close(sampling->nodes[i].fd);
    mgc_buf_destroy(&sampling->values);
    free(sampling->nodes);
    free(sampling->names);
    free(sampling);
}

static const struct mgd_job_ops ops = {
    .due_ns = due_ns, .tick = tick, .now = now, .cancel = say_end, .destroy = destroy};

static bool take_nodes(struct sampling *sampling, const struct mgc_device_list *nodes)
{
    struct mgc_device_list copy = *nodes;
    const char *path = NULL;
    sampling->names = malloc(nodes->size + 1);
    sampling->nodes = calloc(nodes->count + 1U, sizeof(*sampling->nodes));
    if (!sampling->names || !sampling->nodes)
        return false;
    memcpy(sampling->names, nodes->data, nodes->size);
    copy.data = sampling->names;
    while ((path = mgc_device_list_next(&copy, path)))
        sampling->nodes[sampling->count++] = (struct node){path, -1};
    return true;
}

void mgd_start_sample(struct mgd_session *session, const struct mgc_device_msg *msg)
{
    const struct mgc_device_sample *asked = &msg->sample;
    const char *path = NULL;
    bool ok = asked->period_ms >= 1 && asked->period_ms <= 3600000;
    while (ok && (path = mgc_device_list_next(&asked->nodes, path)))
        ok = mgd_path_ok(path);
    if (!ok) {
        mgd_failed(session, msg->id, MGC_E_USAGE, 0,
            "sample each %u ms%s%s: expected 1 to 3600000 ms and absolute paths", asked->period_ms,
            path ? ", " : "", path ? path : "");
        return;
    }
    struct sampling *sampling = calloc(1, sizeof(*sampling));
    if (!sampling || !take_nodes(sampling, &asked->nodes)) {
        mgd_failed(session, msg->id, MGC_E_NO_MEMORY, 0, "no memory for sampling");
        if (sampling)
            destroy(&sampling->job);
        return;
    }
    sampling->job.ops = &ops;
    sampling->job.id = msg->id;
    sampling->period_ns = asked->period_ms * MGC_NS_PER_MS;
    sampling->rows_max = asked->rows_max;
    sampling->due_ns = mgc_mono_ns();
    sampling->asked_due_ns = MGC_NEVER;
    mgd_job_add(session, &sampling->job);
    mgd_send(session, &(struct mgc_device_msg){.type = MGC_DEVICE_BEGUN, .id = msg->id});
}
