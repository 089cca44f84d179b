/* Runs that could not begin, because the bench was taken or the disk full: one line each in
 * RESULTS/skipped.jsonl, since such a run leaves no directory that could say so.
 *
 * {"time": "2026-12-01T02:00:03Z", "plan": "nightly", "run_id": ..., "exit_code": 3, "why": ...}
 */
#ifndef MGC_NIGHT_SKIPPED_H
#define MGC_NIGHT_SKIPPED_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/error.h"

struct mgc_skipped { /* texts are borrowed */
    int64_t wall_ns;
    const char *plan, *run_id;
    int exit_code;
    const char *why; /* a sentence */
};

/* Appends; several programs may at the same time. */
bool mgc_skipped_record(
    const char *results, const struct mgc_skipped *skipped, struct mgc_error *err);

/* The last `max` of them as text for people, oldest first, a line each; `plan`: only that plan's,
 * NULL: all. Lines that are none of ours are passed over. True also when there is no such file. */
bool mgc_skipped_print(
    const char *results, const char *plan, size_t max, struct mgc_buf *out, struct mgc_error *err);

#endif
