/* Ends a force-stop of an earlier script that nobody waits for any more.
 *
 * When a stream is given up, adbd tells the script's shell (SIGHUP), but the `am` that it runs goes
 * on; on a phone that was frozen it may get to its force-stop after the next server has started. So
 * each script notes its `am` on the device, and the next one ends what is noted and still runs.
 */
#ifndef MGC_HOST_STOP_GUARD_H
#define MGC_HOST_STOP_GUARD_H

#include "common/base/buf.h"

/* On the device: "PID TICKS" of the `am force-stop` that runs, field 22 of its stat. */
#define MGC_STOP_GUARD_FILE "/data/local/tmp/mgc-stop"

/* Append the commands that end it, and define mgc_stop PACKAGE: a noted `am force-stop` with its
 * exit code, output to stderr; mgc_alive PID; and mgc_gone ARGS, which calls mgc_left ARGS (to be
 * defined after this: adds to $left what is still there) every 0.1 s until $left stays empty, after
 * 5 s says "mgc-left$left" on stderr and exits with 92. Names that begin with mgc_ are this
 * script's. Pure. */
bool mgc_stop_guard_script(struct mgc_buf *out);

#endif
