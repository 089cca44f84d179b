/* Best of n per arm, as the old report had it, with the spread. */
#include <math.h>
#include <string.h>

#include "coordinator/report/phone.h"

static void put_spread(double low, double high, struct mgc_buf *out)
{
    mgc_buf_printf(out, " %.2f to %.2f |", low, high);
}

static void arm_row(
    const struct mgc_results *results, const struct mgc_aggregate *a, struct mgc_buf *out)
{
    struct mgc_spread kept;
    bool has_kept = mgc_aggregate_spread(results, a, "kept_mean_ms", &kept);
    mgc_md_begin(out);
    mgc_md_arm(results, a->best->cell, out);
    mgc_md_real((double)a->count, 0, out);
    mgc_md_metric_fps(a->best, "fps", out);
    mgc_md_metric(a->best, "mean_ms", 1, 2, out);
    mgc_md_metric(a->best, "median_ms", 1, 2, out);
    mgc_md_metric(a->best, "p95_ms", 1, 2, out);
    mgc_md_real(a->median_mean_ms, 2, out);
    put_spread(a->min_mean_ms, a->max_mean_ms, out);
    mgc_md_real(
        a->count > 1 ? 100 * (a->max_mean_ms - a->min_mean_ms) / a->median_mean_ms : NAN, 1, out);
    mgc_md_real(has_kept ? kept.geometric_mean : NAN, 2, out);
    mgc_md_fps(has_kept ? 1000 / kept.geometric_mean : NAN, out);
    mgc_md_end(out);
}

void mgc_phone_arms(const struct mgc_results *results, const struct mgc_aggregate *list,
    size_t count, const char *workload, struct mgc_buf *out)
{
    static const char *const titles[] = {"arm", ">n", ">best fps", ">best mean ms",
        ">best median ms", ">best p95 ms", ">median of means ms", ">lowest to highest ms",
        ">spread %", ">mean after skip ms", ">fps after skip", NULL};
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
            "\nOnly measured runs count (n). All best values are of the run with the "
            "lowest mean; spread is highest minus lowest, of the median. The "
            "last two columns are as in the terminal's table: the geometric mean over "
            "the runs of the mean after the skip window, and 1000 over it. Best of n "
            "describes; whether arms differ is said above.\n\n");
}
