/* The verdict on a link test. The two ends count on their own: the sink as host.sink tells it over
 * adb, the client as wsl.netbench does, so that they agree means something. */
#include "coordinator/verify/netbench.h"

#include <stdio.h>
#include <string.h>

#include "coordinator/verify/judge.h"

struct link {
    const struct mgc_attempt *attempt;
    struct mgc_verdict *verdict;
    const struct mgc_step *step;   /* wsl.netbench; NULL: the cell has none */
    const struct mgc_fields *test; /* facts of wsl.netbench; NULL: there are none */
    const struct mgc_fields *sink; /* facts of host.sink; NULL: there are none */
    bool good;
};

static size_t find_step(const struct mgc_attempt *attempt, const char *kind)
{
    size_t i = 0;
    while (i < attempt->cell->step_count && strcmp(attempt->cell->steps[i].kind, kind) != 0)
        i++;
    return i;
}

static const struct mgc_fields *facts_of(const struct mgc_attempt *attempt, const char *kind)
{
    size_t i = find_step(attempt, kind);
    return i < attempt->cell->step_count && attempt->steps[i].state == MGC_STEP_DONE
               ? &attempt->steps[i].facts
               : NULL;
}

static bool get(const struct mgc_fields *facts, const char *way, const char *name, int64_t *ret)
{
    char key[64];
    snprintf(key, sizeof(key), "%s%s%s", way, *way ? "_" : "", name);
    return facts && mgc_fields_get_int(facts, key, ret);
}

static void add(struct link *link, const char *way, const char *what,
    enum mgc_check_outcome outcome, const char *source, const char *seen)
{
    char check[64];
    snprintf(check, sizeof(check), "%s%s%s", way, *way ? " " : "", what);
    mgc_verdict_add(link->verdict, check, outcome, source, "%s", seen);
    link->good &= outcome == MGC_CHECK_OK;
}

/* ---- one direction ------------------------------------------------------------------------- */

static bool was_asked(const struct link *link, const char *way)
{
    const char *direction = mgc_fields_get_str(&link->step->params, "direction");
    return direction && (strcmp(direction, way) == 0 || strcmp(direction, "both") == 0);
}

static void judge_duration(struct link *link, const char *way)
{
    int64_t took_ns, asked_ms = 0;
    char seen[96];
    mgc_fields_get_int(&link->step->params, "duration_ms", &asked_ms);
    if (!get(link->test, way, "duration_ns", &took_ns)) {
        add(link, way, "duration", MGC_CHECK_ABSENT, "wsl.netbench", "");
        return;
    }
    bool whole = took_ns >= asked_ms * 1000000;
    snprintf(
        seen, sizeof(seen), "%lld of %lld ms", (long long)(took_ns / 1000000), (long long)asked_ms);
    add(link, way, "duration", whole ? MGC_CHECK_OK : MGC_CHECK_BAD, "wsl.netbench", seen);
    if (!whole)
        mgc_reason_set(link->verdict, MGC_REASON_LINK_CUT_SHORT,
            "the link was measured for %s in direction %s", seen, way);
}

/* What the client says of both ends of its streams, and what the sink told the host. */
static void judge_counts(struct link *link, const char *way)
{
    int64_t sent, received, told;
    const char *of_sink = strcmp(way, "up") == 0 ? "received_bytes" : "sent_bytes";
    char seen[160];
    if (!get(link->test, way, "sent_bytes", &sent) ||
        !get(link->test, way, "received_bytes", &received) ||
        !get(link->sink, "", of_sink, &told)) {
        add(link, way, "counts", MGC_CHECK_ABSENT, "wsl.netbench, host.sink", "");
        return;
    }
    bool same = sent == received && told == (strcmp(way, "up") == 0 ? received : sent);
    snprintf(seen, sizeof(seen), "%lld bytes sent, %lld received; the phone counted %lld",
        (long long)sent, (long long)received, (long long)told);
    add(link, way, "counts", same && sent > 0 ? MGC_CHECK_OK : MGC_CHECK_BAD,
        "wsl.netbench, host.sink", seen);
    if (!same || sent <= 0)
        mgc_reason_set(link->verdict, MGC_REASON_LINK_COUNTS_DIFFER,
            "the two ends of the link test do not agree in direction %s: %s", way, seen);
}

