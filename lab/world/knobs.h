/* Fault knobs that the world itself acts on: the proxy, the link, cables, the service manager.
 *
 * All others are files that the stand-ins look at; see faults.h. PID 1 only. */
#ifndef MGC_LAB_KNOBS_H
#define MGC_LAB_KNOBS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "lab/world/faultdirs.h"
#include "lab/world/faults.h"
#include "lab/world/stage.h"

/* Knobs that may be set for a while ("5s") and then go by themselves. */
enum { MGC_LAB_KNOB_TIMED = 2 };

struct mgc_lab_knobs {
    struct mgc_lab_stage *stage;     /* borrowed */
    struct mgc_lab_faultdirs phones; /* of several */
    const char *dir;                 /* borrowed: where the files of all others are */
    int64_t until_ns[MGC_LAB_KNOB_TIMED];
};

void mgc_lab_knobs_init(struct mgc_lab_knobs *knobs, struct mgc_lab_stage *stage, const char *dir);

/* Before the world is built: write the fault's file, whose phone there is. */
bool mgc_lab_knob_plant(
    const struct mgc_lab_knobs *knobs, const struct mgc_lab_fault *fault, struct mgc_error *err);

/* Write the fault's file and do what it says; true once it is in force. */
bool mgc_lab_knob_set(
    struct mgc_lab_knobs *knobs, const struct mgc_lab_fault *fault, struct mgc_error *err);
/* "[PHONE.]NAME", or PHONE for all of that phone's; NULL clears all that are set. */
bool mgc_lab_knob_clear(struct mgc_lab_knobs *knobs, const char *text, struct mgc_error *err);
/* Append a line of each that is set. */
bool mgc_lab_knob_list(
    const struct mgc_lab_knobs *knobs, struct mgc_buf *out, struct mgc_error *err);

/* Clear those whose time is over; when the next one's is, MGC_NEVER for none. */
void mgc_lab_knobs_work(struct mgc_lab_knobs *knobs);
int64_t mgc_lab_knobs_next(const struct mgc_lab_knobs *knobs);

#endif
