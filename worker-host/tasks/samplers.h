/* Which task samples which phone right now: host.state leaves itself here, so that host.replay can
 * say when its run begins and ends, and rows are taken then, not only when the next one is due. Any
 * thread. */
#ifndef MGC_HOST_SAMPLERS_H
#define MGC_HOST_SAMPLERS_H

#include <stdbool.h>

#include "common/base/error.h"
#include "common/plat/stop.h"

enum { MGC_HOST_SAMPLERS_MAX = 128 }; /* tasks at a time, of all phones of a worker */

struct mgc_host_samplers; /* opaque; lives as long as the worker */

/* What a sampler is told. Zeroed: nothing. */
struct mgc_host_moments {
    bool run_begins, run_ends;
};

struct mgc_host_samplers *mgc_host_samplers_new(struct mgc_error *err);
void mgc_host_samplers_free(struct mgc_host_samplers *samplers); /* takes NULL */

/* `bell` is raised for whatever is told; it must live until drop, and names the sampler. A NULL
 * samplers takes nothing and says yes. MGC_E_BUSY when more go on than a worker has phones for. */
bool mgc_host_samplers_put(struct mgc_host_samplers *samplers, struct mgc_stop *bell,
    const char *serial, struct mgc_error *err);
void mgc_host_samplers_drop(struct mgc_host_samplers *samplers, const struct mgc_stop *bell);
/* Tell all samplers of that phone; returns at once. */
void mgc_host_samplers_tell(
    struct mgc_host_samplers *samplers, const char *serial, struct mgc_host_moments moments);
/* What was told since the last time; lowers the bell. */
struct mgc_host_moments mgc_host_samplers_take(
    struct mgc_host_samplers *samplers, struct mgc_stop *bell);

#endif
