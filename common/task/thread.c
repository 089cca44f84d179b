#include "common/task/thread.h"

#include <signal.h>

int mgc_task_thread_start(pthread_t *ret_thread, void *(*run)(void *user), void *user)
{
#ifdef _WIN32
    return pthread_create(ret_thread, NULL, run, user);
#else
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int errnum = pthread_create(ret_thread, NULL, run, user);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return errnum;
#endif
}
