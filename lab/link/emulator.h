/* The link emulator's loop: frames from one interface to the other, late, in order, or never.
 *
 * One thread. Commands come on a SOCK_SEQPACKET socket from the lab's first process: a packet with
 * a uint32_t means "read the fault files again"; the same number comes back when that is done, or
 * with its top bit set when it could not be (the reason is logged). */
#ifndef MGC_LAB_LINK_EMULATOR_H
#define MGC_LAB_LINK_EMULATOR_H

#include <stdbool.h>

#include "common/base/error.h"

#define MGC_LAB_LINK_REFUSED 0x80000000u

struct mgc_lab_link_spec {
    const char *lan_side;   /* interface to the gateway */
    const char *phone_side; /* interface to the phone */
    const char *profile;    /* name of the profile that holds when no knob says otherwise */
    const char *fault_dir;
    int control_fd; /* borrowed */
};

/* Until SIGTERM or the end of the control socket (true), or until it cannot go on (false). */
bool mgc_lab_link_serve(const struct mgc_lab_link_spec *spec, struct mgc_error *err);

#endif
