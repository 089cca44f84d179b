/* The running phone: the parts of PID 1, wired together. */
#ifndef MGC_LAB_PHONE_PHONE_H
#define MGC_LAB_PHONE_PHONE_H

#include "lab/phone/loop.h"
#include "lab/phone/options.h"
#include "lab/phone/transport.h"

struct mgl_phone {
    const struct mgl_options *options; /* borrowed */
    int listener;                      /* adb; the transport's once it runs */
    struct mgl_loop loop;
    struct mgl_transport transport;
};

/* PID 1 of the phone: build the root, serve until the process is killed. Prints one line
 * "ready ..." on standard output when adb may connect. Returns an exit code. */
int mgl_phone_run(struct mgl_phone *phone);

#endif
