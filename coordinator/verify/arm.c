/* Was it really this arm? Only logs prove it, never the request. */
#include "coordinator/verify/judge.h"

#include <stdio.h>
#include <string.h>

#include "coordinator/plan/bench.h"

struct marker_words {
    enum mgc_marker marker;
    const char *reason_missing, *reason_present; /* NULL: never required / never forbidden */
    const char *text;
    const char *next_step;
};

static const struct marker_words marker_words[] = {
    {MGC_MARKER_TRANSPORT_SPAWN, "transport-marker-missing", NULL,
        "the client's log does not prove MOBILEGL_TRANSPORT=spawn: it may have run another arm",
        "check that the client's library is a disaggregated build"},
    {MGC_MARKER_CONTROL_TCP, "session-marker-missing", NULL,
        "the client's log has no line of a TCP session with the server",
        "check that the client's library is a disaggregated build"},
    {MGC_MARKER_RUN_AHEAD_ARMED, "run-ahead-not-armed", NULL,
        "the client's log has no 'run-ahead ARMED' line: frames may have waited for each other",
        "check MOBILEGL_IPC_RUN_AHEAD and that client and server builds match"},
    {MGC_MARKER_LOCKSTEP, NULL, "lockstep", "the client ran in lockstep",
        "client and server builds do not match, or the start-up race hit; run it again"},
    {MGC_MARKER_DISARMED, NULL, "run-ahead-disarmed", "run-ahead was disarmed during the run",
        "see the caps snapshot in the client's log"},
    {MGC_MARKER_FATAL, NULL, "fatal-in-log", "a Fatal line stands in a log",
        "see the line for its family"},
};

static const struct marker_words *words_of(const char *marker_name)
{
    for (size_t i = 0; i < sizeof(marker_words) / sizeof(marker_words[0]); i++) {
        if (strcmp(mgc_marker_name(marker_words[i].marker), marker_name) == 0)
            return &marker_words[i];
    }
    return NULL;
}

static void add_hit(struct judge *judge, const char *check, enum mgc_check_outcome outcome,
    const struct mgc_log_scan *scan, const struct mgc_marker_hit *hit)
{
    char source[96];
    snprintf(source, sizeof(source), "%s:%llu", scan->name, (unsigned long long)hit->line_number);
    mgc_verdict_add(judge->verdict, check, outcome, source, "%s", hit->line);
}

/* Only the client's own log proves its arm. */
static void check_required(struct judge *judge, const char *name)
{
    const struct marker_words *words = words_of(name);
    const struct mgc_log_scan *client = &judge->logs->files[MGC_LOG_CLIENT];
    if (!words || !words->reason_missing) {
        mgc_verdict_set(judge->verdict, MGC_VERDICT_INVALID, "unknown-marker", "",
            "the arm requires marker '%s', which this build does not know", name);
        return;
    }
    const struct mgc_marker_hit *hit = &client->markers.hits[words->marker];
    if (hit->count) {
        add_hit(judge, name, MGC_CHECK_OK, client, hit);
        return;
    }
    mgc_verdict_add(judge->verdict, name, MGC_CHECK_ABSENT, client->name, "%s",
        client->present ? "" : "no such file");
    mgc_verdict_set(judge->verdict, MGC_VERDICT_INVALID, words->reason_missing, words->next_step,
        "%s", words->text);
}

/* The phone's log belongs to all its programs; of ours only Fatal is searched there. */
static bool is_searched(enum mgc_log_file file, enum mgc_marker marker)
{
    return file != MGC_LOG_PHONE || marker == MGC_MARKER_FATAL;
}

static void check_forbidden(struct judge *judge, const char *name)
{
    const struct marker_words *words = words_of(name);
    if (!words || !words->reason_present) {
        mgc_verdict_set(judge->verdict, MGC_VERDICT_INVALID, "unknown-marker", "",
            "the arm forbids marker '%s', which this build does not know", name);
        return;
    }
    uint64_t count = 0;
    for (int i = 0; i < MGC_LOG_FILE_COUNT; i++) {
        const struct mgc_log_scan *scan = &judge->logs->files[i];
        const struct mgc_marker_hit *hit = &scan->markers.hits[words->marker];
        if (!hit->count || !is_searched((enum mgc_log_file)i, words->marker))
            continue;
        add_hit(judge, name, MGC_CHECK_BAD, scan, hit);
        if (count == 0)
            mgc_verdict_set(judge->verdict, MGC_VERDICT_INVALID, words->reason_present,
                words->next_step, "%s (%s:%llu)", words->text, scan->name,
                (unsigned long long)hit->line_number);
        count += hit->count;
    }
    if (count == 0)
        mgc_verdict_add(judge->verdict, name, MGC_CHECK_OK, "all logs", "not seen");
}

