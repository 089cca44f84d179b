/* A command's end of control: find the run that is on, ask it, hear what it says. Blocking. */
#ifndef MGC_CONTROL_CLIENT_H
#define MGC_CONTROL_CLIENT_H

#include "coordinator/control/message.h"
#include "coordinator/store/run_note.h"

struct mgc_control_client {
    int fd; /* -1: not connected */
    struct mgc_run_note run;
    struct mgc_buf in;
};

/* The run on the results root. MGC_E_NOT_FOUND: no run is on there; MGC_E_LOST: there is one, but
 * it cannot be reached (and who it is). */
bool mgc_control_open(
    struct mgc_control_client *client, const char *results, struct mgc_error *err);
void mgc_control_close(struct mgc_control_client *client); /* takes NULL and closed */

/* Ask; the answer's body, to json_decref. NULL: why. */
json_t *mgc_control_ask(
    struct mgc_control_client *client, enum mgc_control_request request, struct mgc_error *err);
/* The next event after `watch`, waiting for it until `stop_fd` (-1: none) is readable
 * (MGC_E_CANCELLED). MGC_E_LOST: the coordinator closed the connection. */
json_t *mgc_control_next(struct mgc_control_client *client, int stop_fd, struct mgc_error *err);

#endif
