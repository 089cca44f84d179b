/* Where the faults of each phone are: in a lab of one RUN/faults, in one of several
 * RUN/NAME/faults, which the phone sees as /run/mglab/faults. RUN/at/ADDRESS leads to the same
 * place, for a client that knows of the phone only where it is. PID 1 only.
 */
#ifndef MGC_LAB_FAULTDIRS_H
#define MGC_LAB_FAULTDIRS_H

#include "common/base/buf.h"
#include "lab/world/faults.h"
#include "lab/world/roster.h"

struct mgc_lab_faultdirs {
    const struct mgc_lab_roster *roster; /* borrowed, like run */
    const char *run;                     /* the directory that stands for /run/mglab */
};

/* Make the directories of several phones, and write `conditions` (lab/phone/conditions.h) for each
 * phone. */
bool mgc_lab_faultdirs_make(
    const struct mgc_lab_faultdirs *dirs, const char *conditions, struct mgc_error *err);

/* MGC_E_USAGE, with the names there are, when no phone is called so; "" is every phone. */
bool mgc_lab_faultdirs_check(
    const struct mgc_lab_faultdirs *dirs, const char *phone, struct mgc_error *err);

/* Of several: the fault's phone, or all of them. */
bool mgc_lab_faultdirs_set(
    const struct mgc_lab_faultdirs *dirs, const struct mgc_lab_fault *fault, struct mgc_error *err);
/* phone "": of all; name NULL: every fault. */
bool mgc_lab_faultdirs_clear(const struct mgc_lab_faultdirs *dirs, const char *phone,
    const char *name, struct mgc_error *err);
/* Append "PHONE.NAME VALUE\n" for each that is set. */
bool mgc_lab_faultdirs_list(
    const struct mgc_lab_faultdirs *dirs, struct mgc_buf *out, struct mgc_error *err);

#endif
