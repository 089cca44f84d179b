/* The link as it is to be now: a profile, and the fault knobs that change it while it runs.
 *
 * The knobs are fault files like all others (lab/world/faults.h); mglab checks a value with the
 * same function that the emulator applies it with. */
#ifndef MGC_LAB_LINK_SETTINGS_H
#define MGC_LAB_LINK_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"
#include "lab/link/profile.h"

struct mgc_lab_link_settings {
    struct mgc_lab_link_profile profile;
    bool cut; /* nothing passes */
};

/* True for "link-..." knobs of the table below. */
bool mgc_lab_link_knob_known(const char *name);

/*   link-profile    NAME     all of another profile
 *   link-delay-ms   0..5000  its delay, one way
 *   link-rate-mbit  1..10000 its rate
 *   link-cut        forever or a duration (who set it takes it away again after that)
 * Pure. MGC_E_USAGE names the knob and what was expected; *settings is unchanged then. */
bool mgc_lab_link_knob_apply(struct mgc_lab_link_settings *settings, const char *name,
    const char *value, struct mgc_error *err);

/* The named profile with the knobs of a fault directory applied, profile first; its queue grows
 * with rate and delay. */
bool mgc_lab_link_settings_read(const char *profile, const char *dir,
    struct mgc_lab_link_settings *ret_settings, struct mgc_error *err);

#endif
