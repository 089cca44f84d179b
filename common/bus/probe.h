/* A plain TCP connect beside the loop: tells refused, unreachable and silent apart, which a
 * ZeroMQ socket does not. Runs on a thread of its own for as long as the connect takes.
 * Internal to bus/.
 */
#ifndef MGC_BUS_PROBE_H
#define MGC_BUS_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/bus/loop.h"

struct mgc_probe; /* opaque */

/* Connect to "tcp://HOST:PORT" within timeout_ms, then call done once on the loop's thread: err
 * is NULL when something accepted, and lives as long as the probe, which the callback frees. NULL
 * when it cannot start. */
struct mgc_probe *mgc_probe_start(struct mgc_loop *loop, const char *address, int64_t timeout_ms,
    void (*done)(void *user, const struct mgc_error *err), void *user, struct mgc_error *err);

/* Breaks the connect off when it still runs; done is not called any more. Takes NULL. */
void mgc_probe_free(struct mgc_probe *probe);

#endif
