#include "lab/phone/timer.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "common/base/clock.h"

void mgl_timer_stop(struct mgl_timer *timer)
{
    if (!timer->watch.loop)
        return;
    int fd = timer->watch.fd;
    mgl_watch_remove(&timer->watch);
    close(fd);
}

static void ready(struct mgl_watch *watch, uint32_t events)
{
    struct mgl_timer *timer = watch->arg;
    mgl_timer_stop(timer);
    timer->fired(timer);
}

bool mgl_timer_start(struct mgl_loop *loop, struct mgl_timer *timer, int64_t ns)
{
    if (ns < 1)
        ns = 1; /* zero would disarm it */
    struct itimerspec when = {
        .it_value = {.tv_sec = ns / MGC_NS_PER_S, .tv_nsec = ns % MGC_NS_PER_S}};
    mgl_timer_stop(timer);
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (fd < 0)
        return false;
    timer->watch.ready = ready;
    timer->watch.arg = timer;
    if (timerfd_settime(fd, 0, &when, NULL) == 0 && mgl_watch_add(loop, &timer->watch, fd, EPOLLIN))
        return true;
    timer->watch.loop = NULL;
    close(fd);
    return false;
}
