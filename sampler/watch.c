/* WATCH: files of one directory and processes of one package, as they come and go. */
#include "common/device/errnum.h"
#include "sampler/watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "sampler/path.h"

struct watch {
    struct mgd_job job; /* first */
    struct mgd_files files;
    struct mgd_procs procs;
};

static struct watch *of(struct mgd_job *job)
{
    return (struct watch *)job;
}

static size_t fds(struct mgd_job *job, struct pollfd *fd_list, size_t room)
{
    struct watch *watch = of(job);
    if (room == 0)
        return 0;
    fd_list[0] = (struct pollfd){watch->files.notify, POLLIN, 0};
    return 1 + mgd_procs_fds(&watch->procs, fd_list + 1, room - 1);
}

/* The files first: what a process wrote before its end is told before its end. */
static void ready(struct mgd_job *job, const struct pollfd *fd_list, size_t count)
{
    struct watch *watch = of(job);
    if (watch->files.notify >= 0)
        mgd_files_ready(&watch->files);
    mgd_procs_ready(&watch->procs, fd_list + 1, count - 1);
}

static int64_t due_ns(const struct mgd_job *job)
{
    return mgd_procs_due(&((const struct watch *)job)->procs);
}

static void tick(struct mgd_job *job)
{
    mgd_procs_tick(&of(job)->procs);
}

static void destroy(struct mgd_job *job)
{
    mgd_files_close(&of(job)->files);
    mgd_procs_close(&of(job)->procs);
    free(job);
}

static const struct mgd_job_ops ops = {
    .fds = fds, .ready = ready, .due_ns = due_ns, .tick = tick, .destroy = destroy};

static bool names_ok(const struct mgc_device_watch *watch)
{
    const char *name = NULL;
    while ((name = mgc_device_list_next(&watch->names, name)))
        if (!mgd_name_ok(name) || strchr(name, '/'))
            return false;
    return (!watch->dir[0] || mgd_path_ok(watch->dir)) && strlen(watch->dir) < MGD_PATH_MAX &&
           watch->scan_ms >= 10 && watch->scan_ms <= 60000;
}

void mgd_start_watch(struct mgd_session *session, const struct mgc_device_msg *msg)
{
    const struct mgc_device_watch *asked = &msg->watch;
    if (!names_ok(asked)) {
        mgd_failed(session, msg->id, MGC_E_USAGE, 0,
            "watch \"%s\" each %u ms: expected an absolute directory, plain names in it, and 10 to "
            "60000 ms",
            asked->dir, asked->scan_ms);
        return;
    }
    struct watch *watch = calloc(1, sizeof(*watch));
    if (!watch) {
        mgd_failed(session, msg->id, MGC_E_NO_MEMORY, 0, "no memory for a watch");
        return;
    }
    watch->job.ops = &ops;
    watch->job.id = msg->id;
    if (!mgd_files_open(&watch->files, session, msg->id, asked->dir, &asked->names) ||
        !mgd_procs_open(&watch->procs, session, msg->id, asked->package, asked->pid,
            asked->scan_ms * MGC_NS_PER_MS)) {
        int errnum = errno;
        mgd_failed(
            session, msg->id, mgc_device_errnum_code(errnum), errnum, "watch \"%s\"", asked->dir);
        destroy(&watch->job);
        return;
    }
    mgd_job_add(session, &watch->job);
    mgd_send(session, &(struct mgc_device_msg){.type = MGC_DEVICE_BEGUN, .id = msg->id});
}
