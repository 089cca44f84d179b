/* A client whose session broke off reports a failure of its own: a lost connection, an abort. What
 * ended the session says more, so it is looked at first. No evidence is added here: the checks that
 * own these facts add it later.
 */
#include "coordinator/verify/judge.h"

static const struct mgc_markers *client_markers(const struct judge *judge)
{
    return &judge->logs->files[MGC_LOG_CLIENT].markers;
}

void mgc_judge_cause(struct judge *judge)
{
    const struct mgc_step_outcome *server = mgc_judge_step(judge, "server");
    const struct mgc_marker_hit *lost = &client_markers(judge)->hits[MGC_MARKER_DEVICE_LOST];
    int64_t value;
    if (server && mgc_fields_get_int(&server->facts, "session_signal", &value))
        mgc_reason_set(judge->verdict, MGC_REASON_SERVER_SESSION_SIGNAL,
            "the server's session was ended by signal %lld", (long long)value);
    if (lost->count)
        mgc_reason_set(judge->verdict, MGC_REASON_GL_DEVICE_LOST,
            "the session between client and server broke off: %s", lost->line);
}

/* Only a replay that failed by itself: a crash, a wrong file or a missing library have their own
 * names. */
void mgc_judge_no_session(struct judge *judge)
{
    const struct mgc_log_scan *client = &judge->logs->files[MGC_LOG_CLIENT];
    const struct mgc_fields *result = &judge->docs.result.fields;
    const char *message = mgc_fields_get_str(result, "message");
    int64_t status;
    if (!client->present || client->error.code ||
        client->markers.hits[MGC_MARKER_CONTROL_TCP].count)
        return;
    if (mgc_result_status(&judge->docs.result, &status) && status == MGC_RESULT_RETRACE_FAILED)
        mgc_reason_set(judge->verdict, MGC_REASON_NO_SESSION,
            "the client got no session with the server%s%s", message && *message ? ": " : "",
            message ? message : "");
}
