/* What a lab needs on disk before it starts: fixtures, keys and enrolment files, the site file.
 * Each is made by the product's or the lab's own programs and kept for the next start.
 */
#ifndef MGC_LAB_PREPARE_H
#define MGC_LAB_PREPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "lab/world/layout.h"
#include "lab/world/roster.h"

struct mgc_lab_prepare {
    int64_t frames_divisor;
    int64_t heartbeat_ms, silence_ms; /* 0: the product's default */
    struct mgc_lab_roster roster;
    int stop_fd; /* readable: give up, whatever is half done is made anew the next time; -1: none */
};

/* The error names the layer: "fixtures: ...", "keys: ...", "site: ..."; MGC_E_CANCELLED
 * when told to stop. */
bool mgc_lab_prepare(const struct mgc_lab_layout *layout, const struct mgc_lab_prepare *options,
    struct mgc_error *err);

#endif
