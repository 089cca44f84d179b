/* A lab without namespaces: what PID 1 of a PID namespace has for nothing, as far as an ordinary
 * process can have it.
 *
 * Its first process adopts every orphan below it and kills what is left at its end. When it is
 * killed itself, its members die by parent-death signal; what these started in the background may
 * stay. Ports are the machine's, so one such lab can run at a time. */
#ifndef MGC_LAB_LOOPBACK_H
#define MGC_LAB_LOOPBACK_H

#include <stdbool.h>

#include "common/base/error.h"
#include "lab/world/layout.h"
#include "lab/world/roster.h"

/* In the lab's first process: its ports are free, an empty run directory, the environment, the
 * ties. */
bool mgc_lab_loopback_settle(const struct mgc_lab_layout *layout,
    const struct mgc_lab_roster *roster, struct mgc_error *err);

/* In the lab's first process, last of all: kill whoever is left below it. */
void mgc_lab_loopback_end(const struct mgc_lab_layout *layout);

#endif
