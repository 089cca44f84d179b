/* Asked of the phone once more after a replay: is the app still the one that the setup hashed, and
 * do the knobs that a task of this worker holds still hold? It goes through the shell that launched
 * the app, so it costs no stream. Pure; any thread. */
#ifndef MGC_HOST_REPLAY_CHECK_H
#define MGC_HOST_REPLAY_CHECK_H

#include <stdbool.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/fields.h"
#include "worker-host/tasks/knob.h"

/* First and last line of the report. */
#define MGC_REPLAY_CHECK_BEGIN "mgc:check"
#define MGC_REPLAY_CHECK_END   "mgc:end"

/* Shell function `check PACKAGE`, which prints the report. `held`: knobs to read (NULL: none).
 * False: no memory. */
bool mgc_replay_check_script(struct mgc_buf *out, const struct mgc_knobs *held);
/* Facts of the lines after the first one, the last one included: app_stamp, and knobs_lost unless
 * `held` is NULL. What the phone did not say is absent. False: no memory. */
bool mgc_replay_check_take(const char *report, const struct mgc_knobs *held,
    struct mgc_fields *facts, struct mgc_error *err);

#endif
