/* The daemon's one loop: epoll over file descriptors, and the ends of child processes.
 *
 * One thread, no locks. A watch is embedded in its owner, who may remove it (or free itself) inside
 * any callback: the loop takes one event at a time and touches nothing after a callback returns.
 */
#ifndef MGC_LAB_PHONE_LOOP_H
#define MGC_LAB_PHONE_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/error.h"

struct mgl_loop;

struct mgl_watch {
    struct mgl_loop *loop; /* borrowed; NULL while not added */
    int fd;                /* borrowed */
    uint32_t events;       /* EPOLLIN, EPOLLOUT; 0: not in epoll at all */
    void (*ready)(struct mgl_watch *watch, uint32_t events);
    void *arg;
};

struct mgl_child {
    pid_t pid;                                          /* 0 while not added */
    void (*ended)(struct mgl_child *child, int status); /* wait status; already removed */
    void *arg;
    struct mgl_child *next;
};

struct mgl_loop {
    int epoll_fd;
    int signal_fd; /* SIGCHLD, SIGTERM */
    struct mgl_watch signal_watch;
    struct mgl_child *children;
    bool stop;
};

/* Blocks SIGCHLD and SIGTERM in this thread; programs started later must get their signal mask
 * reset. */
bool mgl_loop_init(struct mgl_loop *loop, struct mgc_error *err);
void mgl_loop_destroy(struct mgl_loop *loop);
/* Run until `stop` is set, or SIGTERM. */
void mgl_loop_run(struct mgl_loop *loop);

bool mgl_watch_add(struct mgl_loop *loop, struct mgl_watch *watch, int fd, uint32_t events);
void mgl_watch_set(struct mgl_watch *watch, uint32_t events);
void mgl_watch_remove(struct mgl_watch *watch); /* takes one that is not added */

/* Right after fork; children that nobody added are reaped silently (we are PID 1). */
void mgl_child_add(struct mgl_loop *loop, struct mgl_child *child, pid_t pid);
/* Take the ends of children now instead of when the loop gets to it. */
void mgl_loop_reap(struct mgl_loop *loop);
/* Wait for the end of every child there is; for after killing them all. */
void mgl_loop_reap_all(struct mgl_loop *loop);
void mgl_child_remove(struct mgl_loop *loop, struct mgl_child *child);

#endif