static void judge_rate(struct link *link, const char *way)
{
    int64_t bps;
    char seen[64];
    if (!get(link->test, way, "bps", &bps)) {
        add(link, way, "throughput", MGC_CHECK_ABSENT, "wsl.netbench", "");
        return;
    }
    snprintf(seen, sizeof(seen), "%.2f Mbit/s", (double)bps / 1e6);
    add(link, way, "throughput", bps > 0 ? MGC_CHECK_OK : MGC_CHECK_BAD, "wsl.netbench", seen);
    if (bps <= 0)
        mgc_reason_set(link->verdict, MGC_REASON_LINK_SILENT,
            "nothing came through in direction %s once the warm-up was over", way);
}

static void judge_way(struct link *link, const char *way)
{
    if (!was_asked(link, way))
        return;
    judge_duration(link, way);
    judge_counts(link, way);
    judge_rate(link, way);
}

/* ---- the session --------------------------------------------------------------------------- */

static void judge_session(struct link *link)
{
    int64_t sessions, refused = 0;
    const char *why = link->sink ? mgc_fields_get_str(link->sink, "refused_why") : NULL;
    char seen[160];
    if (!get(link->sink, "", "sessions", &sessions)) {
        add(link, "", "one session", MGC_CHECK_ABSENT, "host.sink", "");
        return;
    }
    get(link->sink, "", "refused", &refused);
    snprintf(seen, sizeof(seen), "%lld; %lld turned away%s%s", (long long)sessions,
        (long long)refused, why ? ", first " : "", why ? why : "");
    add(link, "", "one session", sessions == 1 ? MGC_CHECK_OK : MGC_CHECK_BAD, "host.sink", seen);
    if (sessions != 1)
        mgc_reason_set(link->verdict, MGC_REASON_LINK_RECONNECTED,
            "the sink on the phone served %lld sessions, expected one from begin to end",
            (long long)sessions);
}

/* The marks that the test's first connection carried. */
static void judge_path(struct link *link)
{
    const char *path = link->test ? mgc_fields_get_str(link->test, "path") : NULL;
    const char *reason = link->test ? mgc_fields_get_str(link->test, "path_reason") : NULL;
    if (!path) {
        add(link, "", "marks", MGC_CHECK_ABSENT, "wsl.netbench", "");
        return;
    }
    bool good = strcmp(path, "end-to-end") == 0;
    add(link, "", "marks", good ? MGC_CHECK_OK : MGC_CHECK_BAD, "wsl.netbench",
        reason ? reason : path);
    if (strcmp(path, "middlebox") == 0)
        mgc_reason_set(link->verdict, MGC_REASON_MIDDLEBOX,
            "something between WSL and the phone ended the link test's connection: %s",
            reason ? reason : "its marks did not arrive");
    else if (!good)
        mgc_reason_set(link->verdict, MGC_REASON_PATH_UNCLEAR,
            "whether the link test's connection was the phone's own cannot be told: %s",
            reason ? reason : path);
}

/* ---- the baseline -------------------------------------------------------------------------- */

static double real_or(const struct mgc_fields *facts, const char *name, double fallback)
{
    double value = fallback;
    mgc_fields_get_double(facts, name, &value);
    return value;
}

static int64_t int_or(const struct mgc_fields *facts, const char *name, int64_t fallback)
{
    int64_t value = fallback;
    mgc_fields_get_int(facts, name, &value);
    return value;
}

