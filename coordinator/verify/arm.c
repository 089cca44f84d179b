/* Was it really this arm? Only logs prove it, never the request. */
#include "coordinator/verify/judge.h"

#include <stdio.h>
#include <string.h>

/* ---- the logs themselves ---- */

/* "No Fatal" is worth as much as the logs it was searched in. */
static void check_log(struct judge *judge, const struct mgc_log_scan *scan)
{
    char check[96];
    snprintf(check, sizeof(check), "log %s", scan->name);
    if (!scan->name || (!scan->present && !scan->required))
        return;
    if (!scan->present) {
        mgc_verdict_add(judge->verdict, check, MGC_CHECK_ABSENT, scan->name, "%s", "");
        mgc_reason_set(judge->verdict, MGC_REASON_LOG_MISSING, "%s is missing", scan->name);
    } else if (scan->error.code != MGC_OK) {
        mgc_verdict_add(judge->verdict, check, MGC_CHECK_BAD, scan->name, "%s", scan->error.text);
        mgc_reason_set(judge->verdict, MGC_REASON_LOG_UNREADABLE, "%s cannot be read: %s",
            scan->name, scan->error.text);
    } else if (scan->required && scan->lines == 0) {
        mgc_verdict_add(judge->verdict, check, MGC_CHECK_ABSENT, scan->name, "no line");
        mgc_reason_set(judge->verdict, MGC_REASON_LOG_EMPTY, "%s has no line", scan->name);
    } else {
        mgc_verdict_add(judge->verdict, check, MGC_CHECK_OK, scan->name, "%llu line%s",
            (unsigned long long)scan->lines, plural(scan->lines));
    }
}

/* The reader proves the end of the phone's log by a line of its own; gaps inside are counted but do
 * not decide, since the server's own log file has none. */
static void check_phone_log_end(struct judge *judge)
{
    static const char check[] = "phone log complete";
    const struct mgc_step_outcome *logcat = mgc_judge_step(judge, "logcat");
    const struct mgc_step_outcome *replay = mgc_judge_step(judge, "replay");
    bool complete = false;
    bool known = logcat && mgc_fields_get_bool(&logcat->facts, "complete", &complete);
    bool early = logcat && replay && logcat->end_ns < replay->end_ns;
    int64_t gaps = 0;
    if (complete && !early && mgc_fields_get_int(&logcat->facts, "gaps", &gaps)) {
        mgc_verdict_add(judge->verdict, check, MGC_CHECK_OK, "host.logcat",
            "its end is proved, %lld gap%s", (long long)gaps, plural((uint64_t)gaps));
        return;
    }
    mgc_verdict_add(judge->verdict, check, known ? MGC_CHECK_BAD : MGC_CHECK_ABSENT, "host.logcat",
        "%s",
        early   ? "it ended before the replay did"
        : known ? "its end is not proved, or nobody counted gaps"
                : "");
    if (!judge->old_layout)
        mgc_reason_set(judge->verdict, MGC_REASON_LOG_INCOMPLETE,
            "nothing proves that %s reaches to the end of the cell",
            judge->logs->files[MGC_LOG_PHONE].name);
}

/* ---- markers ---- */

struct marker_rule {
    enum mgc_marker marker;
    enum mgc_reason missing, present; /* COUNT: never required / never forbidden */
};

static const struct marker_rule marker_rules[] = {
    {MGC_MARKER_TRANSPORT_INPROC, MGC_REASON_TRANSPORT_MARKER_MISSING, MGC_REASON_OTHER_ARM},
    {MGC_MARKER_TRANSPORT_SPAWN, MGC_REASON_TRANSPORT_MARKER_MISSING, MGC_REASON_OTHER_ARM},
    {MGC_MARKER_SPAWN_ARMED, MGC_REASON_SECOND_PROCESS_MISSING, MGC_REASON_OTHER_ARM},
    {MGC_MARKER_CONTROL_TCP, MGC_REASON_SESSION_MARKER_MISSING, MGC_REASON_OTHER_ARM},
    {MGC_MARKER_RUN_AHEAD_ARMED, MGC_REASON_RUN_AHEAD_NOT_ARMED, MGC_REASON_COUNT},
    {MGC_MARKER_TRANSPORT_REFUSED, MGC_REASON_COUNT, MGC_REASON_TRANSPORT_REFUSED},
    {MGC_MARKER_LOCKSTEP, MGC_REASON_COUNT, MGC_REASON_LOCKSTEP},
    {MGC_MARKER_DISARMED, MGC_REASON_COUNT, MGC_REASON_RUN_AHEAD_DISARMED},
    {MGC_MARKER_FATAL, MGC_REASON_COUNT, MGC_REASON_FATAL_IN_LOG},
    {MGC_MARKER_DEVICE_LOST, MGC_REASON_COUNT, MGC_REASON_GL_DEVICE_LOST},
};

