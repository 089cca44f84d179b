/* When to look for what tasks say quietly (mailbox.h): a while after the instant of each release.
 *
 * A task that goes on from a barrier reports it. Sending that at once would take the processor from
 * what was just released, and from members on this machine that are yet to wake; so it waits.
 * Belongs to the loop's thread.
 */
#ifndef MGC_TASK_REPORT_H
#define MGC_TASK_REPORT_H

#include <stdint.h>

#include "common/bus/loop.h"

struct mgc_report {
    struct mgc_loop *loop; /* borrowed, as user is */
    void (*look)(void *user);
    void *user;
    uint64_t timer;  /* 0: none */
    int64_t due_ns;  /* that timer's */
    int64_t last_ns; /* when the last release so far is due */
};

void mgc_report_init(
    struct mgc_report *report, struct mgc_loop *loop, void (*look)(void *user), void *user);
/* There will be something to look for soon after instant_ns (mono). */
void mgc_report_after(struct mgc_report *report, int64_t instant_ns);
void mgc_report_destroy(struct mgc_report *report); /* takes NULL and zeroed */

#endif
