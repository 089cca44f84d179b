/* A thread of a worker beside its loop's: one of a task, or of the undo between sessions. */
#ifndef MGC_TASK_THREAD_H
#define MGC_TASK_THREAD_H

#include <pthread.h>

/* Starts it with all signals blocked: they are for the main thread; one that another thread took
 * would interrupt its waits. 0, or an errno value. */
int mgc_task_thread_start(pthread_t *ret_thread, void *(*run)(void *user), void *user);

#endif
