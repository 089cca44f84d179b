/* The property debug.lab.conditions: under which conditions somebody measures here, so that no
 * report of a run in the lab goes without them. What the world wrote when it was built ($MGLAB_RUN/
 * conditions: link, latency), then the faults that are set at this moment. */
#ifndef MGC_LAB_PHONE_CONDITIONS_H
#define MGC_LAB_PHONE_CONDITIONS_H

#include "common/base/buf.h"

#define MGL_CONDITIONS_PROP "debug.lab.conditions"

/* "link ethernet, faults client-slow=60 link-delay-ms=40", or "..., no faults". */
void mgl_conditions(struct mgc_buf *out);

#endif
