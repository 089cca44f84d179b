/* The report over many cells: REPORT.md, summary.json and the terminal's table of one merged
 * result, from memory to memory.
 *
 * The cells are made up, but of the size of real ones: as many checks with their lines, as many
 * metrics. Times are of the processor. Control: the same with a tenth of the cells, as time per
 * cell. What grows with the square of the cells has a ratio near 10.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/lib/report.h"
#include "bench/lib/stats.h"
#include "common/base/clock.h"
#include "coordinator/report/report.h"

enum {
    MANY = 10000,
    FEW = MANY / 10,
    CHECKS = 45,
    METRICS = 60,
    TIMES = 3,
    BUDGET_S = 2,
};

static const char *const workloads[] = {"openra", "rd12"};
static const char *const arms[] = {"monolith", "inproc", "shm", "tcp", "crosshost-c1"};
static const char *const backends[] = {"DirectGLES", "DirectVulkan"};
enum { WORKLOADS = 2, ARMS = 5, BACKENDS = 2, TCP = 3, CROSSHOST = 4 };

struct night {
    struct mgc_plan plan; /* texts of cells are literals, but for their ids */
    struct mgc_cell *cells;
    char (*ids)[48];
    struct mgc_results results;
};

/* ---- cells ---------------------------------------------------------------------------------- */

/* A round is every arm with every backend; cross-host cells name no backend. */
static void make_cell(struct night *night, size_t at)
{
    size_t in_round = at % (ARMS * BACKENDS), arm = in_round / BACKENDS;
    size_t round = at / (ARMS * BACKENDS), workload = round % WORKLOADS;
    bool on_phone = arm != CROSSHOST;
    const char *backend = backends[in_round % BACKENDS];
    snprintf(night->ids[at], sizeof(night->ids[at]), "%s/%s/%s-r%zu", workloads[workload], backend,
        arms[arm], round / WORKLOADS + 1);
    night->cells[at] = (struct mgc_cell){
        .kind = MGC_CELL_MEASURE,
        .id = night->ids[at],
        .lane = (char *)(on_phone ? "matrix" : "crosshost"),
        .workload = (char *)workloads[workload],
        .arm = (char *)arms[arm],
        .rep = (int64_t)(round / WORKLOADS) + 1,
        .mode = MGC_MODE_BENCHMARK,
        .expect = {.frames = 128,
            .width = 640,
            .height = 480,
            .credit = arm ? 1 : 0,
            .benchmark_finish = true,
            .backend = (char *)backend,
            .endpoint = (char *)(arm >= TCP ? "127.0.0.1:40613" : NULL)},
    };
}

static bool add_checks(struct mgc_verdict *verdict)
{
    bool ok = true;
    for (int i = 0; ok && i < CHECKS; i++) {
        char check[32];
        snprintf(check, sizeof(check), "check number %d", i);
        ok = mgc_verdict_add(verdict, check, MGC_CHECK_OK, "mobilegl.client.log:14",
            "[12:00:02] [Android MobileGLTraceRe/INFO]: MG_Remote client: line %d of the log", i);
    }
    return ok && mgc_verdict_add(verdict, "run-ahead-armed", MGC_CHECK_OK, "client", "armed");
}

static bool add_metrics(struct mgc_fields *metrics, double mean_ms)
{
    static const char *const times[] = {
        "mean_ms", "median_ms", "p95_ms", "kept_mean_ms", "kept_median_ms", "kept_p95_ms"};
    static const char *const hashes[] = {"apk_sha256", "library_sha256", "trace_sha256"};
    bool ok = mgc_fields_set_double(metrics, "fps", 1000 / mean_ms) &&
              mgc_fields_set_double(metrics, "throughput_fps", 1000 / mean_ms) &&
              mgc_fields_set_str(metrics, "surface", "server");
    for (size_t i = 0; ok && i < sizeof(times) / sizeof(times[0]); i++)
        ok = mgc_fields_set_double(metrics, times[i], mean_ms * (1 + 0.1 * (double)i));
    for (size_t i = 0; ok && i < sizeof(hashes) / sizeof(hashes[0]); i++)
        ok = mgc_fields_set_str(
            metrics, hashes[i], "5c4b6cbb923d3678cf0afcfa5b37e3b2b65b27866d6049aa363236a9c2968d86");
    for (int i = 0; ok && i < METRICS; i++) {
        char name[32];
        snprintf(name, sizeof(name), "pipe_counter_%d", i);
        ok = mgc_fields_set_int(metrics, name, 1000 * i);
    }
    return ok;
}

static bool measure_cell(struct night *night, size_t at)
{
    struct mgc_cell_result *cell = &night->results.cells[at];
    size_t arm = at % (ARMS * BACKENDS) / BACKENDS;
    double noise = 0.01 * (double)((at * 7919) % 11);
    cell->attempts = 1;
    cell->duration_ns = 10 * MGC_NS_PER_S;
    cell->dir = strdup(cell->cell->id);
    cell->verdict.state = MGC_VERDICT_MEASURED;
    return cell->dir && add_checks(&cell->verdict) &&
           add_metrics(&cell->verdict.metrics, 8 + (double)arm + noise);
}

