/* The render server's session of this cell: did it end well, was it this client's, and is the log
 * that speaks for it this server's? */
#include "coordinator/verify/judge.h"

static void add_session(struct judge *judge, enum mgc_check_outcome outcome, const char *line)
{
    mgc_verdict_add(
        judge->verdict, "server session", outcome, "host.server", "%s", line ? line : "");
}

/* The line is the proof, the numbers are what the worker read from it: both have to be there. */
static void check_session(struct judge *judge)
{
    static const struct mgc_fields none;
    const struct mgc_step_outcome *server = mgc_judge_step(judge, "server");
    const struct mgc_fields *facts = server ? &server->facts : &none;
    const char *line = mgc_fields_get_str(facts, "reap_line");
    bool reaped = true;
    int64_t value;
    mgc_fields_get_bool(facts, "session_reaped", &reaped);
    reaped = reaped && line && *line;
    if (mgc_fields_get_int(facts, "session_signal", &value)) {
        add_session(judge, MGC_CHECK_BAD, line);
        mgc_reason_set(judge->verdict, MGC_REASON_SERVER_SESSION_SIGNAL,
            "the server's session was ended by signal %lld", (long long)value);
    } else if (mgc_fields_get_int(facts, "session_exit", &value) && value != 0) {
        add_session(judge, MGC_CHECK_BAD, line);
        mgc_reason_set(judge->verdict, MGC_REASON_SERVER_SESSION_EXIT,
            "the server's session ended with exit code %lld", (long long)value);
    } else if (reaped && mgc_fields_get_int(facts, "session_exit", &value)) {
        add_session(judge, MGC_CHECK_OK, line);
    } else {
        add_session(judge, MGC_CHECK_ABSENT, line);
        mgc_reason_set(judge->verdict, MGC_REASON_SESSION_NOT_REAPED,
            "no line says that the server's session was reaped with exit code 0");
    }
}

/* The client's log names the server process of its session, the reap line the one that was reaped:
 * a session of somebody else's client, or one that is not over, proves nothing about ours. */
static void check_session_is_ours(struct judge *judge)
{
    static const char check[] = "session is the client's";
    const struct mgc_markers *client = &judge->logs->files[MGC_LOG_CLIENT].markers;
    const struct mgc_step_outcome *server = mgc_judge_step(judge, "server");
    int64_t pid;
    if (!client->has_control_pid || !server ||
        !mgc_fields_get_int(&server->facts, "session_pid", &pid)) {
        mgc_verdict_add(judge->verdict, check, MGC_CHECK_ABSENT, "host.server", "%s", "");
        mgc_reason_set(judge->verdict, MGC_REASON_OTHER_SESSION,
            "nothing says that the session that was reaped was this client's");
        return;
    }
    bool ours = pid == client->control_pid;
    mgc_verdict_add(judge->verdict, check, ours ? MGC_CHECK_OK : MGC_CHECK_BAD, "host.server",
        "reaped pid %lld, the client talked to pid %lld", (long long)pid,
        (long long)client->control_pid);
    if (!ours)
        mgc_reason_set(judge->verdict, MGC_REASON_OTHER_SESSION,
            "the session that was reaped (pid %lld) is not this client's (pid %lld)",
            (long long)pid, (long long)client->control_pid);
}

/* "No Fatal in the server's log" is worth nothing when the file is an older server's. */
static void check_log_is_the_servers(struct judge *judge)
{
    static const char check[] = "log is the server's";
    const struct mgc_log_scan *log = &judge->logs->files[MGC_LOG_SERVER];
    const struct mgc_listen *listening = &log->markers.listening;
    const struct mgc_step_outcome *server = mgc_judge_step(judge, "server");
    int64_t pid;
    if (!listening->known || !listening->has_pid || !server ||
        !mgc_fields_get_int(&server->facts, "server_pid", &pid)) {
        mgc_verdict_add(judge->verdict, check, MGC_CHECK_ABSENT, log->name, "%s", "");
        mgc_reason_set(judge->verdict, MGC_REASON_OTHER_SERVER_LOG,
            "no listen line in %s ties it to this cell's server", log->name);
        return;
    }
    bool ours = pid == listening->pid;
    mgc_verdict_add(judge->verdict, check, ours ? MGC_CHECK_OK : MGC_CHECK_BAD, log->name,
        "of pid %lld, the server was pid %lld", (long long)listening->pid, (long long)pid);
    if (!ours)
        mgc_reason_set(judge->verdict, MGC_REASON_OTHER_SERVER_LOG,
            "%s is of process %lld, this cell's server was %lld", log->name,
            (long long)listening->pid, (long long)pid);
}

void mgc_judge_session(struct judge *judge)
{
    check_session(judge);
    check_session_is_ours(judge);
    check_log_is_the_servers(judge);
}