static void check_refusal(struct judge *judge)
{
    const struct mgc_log_scan *client = &judge->logs->files[MGC_LOG_CLIENT];
    const struct mgc_marker_hit *hit = &client->markers.hits[MGC_MARKER_REFUSE];
    if (!hit->count)
        return;
    add_hit(judge, "refused", MGC_CHECK_BAD, client, hit);
    bool busy = strcmp(client->markers.refuse_code, "Busy") == 0;
    char reason[64];
    snprintf(reason, sizeof(reason), "refused-%s", client->markers.refuse_code);
    for (char *c = reason; *c; c++)
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c + 'a' - 'A' : *c);
    mgc_verdict_set(judge->verdict, MGC_VERDICT_FAILED, reason,
        busy ? "another session is open on the phone, or an old one was not reaped"
             : "client and server do not fit together; see the line",
        "the server refused the session: Refuse{%s}", client->markers.refuse_code);
    if (busy && strcmp(judge->verdict->reason, reason) == 0)
        judge->verdict->infrastructure = true;
}

static void check_endpoint(struct judge *judge)
{
    const struct mgc_log_scan *client = &judge->logs->files[MGC_LOG_CLIENT];
    const char *server = client->markers.control_server;
    const char *expected = judge->cell->expect.endpoint;
    if (!server[0] || !expected)
        return; /* its absence was judged as a marker */
    bool good = strcmp(server, expected) == 0;
    mgc_verdict_add(judge->verdict, "server address", good ? MGC_CHECK_OK : MGC_CHECK_BAD,
        client->name, "%s (expected %s)", server, expected);
    if (!good)
        mgc_verdict_set(judge->verdict, MGC_VERDICT_INVALID, "wrong-server",
            "check MOBILEGL_IPC_CONTROL", "the client talked to %s, not to %s", server, expected);
}

static void check_credit(struct judge *judge)
{
    const struct mgc_log_scan *client = &judge->logs->files[MGC_LOG_CLIENT];
    long long credit = client->markers.present_credit, expected = judge->cell->expect.credit;
    if (!client->markers.has_present_credit) {
        mgc_verdict_add(judge->verdict, "present credit", MGC_CHECK_ABSENT, client->name, "%s", "");
        mgc_verdict_set(judge->verdict, MGC_VERDICT_INVALID, "credit-unknown",
            "check the client's build",
            "the client's log does not say its present credit, %lld was asked for", expected);
        return;
    }
    mgc_verdict_add(judge->verdict, "present credit",
        credit == expected ? MGC_CHECK_OK : MGC_CHECK_BAD, client->name, "%lld (expected %lld)",
        credit, expected);
    if (credit != expected)
        mgc_verdict_set(judge->verdict, MGC_VERDICT_INVALID, "credit-differs",
            "check MOBILEGL_IPC_PRESENT_CREDIT",
            "the client used a present credit of %lld, not %lld", credit, expected);
}

static void check_backend(struct judge *judge)
{
    const struct mgc_log_scan *client = &judge->logs->files[MGC_LOG_CLIENT];
    const char *backend = client->markers.backend, *expected = judge->cell->expect.backend;
    if (!expected)
        return;
    bool good = strcmp(backend, expected) == 0;
    mgc_verdict_add(judge->verdict, "backend",
        good         ? MGC_CHECK_OK
        : backend[0] ? MGC_CHECK_BAD
                     : MGC_CHECK_ABSENT,
        client->name, "%s", backend);
    if (!good)
        mgc_verdict_set(judge->verdict, MGC_VERDICT_INVALID, "backend-differs", "check --backend",
            "the client's log proves backend '%s', not '%s'", backend, expected);
}

void mgc_judge_arm(struct judge *judge)
{
    const struct mgc_bench_arm *arm = mgc_bench_arm(mgc_bench_built_in(), judge->cell->arm);
    if (!arm) {
        mgc_verdict_set(judge->verdict, MGC_VERDICT_INVALID, "unknown-arm", "",
            "arm '%s' is not in the bench", judge->cell->arm);
        return;
    }
    check_refusal(judge);
    for (const char *const *name = arm->required; *name; name++)
        check_required(judge, *name);
    for (const char *const *name = arm->forbidden; *name; name++)
        check_forbidden(judge, *name);
    check_endpoint(judge);
    check_credit(judge);
    check_backend(judge);
}
