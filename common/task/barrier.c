/* A task's side of a barrier: arrive, wait for the release, go at its instant. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/task/internal.h"
#include "common/task/wait.h"

/* poll(2) counts whole milliseconds and wakes late; the last stretch is slept to the instant. */
enum { LAST_STRETCH_MS = 5 };

static bool post_arrive(struct mgc_task *task, const char *name, struct mgc_error *err)
{
    struct mgc_msg msg = {.kind = MGC_MSG_ARRIVE};
    msg.barrier.task_id = task->id;
    msg.barrier.actual_ns = mgc_mono_ns();
    msg.barrier.name = strdup(name);
    return mgc_task_post(task, &msg, msg.barrier.name, err);
}

static bool post_released(struct mgc_task *task, const char *name, const struct mgc_error *why,
    int64_t instant_ns, struct mgc_error *err)
{
    struct mgc_msg msg = {.kind = MGC_MSG_RELEASED};
    msg.barrier.task_id = task->id;
    msg.barrier.code = why->code;
    msg.barrier.instant_ns = instant_ns;
    msg.barrier.actual_ns = mgc_mono_ns();
    msg.barrier.name = strdup(name);
    msg.barrier.text = strdup(why->text);
    return mgc_task_post(task, &msg, msg.barrier.name && msg.barrier.text, err);
}

/* Take the release of this barrier out of the list; NULL while there is none. */
static struct mgc_release *take_release(struct mgc_task *task, const char *name)
{
    pthread_mutex_lock(&task->lock);
    struct mgc_release **link = &task->releases;
    while (*link && strcmp((*link)->name, name) != 0)
        link = &(*link)->next;
    struct mgc_release *release = *link;
    if (release)
        *link = release->next;
    pthread_mutex_unlock(&task->lock);
    return release;
}

static struct mgc_release *wait_release(
    struct mgc_task *task, const char *name, struct mgc_error *err)
{
    int fds[] = {task->stop.read_fd, task->released.read_fd};
    for (;;) {
        struct mgc_release *release = take_release(task, name);
        if (release)
            return release;
        if (mgc_wait_readable(fds, 2, task->deadline_ns) != 1) {
            mgc_task_stop_error(task, err);
            mgc_error_prefix(err, "waiting at barrier \"%s\"", name);
            return NULL;
        }
        mgc_stop_lower(&task->released); /* before the list is looked at again */
    }
}

/* Sleep to the instant; false when told to stop before. */
static bool wait_instant(struct mgc_task *task, int64_t instant_ns, struct mgc_error *err)
{
    int stop_fd = task->stop.read_fd;
    if (mgc_wait_readable(&stop_fd, 1, instant_ns - LAST_STRETCH_MS * MGC_NS_PER_MS) == 0)
        return mgc_task_stop_error(task, err);
    mgc_sleep_until(instant_ns);
    return true;
}

static bool go(struct mgc_task *task, const char *name, const struct mgc_release *release,
    struct mgc_error *err)
{
    struct mgc_error why = {0};
    if (release->code != MGC_OK)
        return mgc_error_set(err, release->code, "barrier \"%s\": %s", name, release->text);
    int64_t late_ns = mgc_mono_ns() - release->instant_ns;
    if (late_ns > 0)
        mgc_error_set(&why, MGC_E_FAILED, "release failed: late by %.3f ms", (double)late_ns / 1e6);
    else if (!wait_instant(task, release->instant_ns, err))
        return false;
    if (!post_released(task, name, &why, release->instant_ns, err))
        return false;
    if (why.code == MGC_OK)
        return true;
    /* The coordinator's word for it: a late start is nobody's fault and worth another attempt. */
    mgc_fields_set_str(&task->facts, "failure", "release-late");
    return mgc_error_set(err, why.code, "barrier \"%s\": %s", name, why.text);
}

bool mgc_task_barrier(
    struct mgc_task *task, const char *name, int64_t *ret_instant_ns, struct mgc_error *err)
{
    mgc_task_set_phase(task, MGC_TASK_AT_BARRIER, name);
    struct mgc_release *release =
        post_arrive(task, name, err) ? wait_release(task, name, err) : NULL;
    bool ok = release && go(task, name, release, err);
    if (ok && ret_instant_ns)
        *ret_instant_ns = release->instant_ns;
    mgc_task_set_phase(task, MGC_TASK_RUNNING, "");
    if (release)
        free(release->name);
    free(release);
    return ok;
}
