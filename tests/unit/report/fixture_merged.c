#include "tests/unit/report/fixture_merged.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "coordinator/merge/replacement.h"
#include "coordinator/verify/reasons.h"
#include "tests/lib/check.h"

enum { ROUNDS = 3, ARMS = 5, FIRST_CROSS = 3 };

static const struct {
    const char *name;
    int64_t credit;
    double ms[ROUNDS];
} arms[ARMS] = {
    {"monolith", 0, {10.0, 10.2, 9.9}},
    {"shm", 1, {9.8, 10.1, 9.6}},
    {"tcp", 1, {13.0, 13.3, 12.7}},
    {"crosshost-c1", 1, {24.0, 24.9, 23.4}},
    {"crosshost-c2", 2, {17.0, 17.1, 17.4}},
};

static struct mgc_cell *add(struct merged_fixture *f, enum mgc_cell_kind kind, int64_t round)
{
    struct mgc_cell *cell = &f->cells[f->plan.cell_count];
    *cell = (struct mgc_cell){.kind = kind,
        .id = f->ids[f->plan.cell_count++],
        .workload = (char *)"openra",
        .round = round,
        .rep = round ? round : 1};
    return cell;
}

static void add_cell(struct merged_fixture *f, size_t arm, int64_t round)
{
    struct mgc_cell *cell = add(f, MGC_CELL_MEASURE, round);
    bool crosses = arm >= FIRST_CROSS;
    snprintf(cell->id, sizeof(f->ids[0]), "%s/%s-r%d", crosses ? "crosshost" : "openra",
        arms[arm].name, (int)round);
    cell->lane = (char *)(crosses ? "crosshost" : "matrix");
    cell->arm = (char *)arms[arm].name;
    cell->mode = round ? MGC_MODE_BENCHMARK : MGC_MODE_SSIM;
    cell->crosses_hosts = crosses;
    cell->block = crosses && round ? (size_t)round : 0;
    cell->expect = (struct mgc_expect){.width = 640,
        .height = 480,
        .credit = arms[arm].credit,
        .benchmark_finish = round > 0,
        .ssim_threshold = round ? 0 : 0.99,
        .backend = (char *)"DirectGLES",
        .package = (char *)"top.mobilegl.plugin.trace",
        .pins = (char *)"sustained"};
}

static void add_bracket(struct merged_fixture *f, int64_t round, bool after)
{
    struct mgc_cell *cell = add(f, MGC_CELL_BRACKET, round);
    snprintf(cell->id, sizeof(f->ids[0]), "brackets/openra-r%d-%s", (int)round,
        after ? "after" : "before");
    cell->block = (size_t)round;
    cell->after = after;
}

static void make_plan(struct merged_fixture *f)
{
    *f = (struct merged_fixture){.plan = {.name = (char *)"nightly",
                                     .run_id = (char *)"20261130T190000Z-nightly-k3f9",
                                     .order = (char *)"rotate",
                                     .reference = (char *)"monolith",
                                     .interleaved = true}};
    f->plan.cells = f->cells;
    for (size_t arm = 0; arm <= FIRST_CROSS; arm++)
        add_cell(f, arm, 0);
    for (int64_t round = 1; round <= ROUNDS; round++) {
        for (size_t arm = 0; arm < FIRST_CROSS; arm++)
            add_cell(f, arm, round);
        add_bracket(f, round, false);
        for (size_t arm = FIRST_CROSS; arm < ARMS; arm++)
            add_cell(f, arm, round);
        add_bracket(f, round, true);
    }
    assert_true(mgc_results_init(&f->results, &f->plan, NULL));
}

/* ---- what was seen -------------------------------------------------------------------------- */

static size_t arm_of(const struct mgc_cell *cell)
{
    size_t arm = 0;
    while (strcmp(arms[arm].name, cell->arm) != 0)
        arm++;
    return arm;
}