static void fill(const struct mgc_fields *facts, struct mgc_link_baseline *baseline)
{
    *baseline = (struct mgc_link_baseline){
        .known = true,
        .up_bps = int_or(facts, "up_bps", 0),
        .down_bps = int_or(facts, "down_bps", 0),
        .up_cv = real_or(facts, "up_cv", -1),
        .down_cv = real_or(facts, "down_cv", -1),
        .rtt_n = int_or(facts, "rtt_n", 0),
        .rtt_min_ns = int_or(facts, "rtt_min_ns", 0),
        .rtt_median_ns = int_or(facts, "rtt_median_ns", 0),
        .rtt_p95_ns = int_or(facts, "rtt_p95_ns", 0),
        .up_rtt_median_ns = int_or(facts, "up_rtt_median_ns", 0),
        .down_rtt_median_ns = int_or(facts, "down_rtt_median_ns", 0),
        .up_retransmits = int_or(facts, "up_retransmits", -1),
        .down_retransmits = int_or(facts, "down_retransmits", -1),
    };
}

void mgc_verify_link(const struct mgc_attempt *attempt, struct mgc_verdict *verdict,
    struct mgc_link_baseline *ret_baseline)
{
    size_t at = find_step(attempt, "wsl.netbench");
    struct link link = {
        .attempt = attempt,
        .verdict = verdict,
        .step = at < attempt->cell->step_count ? &attempt->cell->steps[at] : NULL,
        .test = facts_of(attempt, "wsl.netbench"),
        .sink = facts_of(attempt, "host.sink"),
        .good = true,
    };
    if (ret_baseline)
        *ret_baseline = (struct mgc_link_baseline){0};
    if (!link.step)
        return;
    judge_session(&link);
    judge_path(&link);
    judge_way(&link, "up");
    judge_way(&link, "down");
    if (ret_baseline && link.good && link.test)
        fill(link.test, ret_baseline);
}

/* ---- a cell -------------------------------------------------------------------------------- */

/* Metric = fact times scale; absent facts leave none. */
void mgc_link_metrics(const struct mgc_attempt *attempt, struct mgc_verdict *verdict)
{
    static const struct {
        const char *metric, *kind, *fact;
        double scale;
    } rows[] = {
        {"up_mbit_s", "wsl.netbench", "up_bps", 1e-6},
        {"down_mbit_s", "wsl.netbench", "down_bps", 1e-6},
        {"up_cv", "wsl.netbench", "up_cv", 1},
        {"down_cv", "wsl.netbench", "down_cv", 1},
        {"link_rtt_n", "wsl.netbench", "rtt_n", 1},
        {"link_rtt_min_ms", "wsl.netbench", "rtt_min_ns", 1e-6},
        {"link_rtt_ms", "wsl.netbench", "rtt_median_ns", 1e-6},
        {"link_rtt_p95_ms", "wsl.netbench", "rtt_p95_ns", 1e-6},
        {"up_rtt_ms", "wsl.netbench", "up_rtt_median_ns", 1e-6},
        {"down_rtt_ms", "wsl.netbench", "down_rtt_median_ns", 1e-6},
        {"up_retransmits", "wsl.netbench", "up_retransmits", 1},
        {"down_retransmits", "wsl.netbench", "down_retransmits", 1},
        {"streams", "wsl.netbench", "streams", 1},
        {"refused", "host.sink", "refused", 1},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        size_t at = find_step(attempt, rows[i].kind);
        double value;
        if (at < attempt->cell->step_count &&
            mgc_fields_get_double(&attempt->steps[at].facts, rows[i].fact, &value))
            mgc_fields_set_double(&verdict->metrics, rows[i].metric, value * rows[i].scale);
    }
}

void mgc_verify_netbench(
    const struct mgc_attempt *attempt, const char *dir, struct mgc_verdict *ret_verdict)
{
    (void)dir; /* the series is for people: what is judged stands in the facts */
    *ret_verdict = (struct mgc_verdict){0};
    struct judge judge = {.attempt = attempt, .cell = attempt->cell, .verdict = ret_verdict};
    mgc_judge_interrupted(&judge);
    mgc_judge_steps(&judge);
    mgc_verify_link(attempt, ret_verdict, NULL);
    mgc_link_metrics(attempt, ret_verdict);
    mgc_judge_conclude(&judge);
}
