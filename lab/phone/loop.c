#include "lab/phone/loop.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

static void reap(struct mgl_loop *loop, int options)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, options)) > 0) {
        struct mgl_child *child = loop->children;
        while (child && child->pid != pid)
            child = child->next;
        if (!child)
            continue;
        mgl_child_remove(loop, child);
        child->ended(child, status);
    }
}

void mgl_loop_reap(struct mgl_loop *loop)
{
    reap(loop, WNOHANG);
}

void mgl_loop_reap_all(struct mgl_loop *loop)
{
    reap(loop, 0);
}

static void signal_ready(struct mgl_watch *watch, uint32_t events)
{
    struct signalfd_siginfo info;
    if (read(watch->fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
        return;
    if (info.ssi_signo == SIGTERM)
        watch->loop->stop = true;
    else
        mgl_loop_reap(watch->loop);
}

bool mgl_loop_init(struct mgl_loop *loop, struct mgc_error *err)
{
    *loop = (struct mgl_loop){.epoll_fd = -1, .signal_fd = -1};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    loop->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (loop->epoll_fd < 0 || loop->signal_fd < 0)
        return mgc_error_errno(err, errno, "epoll and signalfd");
    loop->signal_watch.ready = signal_ready;
    mgl_watch_add(loop, &loop->signal_watch, loop->signal_fd, EPOLLIN);
    return true;
}

void mgl_loop_destroy(struct mgl_loop *loop)
{
    if (!loop)
        return;
    if (loop->epoll_fd > 0)
        close(loop->epoll_fd);
    if (loop->signal_fd > 0)
        close(loop->signal_fd);
    *loop = (struct mgl_loop){.epoll_fd = -1, .signal_fd = -1};
}

void mgl_loop_run(struct mgl_loop *loop)
{
    while (!loop->stop) {
        struct epoll_event event;
        int count = epoll_wait(loop->epoll_fd, &event, 1, -1);
        if (count != 1)
            continue;
        struct mgl_watch *watch = event.data.ptr;
        watch->ready(watch, event.events);
    }
}

bool mgl_watch_add(struct mgl_loop *loop, struct mgl_watch *watch, int fd, uint32_t events)
{
    watch->loop = loop;
    watch->fd = fd;
    watch->events = 0;
    mgl_watch_set(watch, events);
    return events == 0 || watch->events == events;
}

/* No wanted event means out of epoll: a hung-up descriptor would wake the loop for ever. */
void mgl_watch_set(struct mgl_watch *watch, uint32_t events)
{
    if (!watch->loop || watch->events == events)
        return;
    struct epoll_event event = {.events = events, .data.ptr = watch};
    int op = EPOLL_CTL_MOD;
    if (watch->events == 0)
        op = EPOLL_CTL_ADD;
    else if (events == 0)
        op = EPOLL_CTL_DEL;
    if (epoll_ctl(watch->loop->epoll_fd, op, watch->fd, &event) == 0)
        watch->events = events;
}

void mgl_watch_remove(struct mgl_watch *watch)
{
    mgl_watch_set(watch, 0);
    watch->loop = NULL;
}

void mgl_child_add(struct mgl_loop *loop, struct mgl_child *child, pid_t pid)
{
    child->pid = pid;
    child->next = loop->children;
    loop->children = child;
}

void mgl_child_remove(struct mgl_loop *loop, struct mgl_child *child)
{
    for (struct mgl_child **at = &loop->children; *at; at = &(*at)->next) {
        if (*at != child)
            continue;
        *at = child->next;
        child->pid = 0;
        return;
    }
}
