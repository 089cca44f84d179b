/* Which device knobs are held on which phone right now: left here by host.knobs, so that another
 * task of this worker can ask the phone whether they still hold. Any thread. */
#ifndef MGC_HOST_HELD_H
#define MGC_HOST_HELD_H

#include <stdbool.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "worker-host/tasks/knob.h"

enum { MGC_HOST_HELD_MAX = 128 }; /* tasks at a time, of all phones of a worker */

struct mgc_host_held; /* opaque; lives as long as the worker */

struct mgc_host_held *mgc_host_held_new(struct mgc_error *err);
void mgc_host_held_free(struct mgc_host_held *held); /* takes NULL */

/* `knobs`: one per line (knob.h), copied. `owner`: what drop names it by. A NULL held takes
 * nothing and says yes. MGC_E_BUSY when more are held than a worker has phones for. */
bool mgc_host_held_put(struct mgc_host_held *held, const void *owner, const char *serial,
    const char *knobs, struct mgc_error *err);
void mgc_host_held_drop(struct mgc_host_held *held, const void *owner); /* unknown is fine */
/* The knobs of that phone. *ret_any: some task holds knobs there, if only an empty list. False: no
 * memory, or more than a list of knobs takes. */
bool mgc_host_held_get(struct mgc_host_held *held, const char *serial, struct mgc_knobs *ret_knobs,
    bool *ret_any, struct mgc_error *err);

#endif
