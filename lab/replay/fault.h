/* Fault knobs of the replay pair (lab/knob): looked up at the moment the fault concerns. A fault
 * that is set for one stroke is struck by the call that returns true.
 */
#ifndef MGC_LAB_REPLAY_FAULT_H
#define MGC_LAB_REPLAY_FAULT_H

#include <stdbool.h>
#include <stdint.h>

/* True when the fault is set. */
bool mgr_fault(const char *name);

/* True when the fault is set; *ret_value is its number, or `bare` when it was set without one
 * (mglab writes "1" then, which such a caller cannot tell from a given 1). */
bool mgr_fault_number(const char *name, int64_t bare, int64_t *ret_value);

/* True when the fault is set and its number is exactly `now`. */
bool mgr_fault_at(const char *name, int64_t bare, int64_t now);

#endif
