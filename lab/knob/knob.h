/* Fault knobs as a stand-in sees them: a file per active fault in $MGLAB_RUN/faults (default
 * /run/mglab/faults), its content the value. docs/lab.md lists them.
 *
 * A value that ends in "once" makes a fault of one stroke: whoever strikes takes the file away
 * first, so that of several programs exactly one strikes, and who set it sees that it has struck.
 * No state, any thread.
 */
#ifndef MGC_LAB_KNOB_H
#define MGC_LAB_KNOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MGL_KNOB_VALUE_MAX = 128 };

struct mgl_knob {
    char value[MGL_KNOB_VALUE_MAX]; /* without ",once"; "1" when none was given */
    bool once;
};

/* Content of a knob file: "VALUE", "VALUE,once" or "once", with or without a newline. Pure. */
void mgl_knob_parse(const char *text, struct mgl_knob *ret_knob);
/* The number, or `bare` when the knob was set without one ("1" counts as without: mglab writes
 * that). Pure. */
int64_t mgl_knob_number(const struct mgl_knob *knob, int64_t bare);

/* The directory of the knobs, $MGLAB_RUN/faults. False when it is longer than size. */
/* From now on the knobs are those of the phone at `address`, where the lab has several
 * (docs/lab.md); else nothing changes. Before the first thread is started. */
void mgl_knob_at(const char *address);

bool mgl_knob_dir(char *ret_path, size_t size);

/* True when the knob is set. */
bool mgl_knob_get(const char *name, struct mgl_knob *ret_knob);
/* At the moment of the stroke: true when it is this caller's to strike. */
bool mgl_knob_take(const char *name, const struct mgl_knob *knob);
/* Set it, whole or not at all; a failure is silent. */
void mgl_knob_set(const char *name, const char *value);
/* Take the file away whatever its value. */
void mgl_knob_remove(const char *name);

#endif
