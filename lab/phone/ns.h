/* The phone's namespaces: mounts and processes of its own, the network it was started in.
 *
 * The creator stays outside and only waits. When it dies, by any signal, the kernel kills the
 * phone's PID 1 and with it everything on the phone. Not root: a user namespace with one id. */
#ifndef MGC_LAB_PHONE_NS_H
#define MGC_LAB_PHONE_NS_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/base/error.h"

/* Run `function` as PID 1 of new namespaces; its result is the exit code. Returns the pid as seen
 * from here, -1 on failure. Single-threaded callers only. */
pid_t mgl_ns_start(int (*function)(void *arg), void *arg, struct mgc_error *err);

#endif
