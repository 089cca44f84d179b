/* Talking to the link emulator from the lab's first process, see lab/link/emulator.h.
 *
 * Both ends of the socket stay open here, so an emulator that is started again finds the request
 * that the dead one did not answer. */
#ifndef MGC_LAB_LINKCONTROL_H
#define MGC_LAB_LINKCONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"

struct mgc_lab_linkcontrol {
    int fd;        /* ours, owned */
    int remote_fd; /* the emulator's, owned; handed over at each of its starts */
    uint32_t number;
};

bool mgc_lab_linkcontrol_open(struct mgc_lab_linkcontrol *control, struct mgc_error *err);

/* Have it read the fault files; true once they are in force. Waits at most 5 s. */
bool mgc_lab_linkcontrol_reload(struct mgc_lab_linkcontrol *control, struct mgc_error *err);

#endif