static const struct marker_rule *rule_of(const char *marker_name)
{
    for (size_t i = 0; i < sizeof(marker_rules) / sizeof(marker_rules[0]); i++) {
        if (strcmp(mgc_marker_name(marker_rules[i].marker), marker_name) == 0)
            return &marker_rules[i];
    }
    return NULL;
}

static void name_unknown_marker(struct judge *judge, const char *name)
{
    mgc_reason_set(judge->verdict, MGC_REASON_UNKNOWN_MARKER,
        "arm '%s' names marker '%s', which this build cannot judge", judge->cell->arm, name);
}

static void add_hit(struct judge *judge, const char *check, enum mgc_check_outcome outcome,
    const struct mgc_log_scan *scan, const struct mgc_marker_hit *hit)
{
    char source[96];
    snprintf(source, sizeof(source), "%s:%llu", scan->name, (unsigned long long)hit->line_number);
    mgc_verdict_add(judge->verdict, check, outcome, source, "%s", hit->line);
}

static const struct mgc_log_scan *client_log(const struct judge *judge)
{
    return &judge->logs->files[MGC_LOG_CLIENT];
}

/* Only the client's own log proves its arm. */
static void check_required(struct judge *judge, const char *name)
{
    const struct marker_rule *rule = rule_of(name);
    const struct mgc_log_scan *client = client_log(judge);
    if (!rule || rule->missing == MGC_REASON_COUNT) {
        name_unknown_marker(judge, name);
        return;
    }
    const struct mgc_marker_hit *hit = &client->markers.hits[rule->marker];
    if (hit->count) {
        add_hit(judge, name, MGC_CHECK_OK, client, hit);
        return;
    }
    mgc_verdict_add(judge->verdict, name, MGC_CHECK_ABSENT, client->name, "%s", "");
    mgc_reason_set(judge->verdict, rule->missing, "%s", mgc_reason_words(rule->missing)->meaning);
}

static void add_not_seen(struct judge *judge, const char *name)
{
    uint64_t lines = 0;
    unsigned logs = 0;
    for (int i = 0; i < MGC_LOG_FILE_COUNT; i++) {
        lines += judge->logs->files[i].lines;
        logs += judge->logs->files[i].present;
    }
    mgc_verdict_add(judge->verdict, name, lines ? MGC_CHECK_OK : MGC_CHECK_ABSENT, "all logs",
        "not seen in %llu line%s of %u log%s", (unsigned long long)lines, plural(lines), logs,
        plural(logs));
}

static void check_forbidden(struct judge *judge, const char *name)
{
    const struct marker_rule *rule = rule_of(name);
    if (!rule || rule->present == MGC_REASON_COUNT) {
        name_unknown_marker(judge, name);
        return;
    }
    bool seen = false;
    for (int i = 0; i < MGC_LOG_FILE_COUNT; i++) {
        const struct mgc_log_scan *scan = &judge->logs->files[i];
        const struct mgc_marker_hit *hit = &scan->markers.hits[rule->marker];
        if (!hit->count)
            continue;
        seen = true;
        add_hit(judge, name, MGC_CHECK_BAD, scan, hit);
        mgc_reason_set(judge->verdict, rule->present, "%s (%s:%llu): %.200s",
            mgc_reason_words(rule->present)->meaning, scan->name,
            (unsigned long long)hit->line_number, hit->line);
    }
    if (!seen)
        add_not_seen(judge, name);
}

/* ---- refusal ---- */

static enum mgc_reason refusal_reason(const char *code)
{
    static const struct {
        const char *code;
        enum mgc_reason reason;
    } known[] = {
        {"Busy", MGC_REASON_REFUSED_BUSY},
        {"Authentication", MGC_REASON_REFUSED_AUTHENTICATION},
        {"Backend", MGC_REASON_REFUSED_BACKEND},
        {"ProtocolMismatch", MGC_REASON_REFUSED_BUILD},
        {"BuildFingerprint", MGC_REASON_REFUSED_BUILD},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(known[i].code, code) == 0)
            return known[i].reason;
    }
    return MGC_REASON_REFUSED;
}

