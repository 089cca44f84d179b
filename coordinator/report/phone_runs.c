/* Every benchmark run of a workload: the client's own numbers, and frame times after the skip
 * window. */
#include "coordinator/plan/bench.h"
#include "coordinator/report/phone.h"

static void run_row(
    const struct mgc_results *results, const struct mgc_cell_result *cell, struct mgc_buf *out)
{
    mgc_md_begin(out);
    mgc_md_rep(cell->cell, out);
    mgc_md_arm(results, cell->cell, out);
    mgc_md_verdict(cell, out);
    mgc_md_metric_fps(cell, "fps", out);
    mgc_md_metric(cell, "mean_ms", 1, 2, out);
    mgc_md_metric(cell, "median_ms", 1, 2, out);
    mgc_md_metric(cell, "p95_ms", 1, 2, out);
    mgc_md_metric(cell, "total_frames", 1, 0, out);
    mgc_md_metric(cell, "total_seconds", 1, 2, out);
    mgc_md_metric(cell, "app_s", 1, 1, out);
    mgc_md_metric(cell, "battery_temp_dc", 0.1, 1, out);
    mgc_md_end(out);
}

static const struct mgc_cell_result *next_benchmark(
    const struct mgc_results *results, const char *workload, size_t *at)
{
    const struct mgc_cell_result *cell;
    while ((cell = mgc_phone_next(results, workload, at))) {
        if (cell->cell->mode == MGC_MODE_BENCHMARK)
            return cell;
    }
    return NULL;
}

void mgc_phone_runs(const struct mgc_results *results, const char *workload, struct mgc_buf *out)
{
    static const char *const titles[] = {">rep", "arm", "verdict", ">fps", ">mean ms", ">median ms",
        ">p95 ms", ">frames", ">replay s", ">app s", ">battery C", NULL};
    const struct mgc_cell_result *cell;
    size_t at = 0;
    if (!next_benchmark(results, workload, &(size_t){0}))
        return;
    mgc_buf_puts(out, "#### Runs, by the client's tail frames\n\n");
    mgc_md_head(titles, out);
    while ((cell = next_benchmark(results, workload, &at)))
        run_row(results, cell, out);
    const struct mgc_bench_workload *bench = mgc_bench_workload(mgc_bench_built_in(), workload);
    mgc_buf_puts(out, "\nEach row is one run; what is not *measured* does not count. ");
    if (bench && bench->frames <= bench->tail_frames)
        mgc_buf_printf(out,
            "**%s has %lld frames and the client's tail is %lld, so its mean holds the frames that "
            "load, too:** go by the next table. ",
            workload, (long long)bench->frames, (long long)bench->tail_frames);
    mgc_buf_puts(out,
        "\"replay s\" is the client's totalSeconds (the old report called it tail s), "
        "\"app s\" the app's run as the phone saw it.\n\n");
}

/* ---- after the skip window ------------------------------------------------------------------ */

static void frame_row(
    const struct mgc_results *results, const struct mgc_cell_result *cell, struct mgc_buf *out)
{
    mgc_md_begin(out);
    mgc_md_rep(cell->cell, out);
    mgc_md_arm(results, cell->cell, out);
    mgc_md_verdict(cell, out);
    mgc_md_metric(cell, "kept_frames", 1, 0, out);
    mgc_md_metric(cell, "kept_mean_ms", 1, 2, out);
    mgc_md_metric(cell, "kept_median_ms", 1, 2, out);
    mgc_md_metric(cell, "kept_p95_ms", 1, 2, out);
    mgc_md_metric(cell, "kept_p99_ms", 1, 2, out);
    mgc_md_metric(cell, "kept_max_ms", 1, 2, out);
    mgc_md_metric_fps(cell, "kept_low1_fps", out);
    mgc_md_end(out);
}

void mgc_phone_frames(const struct mgc_results *results, const char *workload, struct mgc_buf *out)
{
    static const char *const titles[] = {">rep", "arm", "verdict", ">n", ">mean ms", ">median ms",
        ">p95 ms", ">p99 ms", ">longest ms", ">1 % low fps", NULL};
    const struct mgc_bench_workload *bench = mgc_bench_workload(mgc_bench_built_in(), workload);
    const struct mgc_cell_result *cell;
    size_t at = 0;
    if (!bench || !next_benchmark(results, workload, &(size_t){0}))
        return;
    mgc_buf_printf(
        out, "#### Frame times after the first %lld frames\n\n", (long long)bench->skip_frames);
    mgc_md_head(titles, out);
    while ((cell = next_benchmark(results, workload, &at)))
        frame_row(results, cell, out);
    mgc_buf_puts(out,
        "\np95 and p99 are nearest rank; 1 % low is 1000 over the mean of the slowest "
        "hundredth. n is the number of frames.\n\n");
}
