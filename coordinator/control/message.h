/* What is said on a run's control socket: one JSON object per line, in both directions.
 *
 *   -> {"request": "hosts"}                           hosts, watch, keys or cancel; one per
 * connection
 *   <- {"ok": true, "run_id": "...", "pid": 4711, ...}
 *   <- {"ok": false, "code": "busy", "text": "..."}
 *
 * `watch` is answered with the run's state, then one line per event until the run is over:
 *
 *   <- {"event": "step", "cell": "crosshost/...", "step": "replay", "text": "..."}
 *   <- {"event": "over", "text": "..."}
 *
 * Unknown keys are passed over. Pure; both ends use it.
 */
#ifndef MGC_CONTROL_MESSAGE_H
#define MGC_CONTROL_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/json/json.h"

enum { MGC_CONTROL_REQUEST_MAX = 4096, MGC_CONTROL_ANSWER_MAX = 256 * 1024 }; /* bytes of a line */

enum mgc_control_request {
    MGC_CONTROL_HOSTS,  /* who is connected */
    MGC_CONTROL_WATCH,  /* how far it is, and what happens from now on */
    MGC_CONTROL_KEYS,   /* the key directory changed: read it again */
    MGC_CONTROL_CANCEL, /* as Ctrl-C */
};
const char *mgc_control_request_name(enum mgc_control_request request);

/* A line without its end. MGC_E_PROTOCOL says what was expected. */
bool mgc_control_request_parse(
    const char *line, size_t len, enum mgc_control_request *ret_request, struct mgc_error *err);
/* The answer's body, or an event: an object, to json_decref. NULL: the line is none of both
 * (MGC_E_PROTOCOL), or an answer of "no" with its own code and sentence. */
json_t *mgc_control_answer_parse(const char *line, size_t len, struct mgc_error *err);

/* Append a line with its end. The second takes the body's reference over; a body without "ok" and
 * "event" gets "ok". */
bool mgc_control_put_request(struct mgc_buf *out, enum mgc_control_request request);
bool mgc_control_put_answer(struct mgc_buf *out, json_t *body);
bool mgc_control_put_refusal(struct mgc_buf *out, const struct mgc_error *why);

#endif
