#include "lab/replay/thread.h"

#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

#include "common/base/clock.h"

static void *start(void *arg)
{
    struct mgr_thread *thread = arg;
    prctl(PR_SET_NAME, thread->name);
    thread->main(thread->arg);
    return NULL;
}

bool mgr_thread_start(struct mgr_thread *thread, struct mgc_error *err)
{
    int errnum = pthread_create(&thread->id, NULL, start, thread);
    return errnum == 0 || mgc_error_errno(err, errnum, "cannot start thread %s", thread->name);
}

void mgr_thread_join(struct mgr_thread *thread)
{
    pthread_join(thread->id, NULL);
}

bool mgr_thread_join_until(struct mgr_thread *thread, int64_t deadline_ns)
{
    struct timespec at;
    int64_t left_ns = deadline_ns - mgc_mono_ns();
    clock_gettime(CLOCK_MONOTONIC, &at);
    if (left_ns > 0) {
        int64_t end_ns = at.tv_sec * MGC_NS_PER_S + at.tv_nsec + left_ns;
        at = (struct timespec){end_ns / MGC_NS_PER_S, end_ns % MGC_NS_PER_S};
    }
    if (pthread_clockjoin_np(thread->id, NULL, CLOCK_MONOTONIC, &at) == 0)
        return true;
    pthread_detach(thread->id);
    return false;
}

bool mgr_thread_run(const char *name, void (*main)(void *arg), void *arg, struct mgc_error *err)
{
    struct mgr_thread thread = {.name = name, .main = main, .arg = arg};
    if (!mgr_thread_start(&thread, err))
        return false;
    mgr_thread_join(&thread);
    return true;
}
