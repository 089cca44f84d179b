/* Why a server task failed, as one stable word for the verdict: the fact "failure".
 *
 *   not-started    the start was accepted, no server process is there
 *   not-listening  there is one, it does not listen in time
 *   left           a server from before could not be stopped
 *   older          what listens is not what this task started
 *   ended          the server process ended while it had to serve
 *   session-signal a signal ended the session while its client needed it
 *   no-helper      this host has no device program for the device's ABI
 *   not-installed  the app is not on the device
 *   rebooted       the device went away and came back with another boot id
 */
#ifndef MGC_HOST_SERVER_WHY_H
#define MGC_HOST_SERVER_WHY_H

#include "worker-host/tasks/common.h"

#define MGC_SERVER_FACT_FAILURE "failure"

/* Note the word; the first one stays. */
void mgc_server_why(struct mgc_task *task, const char *word);

enum mgc_server_lost {
    MGC_SERVER_AWAY,     /* it did not come back in time, or the task is to stop */
    MGC_SERVER_REBOOTED, /* it came back with another boot id: noted, and err says so */
    MGC_SERVER_BACK,
};
/* The device was lost (`err` says so): wait for it to come back, no longer than the task's
 * device_timeout_ms. `boot_id`: its own before, empty: not known. */
enum mgc_server_lost mgc_server_why_lost(
    struct mgc_task *task, const char *boot_id, struct mgc_error *err);

#endif
