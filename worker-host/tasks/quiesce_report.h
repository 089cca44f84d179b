/* What host.quiesce asks the phone, and what the answers mean. Pure; any thread.
 *
 * One shell stream: the packages are stopped, stale outputs removed, then a report; each line on
 * standard input asks for another report, its end ends the shell. Each report begins with waking
 * the phone. Old outputs go because a result.json of the run before looks like one of this run
 * (contract section 3.1, step 1).
 */
#ifndef MGC_HOST_QUIESCE_REPORT_H
#define MGC_HOST_QUIESCE_REPORT_H

#include <stdbool.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/fields.h"
#include "worker-host/tasks/knob.h"

/* Exit codes of the script; away from those of sh, run-as and kill. */
enum {
    MGC_QUIESCE_EXIT_STOP = 91,  /* am force-stop failed */
    MGC_QUIESCE_EXIT_LEFT = 92,  /* a process is still there */
    MGC_QUIESCE_EXIT_CLEAN = 94, /* stale outputs could not be removed */
};

/* `packages`: names joined by commas, each checked; `package`: whose outputs are removed; `held`:
 * knobs that each report reads as well (NULL: none). */
bool mgc_quiesce_script(
    struct mgc_buf *out, const char *packages, const char *package, const struct mgc_knobs *held);
/* Only the stop: force-stop of all, and a wait until none of their processes is left. */
bool mgc_quiesce_stop_script(struct mgc_buf *out, const char *packages);

/* What the script's exit code means; `text`: what it wrote to stderr. Fills err, returns false. */
bool mgc_quiesce_exit_error(
    const char *serial, int exit_code, const char *text, struct mgc_error *err);

/* Length of the first complete report in `text` (up to and with its last line), 0: none yet. */
size_t mgc_quiesce_report_length(const char *text);
/* Facts of one report of `len` bytes: removed, battery_temp_dc, battery_level, power_source,
 * stay_awake, wakefulness, boot_id, app_stamp, free_bytes. What the phone did not say is left out;
 * what an earlier report said is forgotten, but for what was removed and how much room there is. */
bool mgc_quiesce_report_take(
    const char *text, size_t len, struct mgc_fields *facts, struct mgc_error *err);

struct mgc_quiesce_want {
    bool has_temp_min, has_temp_max;
    int64_t temp_min_dc, temp_max_dc; /* tenths of a degree C */
    bool plugged;                     /* must be on a power source */
    bool refuse_unreadable;           /* what is asked for and cannot be read is no "ok" */
    const char *stay_awake;           /* the setting that is expected; NULL or empty: any */
    bool has_cool_to, was_hot; /* was_hot: it was found above the band, and has to cool to this */
    int64_t cool_to_dc;
    int64_t free_min_bytes; /* for the app's files; 0: any */
};
/* "ok", "hot", "cold", "unplugged", "unreadable", "full", "asleep" or "stay-awake-off". */
const char *mgc_quiesce_gate(const struct mgc_quiesce_want *want, const struct mgc_fields *facts);
/* What a gate means, as the end of a sentence about the phone: "its battery, at 48.0 C, is above
 * the temperature band (5.0 to 38.0 C)". */
void mgc_quiesce_gate_text(const char *gate, const struct mgc_quiesce_want *want,
    const struct mgc_fields *facts, char *ret_text, size_t size);
/* What a shut gate waits for, short, for a person who waits too: "for 5.0 to 38.0 C, battery 48.0
 * C". */
void mgc_quiesce_wait_text(const char *gate, const struct mgc_quiesce_want *want,
    const struct mgc_fields *facts, char *ret_text, size_t size);

#endif
