/* How a program of ours asks another one of ours to stop, when there is no console between them. */
#ifndef MGC_PLAT_WIN_STOP_H
#define MGC_PLAT_WIN_STOP_H

/* Name of an event object, given in the child's environment by mgc_process_start. The child's
 * mgc_stop_on_signals raises its stop object once the event is set. A name, not a handle: what the
 * child itself starts sees the variable too, and there a handle's number would mean another thing.
 */
#define MGC_WIN_STOP_VARIABLE "MGC_STOP_EVENT"

#endif
