#include "tests/unit/history/fixture.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/plat/file.h"
#include "coordinator/merge/facts_run.h"
#include "coordinator/merge/settings.h"
#include "tests/lib/check.h"

#define DAY_NS (24 * 3600 * 1000000000LL)

static const char *const arms[FIXTURE_ARMS] = {"monolith", "shm"};
static const double arm_factor[FIXTURE_ARMS] = {1, 1.2};
static const double noise[] = {1.00, 1.013, 0.991, 1.004};

static void fill(struct mgc_cell_result *result, size_t arm, int64_t rep, double ms)
{
    struct mgc_fields *metrics = &result->verdict.metrics;
    result->verdict.state = MGC_VERDICT_MEASURED;
    result->attempts = 1;
    if (result->cell->mode == MGC_MODE_SSIM) {
        mgc_fields_set_double(metrics, "ssim", 0.998);
        mgc_fields_set_str(metrics, "golden_sha256", "g");
    } else {
        mgc_fields_set_double(metrics, "kept_mean_ms", ms * arm_factor[arm] * noise[rep % 4]);
    }
    mgc_fields_set_bool(metrics, "passed", true);
    mgc_fields_set_int(metrics, "total_frames", 128);
    mgc_fields_set_str(metrics, "apk_sha256", "a");
    mgc_fields_set_str(metrics, "library_sha256", "l");
    mgc_fields_set_str(metrics, "trace_sha256", "t");
    if (arm)
        mgc_fields_set_str(metrics, "surface", "offscreen");
}

static void make_cell(struct history_fixture *f, size_t at, size_t arm, int64_t rep)
{
    bool ssim = rep == 0;
    snprintf(f->ids[at], sizeof(f->ids[at]), ssim ? "openra/%s-rssim" : "openra/%s-r%d", arms[arm],
        (int)rep);
    f->cells[at] = (struct mgc_cell){.kind = MGC_CELL_MEASURE,
        .id = f->ids[at],
        .lane = (char *)"matrix",
        .workload = (char *)"openra",
        .arm = (char *)arms[arm],
        .rep = ssim ? 1 : rep,
        .mode = ssim ? MGC_MODE_SSIM : MGC_MODE_BENCHMARK,
        .expect = {
            .width = 640, .height = 480, .credit = (int64_t)arm, .backend = (char *)"DirectGLES"}};
}

/* Everything but the cells of the plan. */
static void make_run(struct history_fixture *f, int n, double ms)
{
    snprintf(f->run_id, sizeof(f->run_id), "202612%02dT010000Z-matrix-aaaa", n + 1);
    f->plan.name = (char *)"matrix";
    f->plan.run_id = f->run_id;
    f->plan.cells = f->cells;
    f->plan.reference = (char *)"monolith";
    assert_true(mgc_results_init(&f->results, &f->plan, NULL));
    f->results.tool_build = strdup("mgcoord 1.2.3");
    f->results.start_wall_ns = 1796000000000000000LL + n * DAY_NS;
    f->results.end_wall_ns = f->results.start_wall_ns + 1000000000LL;
    mgc_fields_set_str(&f->results.device, "serialno", "SER1");
    mgc_fields_set_str(&f->results.device, "model", "Phone 9");
    mgc_fields_set_str(&f->results.device, "fingerprint", "maker/phone:16");
    mgc_fields_set_str(&f->results.setup, "app-1.apk_sha256", "a");
    f->results.hosts = calloc(1, sizeof(*f->results.hosts));
    assert_non_null(f->results.hosts);
    f->results.hosts[0] =
        (struct mgc_host_record){.name = strdup("pc"), .build = strdup("0.9"), .role = strdup("")};
    f->results.host_count = 1;
    assert_true(mgc_results_add_setting(&f->results, "site", "bench", "site.yaml:1"));
    history_fixture_setting(f, "lanes.matrix.pipe_stats", "true");
    for (size_t i = 0; i < f->results.count; i++)
        fill(&f->results.cells[i], i % FIXTURE_ARMS, f->results.cells[i].cell->rep, ms);
}

static void allocate(struct history_fixture *f, size_t count)
{
    *f = (struct history_fixture){.cells = calloc(count, sizeof(*f->cells)),
        .ids = calloc(count, sizeof(*f->ids)),
        .plan.cell_count = count};
    assert_non_null(f->cells);
    assert_non_null(f->ids);
}

void history_fixture_make_long(struct history_fixture *f, int n, double ms, int rounds)
{
    size_t count = (size_t)rounds * FIXTURE_ARMS + 1;
    allocate(f, count);
    for (size_t i = 0; i < count; i++)
        make_cell(f, i, i % FIXTURE_ARMS, i + 1 < count ? (int64_t)(i / FIXTURE_ARMS) + 1 : 0);
    make_run(f, n, ms);
}

/* ---- across hosts ---- */

