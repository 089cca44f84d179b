/* Fault knobs: a file per active fault in $MGLAB_RUN/faults (default /run/mglab/faults), its
 * content the value. docs/lab.md lists them. Looked up at the moment the fault concerns.
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

#endif
