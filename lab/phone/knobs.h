/* The phone's own fault knobs: watched, so that setting one strikes at once. docs/lab.md lists
 * them; those that only a command or a process of the phone asks for are looked up there. Loop
 * thread only. */
#ifndef MGC_LAB_PHONE_KNOBS_H
#define MGC_LAB_PHONE_KNOBS_H

#include "lab/phone/phone.h"

/* Watch the directory of the knobs and do what is set already. Without such a directory (outside a
 * lab) there is nothing to do. */
bool mgl_knobs_start(struct mgl_phone *phone, struct mgc_error *err);
void mgl_knobs_stop(struct mgl_phone *phone);

#endif