enum { OF_A_ROUND = 4 }; /* the phone's arm, look, the other arm, look */

static void make_look(struct history_fixture *f, size_t at, int64_t rep, bool after)
{
    snprintf(f->ids[at], sizeof(f->ids[at]), "brackets/r%d-%s", (int)rep, after ? "a" : "b");
    f->cells[at] = (struct mgc_cell){.kind = MGC_CELL_BRACKET,
        .id = f->ids[at],
        .block = (size_t)rep,
        .after = after,
        .crosses_hosts = true};
}

static void make_crossing(struct history_fixture *f, size_t at, int64_t rep)
{
    make_cell(f, at, 1, rep);
    snprintf(f->ids[at], sizeof(f->ids[at]), "crosshost/bench-openra-c1-r%d", (int)rep);
    f->cells[at].lane = (char *)"crosshost";
    f->cells[at].arm = (char *)"crosshost-c1";
    f->cells[at].block = (size_t)rep;
    f->cells[at].crosses_hosts = true;
}

void history_fixture_make_across(
    struct history_fixture *f, int n, double ms, const struct mgc_link_look *link)
{
    allocate(f, FIXTURE_ROUNDS * OF_A_ROUND);
    for (int64_t rep = 1; rep <= FIXTURE_ROUNDS; rep++) {
        size_t at = (size_t)(rep - 1) * OF_A_ROUND;
        make_cell(f, at, 0, rep);
        make_look(f, at + 1, rep, false);
        make_crossing(f, at + 2, rep);
        make_look(f, at + 3, rep, true);
    }
    make_run(f, n, ms);
    history_fixture_set(f, "client_sha256", "c");
    for (size_t i = 0; i < f->results.bracket_count; i++) {
        struct mgc_verdict *verdict = &f->results.brackets[i].verdict;
        verdict->state = MGC_VERDICT_MEASURED;
        for (int k = 0; k < MGC_LINK_FIGURES; k++)
            mgc_fields_set_double(&verdict->metrics,
                mgc_link_figure_metric((enum mgc_link_figure)k), link->figures[k]);
    }
}

void history_fixture_replan(struct history_fixture *fixture)
{
    free(fixture->results.orders);
    fixture->results.orders = NULL;
    fixture->results.order_count = 0;
    assert_true(mgc_facts_take_orders(&fixture->results));
}

void history_fixture_setting(struct history_fixture *f, const char *key, const char *value)
{
    assert_true(mgc_results_add_setting(&f->results, key, value, "plan:1"));
}

void history_fixture_make(struct history_fixture *fixture, int n, double ms)
{
    history_fixture_make_long(fixture, n, ms, FIXTURE_ROUNDS);
}

void history_fixture_destroy(struct history_fixture *fixture)
{
    mgc_results_destroy(&fixture->results);
    free(fixture->cells);
    free(fixture->ids);
}

void history_fixture_set(struct history_fixture *fixture, const char *metric, const char *value)
{
    for (size_t i = 0; i < fixture->results.count; i++)
        mgc_fields_set_str(&fixture->results.cells[i].verdict.metrics, metric, value);
}

void history_dir_make(char ret_dir[MGC_PATH_MAX], char ret_path[MGC_PATH_MAX])
{
    snprintf(ret_dir, MGC_PATH_MAX, "/tmp/mgc-history-XXXXXX");
    assert_non_null(mkdtemp(ret_dir));
    assert_true(mgc_path_join(ret_path, MGC_PATH_MAX, ret_dir, MGC_HISTORY_FILE));
}

void history_dir_remove(const char *dir)
{
    assert_true(mgc_dir_remove(dir, NULL));
}

void history_add(const char *path, const struct history_fixture *fixture,
    enum mgc_history_origin origin, bool expect_new)
{
    struct mgc_error err = {0};
    bool added = !expect_new;
    struct mgc_history *history = mgc_history_open(path, MGC_HISTORY_WRITE, &err);
    if (!history || !mgc_history_record(history, &fixture->results, "/r", origin, &added, &err))
        fail_msg("%s", err.text);
    assert_int_equal(added, expect_new);
    mgc_history_close(history);
}

static sqlite3 *open_raw(const char *path)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    sqlite3_busy_timeout(db, 10000);
    return db;
}

long long history_ask(const char *path, const char *sql)
{
    sqlite3_stmt *query = NULL;
    sqlite3 *db = open_raw(path);
    if (sqlite3_prepare_v2(db, sql, -1, &query, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    if (sqlite3_step(query) != SQLITE_ROW)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    long long value = sqlite3_column_int64(query, 0);
    sqlite3_finalize(query);
    sqlite3_close(db);
    return value;
}

void history_do(const char *path, const char *sql)
{
    char *message = NULL;
    sqlite3 *db = open_raw(path);
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
    sqlite3_close(db);
}
