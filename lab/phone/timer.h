/* A moment on the loop: a timerfd and what to do then. Zeroed is a valid, stopped timer. */
#ifndef MGC_LAB_PHONE_TIMER_H
#define MGC_LAB_PHONE_TIMER_H

#include "lab/phone/loop.h"

struct mgl_timer {
    struct mgl_watch watch;
    void (*fired)(struct mgl_timer *timer); /* stopped already; may start or free it */
    void *arg;
};

/* Fire once after `ns`; a running one starts anew. False: no descriptor is left. */
bool mgl_timer_start(struct mgl_loop *loop, struct mgl_timer *timer, int64_t ns);
void mgl_timer_stop(struct mgl_timer *timer); /* takes a stopped one */

#endif
