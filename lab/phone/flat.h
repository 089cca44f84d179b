/* The phone where nobody may make namespaces: its root is given by proot, which follows every
 * process of it (ptrace) and turns its paths into the host's.
 *
 * Slower than a real root, one user id, and the host's processes can be seen in /proc. There is no
 * PID namespace whose end would be everybody's: the phone's first process adopts its orphans and
 * kills what is below it at its end; when it is killed itself, its children die with it, but what
 * these have started may stay. */
#ifndef MGC_LAB_PHONE_FLAT_H
#define MGC_LAB_PHONE_FLAT_H

#include <sys/types.h>

#include "lab/phone/phone.h"

/* Build the root below the data directory and start mgphone in it, with `listener` as the socket
 * that adb connects to. Returns proot's pid, -1 on failure; it dies with this process.
 * Single-threaded callers only. */
pid_t mgl_flat_start(struct mgl_phone *phone, struct mgc_error *err);

/* Ask the phone under proot to end. */
void mgl_flat_end(pid_t proot);

/* Remove the root, which is files and links only, once proot is gone. */
void mgl_flat_clean(const struct mgl_options *options);

/* In the phone under proot, first of all. */
void mgl_flat_settle(void);

#endif
