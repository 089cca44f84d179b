/* Threads with the names that samplers and log lines know them by (contract section 1). */
#ifndef MGC_LAB_REPLAY_THREAD_H
#define MGC_LAB_REPLAY_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"

#define MGR_APPLY_THREAD "mgl-srv-apply" /* the thread of a server that draws */

/* The name is set before main runs; it and the argument must outlive the thread. */
struct mgr_thread {
    const char *name;
    void (*main)(void *arg);
    void *arg;
    pthread_t id;
};

bool mgr_thread_start(struct mgr_thread *thread, struct mgc_error *err);
void mgr_thread_join(struct mgr_thread *thread);
/* False: still running at the deadline; then it is left alone, with what it uses. */
bool mgr_thread_join_until(struct mgr_thread *thread, int64_t deadline_ns);

/* Start, join. */
bool mgr_thread_run(const char *name, void (*main)(void *arg), void *arg, struct mgc_error *err);

#endif
