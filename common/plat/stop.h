/* Two ways to break a wait: a flag with a file descriptor, and the process's own Ctrl-C/TERM.
 *
 * A signal object may be raised from any thread or signal handler; its fd becomes readable and
 * stays so. Windows: a socket pair, so that it can be polled beside sockets.
 */
#ifndef MGC_PLAT_STOP_H
#define MGC_PLAT_STOP_H

#include <stdbool.h>

#include "common/base/error.h"

struct mgc_stop {
    int read_fd; /* readable once raised; -1 when not initialised */
    int write_fd;
};
#define MGC_STOP_INIT                                                                              \
    {                                                                                              \
        -1, -1                                                                                     \
    }

bool mgc_stop_init(struct mgc_stop *stop, struct mgc_error *err);
void mgc_stop_raise(struct mgc_stop *stop);
bool mgc_stop_raised(const struct mgc_stop *stop);
/* Take the signal back, so that the fd can serve as a doorbell; by the one thread that polls it. */
void mgc_stop_lower(struct mgc_stop *stop);
void mgc_stop_destroy(struct mgc_stop *stop); /* takes NULL and MGC_STOP_INIT */

/* Turn SIGINT, SIGTERM, SIGHUP and SIGXCPU (the user's limit for time on the processor has a little
 * left then) (Windows: console and service control) into one stop object that
 * lives as long as the process; SIGPIPE is ignored, and a SIGHUP that was (nohup) stays so. A
 * second SIGINT ends the process at once with the signal's default action, unless it comes within
 * 0.3 s: so one press may reach the process twice. Signals that were blocked at the start come now.
 * Call once, before threads start. */
struct mgc_stop *mgc_stop_on_signals(struct mgc_error *err);

#endif
