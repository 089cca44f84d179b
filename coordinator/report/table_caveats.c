/* Below the terminal's tables: what a reader of their words has to know. */
#include <string.h>

#include "coordinator/merge/settings.h"
#include "coordinator/report/columns.h"
#include "coordinator/report/fold.h"
#include "coordinator/report/phone.h"

/* With fewer the mean of a round hangs on single frames. */
enum { KEPT_FEW = 30 };

enum { APART_SHOWN = 3 }; /* on a busy machine there may be many */

/* The least of a workload's measured rounds; false: none says it, or nothing was kept. */
static bool least_kept(const struct mgc_results *results, const char *workload, int64_t *ret_kept)
{
    bool found = false;
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell_result *cell = &results->cells[i];
        int64_t kept = 0;
        if (cell->verdict.state != MGC_VERDICT_MEASURED ||
            strcmp(cell->cell->workload, workload) != 0 ||
            !mgc_fields_get_int(&cell->verdict.metrics, "kept_frames", &kept) || kept <= 0)
            continue;
        *ret_kept = found && *ret_kept < kept ? *ret_kept : kept;
        found = true;
    }
    return found;
}

void mgc_table_few_kept(const struct mgc_results *results, int width, struct mgc_buf *out)
{
    for (size_t i = 0; i < results->count; i++) {
        const char *workload = results->cells[i].cell->workload;
        int64_t kept = 0;
        if (workload && mgc_results_is_first_of_workload(results, i) &&
            least_kept(results, workload, &kept) && kept < KEPT_FEW)
            mgc_say(width, out, "%s: only %lld frame%s kept per round", workload, (long long)kept,
                kept == 1 ? "" : "s");
    }
}

void mgc_table_mean_apart(const struct mgc_results *results, int width, struct mgc_buf *out)
{
    char text[256];
    size_t at = 0, shown = 0;
    while (mgc_mean_apart_text(results, &at, text, sizeof(text)) && shown++ < APART_SHOWN)
        mgc_say(width, out, "%s", text);
    if (shown > APART_SHOWN)
        mgc_say(width, out, "REPORT.md names more such cells");
}

bool mgc_arms_are_told_apart(const struct mgc_arm_comparison *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].result.conclusion != MGC_CONCLUSION_NONE)
            return true;
    }
    return false;
}

void mgc_table_fixed_order(const struct mgc_results *results, int width, struct mgc_buf *out)
{
    if (mgc_plan_order_is_fixed(results->plan))
        mgc_say(width, out,
            "order fixed: each arm came at the same place of every round, so what is called faster "
            "or slower may be the place (a phone that warms up); order rotate or shuffle separates "
            "the two");
}