static void night_destroy(struct night *night)
{
    mgc_results_destroy(&night->results);
    free(night->cells);
    free(night->ids);
}

static bool night_make(struct night *night, size_t count, struct mgc_error *err)
{
    *night = (struct night){.plan = {.name = (char *)"night",
                                .run_id = (char *)"20261130T170000Z-night-b3nc",
                                .order = (char *)"rotate",
                                .reference = (char *)arms[0],
                                .cell_count = count},
        .cells = calloc(count, sizeof(*night->cells)),
        .ids = calloc(count, sizeof(*night->ids))};
    night->plan.cells = night->cells;
    bool ok = night->cells && night->ids;
    for (size_t i = 0; ok && i < count; i++)
        make_cell(night, i);
    ok = ok && mgc_results_init(&night->results, &night->plan, err) &&
         mgc_fields_set_str(&night->results.device, "serialno", "mglab0001");
    for (size_t i = 0; ok && i < count; i++)
        ok = measure_cell(night, i);
    return ok || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for %zu cells", count);
}

/* ---- forms ---------------------------------------------------------------------------------- */

static bool table(const struct mgc_results *results, struct mgc_buf *out, struct mgc_error *err)
{
    return mgc_report_table(results, 0, out, err);
}

static const struct form {
    const char *name;
    mgc_report_form *print;
    bool in_budget; /* of design: REPORT.md and summary.json together */
} forms[] = {
    {"REPORT.md", mgc_report_markdown, true},
    {"summary.json", mgc_report_summary_json, true},
    {"junit.xml", mgc_report_junit, false},
    {"cells.csv", mgc_report_cells_csv, false},
    {"the terminal's table", table, false},
};
enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

/* Processor time: one thread that waits for nothing, on a machine that others use, too. */
static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The middle of a few times. */
static bool time_form(const struct mgc_bench *bench, const struct night *night,
    const struct form *form, double *ret_s, size_t *ret_bytes, struct mgc_error *err)
{
    struct mgc_bench_samples samples = {0};
    size_t times = mgc_bench_count(bench, TIMES);
    bool ok = true;
    for (size_t i = 0; ok && i < times; i++) {
        struct mgc_buf text = {0};
        double begin_s = cpu_s();
        ok = form->print(&night->results, &text, err) &&
             (mgc_bench_add(&samples, cpu_s() - begin_s) ||
                 mgc_error_set(err, MGC_E_NO_MEMORY, "out of memory"));
        *ret_bytes = text.len;
        mgc_buf_destroy(&text);
    }
    *ret_s = mgc_bench_percentile(&samples, 50);
    mgc_bench_samples_destroy(&samples);
    return ok;
}

static void print_form(
    struct mgc_bench *bench, const struct form *form, double many_s, double few_s, size_t bytes)
{
    char what[96], note[96];
    snprintf(what, sizeof(what), "%s of %d cells, per cell", form->name, MANY);
    snprintf(note, sizeof(note), "%.2f s for %.1f MB; control: per cell with %d cells", many_s,
        (double)bytes / 1e6, FEW);
    struct mgc_bench_row row = {.what = what,
        .unit = "us",
        .ours = many_s / MANY * 1e6,
        .control = few_s / FEW * 1e6,
        .n = mgc_bench_count(bench, TIMES),
        .note = note};
    mgc_bench_print(bench, &row);
}

static bool measure_all(struct mgc_bench *bench, const struct night *many, const struct night *few,
    struct mgc_error *err)
{
    double budgeted_s = 0;
    for (size_t i = 0; i < FORMS; i++) {
        double many_s, few_s;
        size_t bytes, few_bytes;
        if (!time_form(bench, few, &forms[i], &few_s, &few_bytes, err) ||
            !time_form(bench, many, &forms[i], &many_s, &bytes, err))
            return false;
        print_form(bench, &forms[i], many_s, few_s, bytes);
        budgeted_s += forms[i].in_budget ? many_s : 0;
    }
    char what[96];
    snprintf(what, sizeof(what), "REPORT.md and summary.json of %d cells", MANY);
    struct mgc_bench_row row = {.what = what,
        .unit = "s",
        .ours = budgeted_s,
        .control = NAN,
        .budget = MGC_BENCH_OURS_AT_MOST,
        .limit = BUDGET_S,
        .n = mgc_bench_count(bench, TIMES)};
    mgc_bench_print(bench, &row);
    return true;
}

int main(int argc, char **argv)
{
    struct mgc_bench bench;
    struct mgc_error err = {0};
    struct night many = {0}, few = {0};
    int exit_code;
    if (!mgc_bench_begin(&bench, "mgbench-report",
            "Report over ten thousand cells, and whether its time grows faster than they do.", argc,
            argv, &exit_code))
        return exit_code;
    bool ok = night_make(&few, FEW, &err) && night_make(&many, MANY, &err) &&
              measure_all(&bench, &many, &few, &err);
    night_destroy(&many);
    night_destroy(&few);
    return mgc_bench_end(&bench, ok, &err);
}
