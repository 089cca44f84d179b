/* Best of n per arm, as the old report had it, with the spread. */
#include <math.h>
#include <string.h>

#include "coordinator/report/phone.h"

static void put_spread(double low, double high, struct mgc_buf *out)
{
    mgc_buf_printf(out, " %.2f to %.2f |", low, high);
}

static void put_spread_pct(size_t n, double low, double high, double median, struct mgc_buf *out)
{
    mgc_md_real(n > 1 ? 100 * (high - low) / median : NAN, 1, out);
}

static void arm_row(
    const struct mgc_results *results, const struct mgc_aggregate *a, struct mgc_buf *out)
{
    static const struct mgc_spread none = {.geometric_mean = NAN, .min = NAN};
    struct mgc_spread kept;
    if (!mgc_aggregate_spread(results, a, "kept_mean_ms", &kept))
        kept = none;
    mgc_md_begin(out);
    mgc_md_arm(results, a->best->cell, out);
    mgc_md_real((double)a->count, 0, out);
    mgc_md_metric_fps(a->best, "fps", out);
    mgc_md_metric(a->best, "mean_ms", 1, 2, out);
    mgc_md_metric(a->best, "median_ms", 1, 2, out);
    mgc_md_metric(a->best, "p95_ms", 1, 2, out);
    mgc_md_real(a->median_mean_ms, 2, out);
    put_spread(a->min_mean_ms, a->max_mean_ms, out);
    put_spread_pct(a->count, a->min_mean_ms, a->max_mean_ms, a->median_mean_ms, out);
    mgc_md_real(kept.geometric_mean, 2, out);
    mgc_md_fps(1000 / kept.geometric_mean, out);
    put_spread_pct(kept.n, kept.min, kept.max, kept.median, out);
    mgc_md_real(kept.min, 2, out);
    mgc_md_end(out);
}

void mgc_phone_arms(const struct mgc_results *results, const struct mgc_aggregate *list,
    size_t count, const char *workload, struct mgc_buf *out)
{
    static const char *const titles[] = {"arm", ">n", ">best fps (tail)", ">best mean ms (tail)",
        ">best median ms (tail)", ">best p95 ms (tail)", ">median of means ms (tail)",
        ">lowest to highest ms (tail)", ">spread % (tail)", ">mean ms (kept)", ">fps (kept)",
        ">spread % (kept)", ">best ms (kept)", NULL};
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].workload, workload) != 0)
            continue;
        if (!any) {
            mgc_buf_puts(out, "#### Arms, best of n\n\n");
            mgc_md_head(titles, out);
        }
        any = true;
        arm_row(results, &list[i], out);
    }
    if (any)
        mgc_buf_puts(out,
            "\nOnly measured runs count (n). *tail*: of the client's own tail frames, the last 200 "
            "of "
            "a run, as in the old report and in `best_mean_ms` and `spread_pct` of summary.json; "
            "the best values are of the run with the lowest mean. *kept*: of the frames after the "
            "skip window, as in the terminal's table: the geometric mean over the runs of the "
            "run's mean, 1000 over it, the spread, and the lowest of these means. Spread is "
            "highest minus lowest, of the median. Best of n describes; whether arms differ is said "
            "above.\n\n");
}