static void measure(struct mgc_cell_result *result)
{
    const struct mgc_cell *cell = result->cell;
    struct mgc_fields *metrics = &result->verdict.metrics;
    size_t arm = arm_of(cell);
    result->verdict.state = MGC_VERDICT_MEASURED;
    mgc_verdict_add(&result->verdict, "lockstep", MGC_CHECK_OK, "all logs", "not seen");
    mgc_fields_set_str(metrics, "apk_sha256", "a1");
    mgc_fields_set_str(metrics, "trace_sha256", "c3");
    mgc_fields_set_str(metrics, "library_sha256", arm >= FIRST_CROSS ? "b3" : "b2");
    if (arm)
        mgc_fields_set_str(metrics, "surface", arm >= FIRST_CROSS ? "offscreen" : "window");
    if (arm >= FIRST_CROSS) {
        mgc_fields_set_str(metrics, "client_sha256", "d4");
        mgc_fields_set_double(metrics, "steady_mb_per_frame", 0.05);
        mgc_fields_set_double(metrics, "steady_replies_per_frame", 0.5);
    }
    if (cell->mode == MGC_MODE_SSIM) {
        mgc_fields_set_double(metrics, "ssim", 0.999);
        return;
    }
    double ms = arms[arm].ms[cell->rep - 1];
    mgc_fields_set_double(metrics, "mean_ms", ms * 1.5);
    mgc_fields_set_double(metrics, "kept_mean_ms", ms);
    bool stalled = arm < FIRST_CROSS && cell->rep == 2 && arms[arm].ms[1] > 13;
    bool bursts = arms[arm].credit > 1; /* as run-ahead makes them: nothing to warn of */
    mgc_fields_set_double(metrics, "kept_median_ms", ms * (stalled || bursts ? 0.6 : 0.95));
    mgc_fields_set_double(metrics, "kept_p95_ms", ms * 1.25);
    mgc_fields_set_double(metrics, "kept_p99_ms", ms * 1.5);
}

static void run_cell(struct merged_fixture *f, struct mgc_cell_result *result)
{
    result->attempts = 1;
    result->dir = strdup(result->cell->id);
    result->duration_ns = INT64_C(13750000000);
    result->start_wall_ns = f->results.start_wall_ns;
    result->end_wall_ns = f->results.end_wall_ns;
    measure(result);
}

/* The path of the second block had changed; shm of the third round throttled and went again. */
static void spoil(struct merged_fixture *f)
{
    struct mgc_verdict *path = &f->results.brackets[3].verdict;
    struct mgc_cell_result *lost = merged_fixture_cell(f, "crosshost-c1", 2);
    struct mgc_cell_result *again = merged_fixture_cell(f, "shm", 3);
    struct mgc_cell_result *reference = merged_fixture_cell(f, "monolith", 3);
    struct mgc_verdict beside = {.state = MGC_VERDICT_MEASURED};
    mgc_verdict_destroy(path);
    mgc_reason_set(path, MGC_REASON_MIDDLEBOX, "a proxy answers in place of the phone");
    mgc_verdict_destroy(&lost->verdict);
    mgc_reason_set(&lost->verdict, MGC_REASON_PATH_CHANGED, "the path check after it is not good");
    again->attempts = 2;
    assert_true(mgc_fields_copy(&beside.metrics, &reference->verdict.metrics));
    mgc_fields_set_double(&beside.metrics, "kept_mean_ms", 9.7);
    assert_true(mgc_replacement_stand(again, reference->cell, 2, &beside));
    mgc_verdict_destroy(&beside);
}

void merged_fixture_make(struct merged_fixture *fixture)
{
    struct mgc_results *results = &fixture->results;
    make_plan(fixture);
    results->start_wall_ns = INT64_C(1796058000) * MGC_NS_PER_S;
    results->end_wall_ns = INT64_C(1796059000) * MGC_NS_PER_S;
    results->tool_build = strdup("mgcoord 0.1.0");
    mgc_fields_set_str(&results->device, "model", "lab phone");
    mgc_fields_set_str(&results->device, "serialno", "lab0");
    for (size_t i = 0; i < results->count; i++)
        run_cell(fixture, &results->cells[i]);
    for (size_t i = 0; i < results->bracket_count; i++)
        results->brackets[i].verdict.state = MGC_VERDICT_MEASURED;
    results->path_before.state = results->path_after.state = MGC_VERDICT_MEASURED;
    for (size_t i = 0; i < results->bracket_count; i++) {
        struct mgc_fields *metrics = &results->brackets[i].verdict.metrics;
        mgc_fields_set_double(metrics, "up_mbit_s", 94.1 - 0.4 * (double)i);
        mgc_fields_set_double(metrics, "down_mbit_s", 93.9);
        mgc_fields_set_double(metrics, "link_rtt_ms", 1.2 + 0.05 * (double)i);
    }
    mgc_fields_set_double(
        &merged_fixture_cell(fixture, "crosshost-c1", 1)->verdict.metrics, "server_read_mb_s", 2.1);
    spoil(fixture);
}

struct mgc_cell_result *merged_fixture_cell(
    struct merged_fixture *fixture, const char *arm, int64_t rep)
{
    for (size_t i = 0; i < fixture->results.count; i++) {
        const struct mgc_cell *cell = fixture->results.cells[i].cell;
        if (strcmp(cell->arm, arm) == 0 && cell->round == rep)
            return &fixture->results.cells[i];
    }
    fail_msg("no cell of %s in round %d", arm, (int)rep);
    return NULL;
}

void merged_fixture_destroy(struct merged_fixture *fixture)
{
    mgc_results_destroy(&fixture->results);
}
