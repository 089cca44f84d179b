/* The fault "log flood": a process of the phone that logs numbered lines as fast as it can. */
#ifndef MGC_LAB_PHONE_FLOOD_H
#define MGC_LAB_PHONE_FLOOD_H

#include "lab/phone/phone.h"

/* Start one when the knob phone-log-flood says so. */
void mgl_flood_start(struct mgl_phone *phone);

#endif