void mgc_judge_refusal(struct judge *judge)
{
    const struct mgc_log_scan *client = client_log(judge);
    const struct mgc_marker_hit *hit = &client->markers.hits[MGC_MARKER_REFUSE];
    if (!hit->count)
        return;
    add_hit(judge, "refused", MGC_CHECK_BAD, client, hit);
    mgc_reason_set(judge->verdict, refusal_reason(client->markers.refuse_code),
        "the server refused the session: Refuse{%s}", client->markers.refuse_code);
}

/* ---- what the client says of its session ---- */

/* Hold a value of the client's log against the cell's; NULL or "" means the log does not have it,
 * `varies` that a later line has another one. */
static void check_value(struct judge *judge, const char *check, const char *value, bool varies,
    const char *expected, enum mgc_reason unknown, enum mgc_reason differs)
{
    const char *source = client_log(judge)->name;
    bool not_known = judge->old_layout && !expected;
    if (not_known && !varies) {
        bool said = value && value[0];
        mgc_verdict_add(judge->verdict, check, said ? MGC_CHECK_OK : MGC_CHECK_ABSENT, source, "%s",
            said ? value : "");
        return;
    }
    if (!expected)
        expected = "nothing, the plan names none";
    if (!value || !value[0]) {
        mgc_verdict_add(judge->verdict, check, MGC_CHECK_ABSENT, source, "%s", "");
        mgc_reason_set(judge->verdict, unknown, "the client's log does not say its %s, expected %s",
            check, expected);
        return;
    }
    const char *later = varies ? " and later another" : "";
    bool good = strcmp(value, expected) == 0 && !varies;
    mgc_verdict_add(judge->verdict, check, good ? MGC_CHECK_OK : MGC_CHECK_BAD, source,
        "%s%s (expected %s)", value, later, expected);
    if (!good)
        mgc_reason_set(judge->verdict, differs, "the client's %s was %s%s, expected %s", check,
            value, later, expected);
}

static void check_values(struct judge *judge)
{
    const struct mgc_markers *markers = &client_log(judge)->markers;
    const struct mgc_expect *expect = &judge->cell->expect;
    char credit[24], expected_credit[24];
    snprintf(credit, sizeof(credit), "%lld", (long long)markers->present_credit);
    snprintf(expected_credit, sizeof(expected_credit), "%lld", (long long)expect->credit);
    if (judge->arm->server)
        check_value(judge, "server address", markers->control_server, markers->control_varies,
            expect->endpoint, MGC_REASON_SERVER_UNKNOWN, MGC_REASON_WRONG_SERVER);
    if (judge->arm->client_env)
        check_value(judge, "present credit", markers->has_present_credit ? credit : NULL,
            markers->present_credit_varies,
            judge->old_layout && !expect->credit ? NULL : expected_credit,
            MGC_REASON_CREDIT_UNKNOWN, MGC_REASON_CREDIT_DIFFERS);
    check_value(judge, "backend", markers->backend, markers->backend_varies, expect->backend,
        MGC_REASON_BACKEND_UNKNOWN, MGC_REASON_BACKEND_DIFFERS);
}

void mgc_judge_forbidden(struct judge *judge)
{
    for (const char *const *name = judge->arm ? judge->arm->forbidden : NULL; name && *name; name++)
        check_forbidden(judge, *name);
}

void mgc_judge_arm(struct judge *judge)
{
    const struct mgc_bench_arm *arm = judge->arm;
    for (int i = 0; i < MGC_LOG_FILE_COUNT; i++)
        if (i != MGC_LOG_FORWARDED)
            check_log(judge, &judge->logs->files[i]);
    check_phone_log_end(judge);
    if (!arm) {
        mgc_reason_set(judge->verdict, MGC_REASON_UNKNOWN_ARM, "arm '%s' is not in the bench",
            judge->cell->arm);
        return;
    }
    /* A line that must not be there says more than a line that is missing: a client in lockstep is
     * not armed either. */
    mgc_judge_forbidden(judge);
    for (const char *const *name = arm->required; *name; name++)
        check_required(judge, *name);
    /* A client that forked no server left no log of one; its own markers say so better. */
    check_log(judge, &judge->logs->files[MGC_LOG_FORWARDED]);
    check_values(judge);
}
