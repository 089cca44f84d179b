/* The fault knobs of clocks, heat and power, for the table in knobs.c; docs/lab.md says what each
 * does. Loop thread only. */
#ifndef MGC_LAB_PHONE_SYS_FAULTS_H
#define MGC_LAB_PHONE_SYS_FAULTS_H

#include "lab/knob/knob.h"

struct mgl_phone;

typedef void mgl_fault_set(struct mgl_phone *phone, const struct mgl_knob *knob);
typedef void mgl_fault_over(struct mgl_phone *phone);

mgl_fault_set mgl_fault_hot;
mgl_fault_over mgl_fault_hot_over;
mgl_fault_set mgl_fault_warming;
mgl_fault_over mgl_fault_warming_over;
mgl_fault_set mgl_fault_throttled;
mgl_fault_over mgl_fault_throttled_over;
mgl_fault_set mgl_fault_pin_override;
mgl_fault_over mgl_fault_pin_override_over;
mgl_fault_set mgl_fault_clamped;
mgl_fault_over mgl_fault_clamped_over;
mgl_fault_set mgl_fault_missing;
mgl_fault_over mgl_fault_missing_over;
mgl_fault_set mgl_fault_unreadable;
mgl_fault_over mgl_fault_unreadable_over;
mgl_fault_set mgl_fault_rooted;
mgl_fault_over mgl_fault_rooted_over;
mgl_fault_set mgl_fault_unplugged;
mgl_fault_over mgl_fault_unplugged_over;

#endif
