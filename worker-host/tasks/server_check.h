/* Asked of the phone while a server is being stopped, in the stream that stops it and beside that:
 * is the app still the one that the setup hashed, do the knobs that a task of this worker holds
 * still hold? As after a replay on the phone (replay_check.h). Task's thread. */
#ifndef MGC_HOST_SERVER_CHECK_H
#define MGC_HOST_SERVER_CHECK_H

#include "worker-host/tasks/common.h"
#include "worker-host/tasks/knob.h"

struct mgc_server_check {
    struct mgc_knobs *held; /* owned */
    bool knobs_held;        /* by host.knobs, in this worker */
    struct mgc_buf script;  /* owned: prints the report in the background, which `wait` ends */
    struct mgc_buf said;    /* owned: what came of it */
};

/* Zeroed before. False: no memory, or more knobs than a list takes. */
bool mgc_server_check_make(struct mgc_server_check *check, const struct mgc_task *task,
    const char *package, struct mgc_error *err);
/* Facts app_stamp and knobs_lost; what was not said is absent. */
bool mgc_server_check_take(
    const struct mgc_server_check *check, struct mgc_task *task, struct mgc_error *err);
void mgc_server_check_destroy(struct mgc_server_check *check); /* takes zeroed and half made */

#endif
