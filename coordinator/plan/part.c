#include "coordinator/plan/part.h"

#include <inttypes.h>

#include "common/base/str.h"

bool mgc_plan_next_part(const struct mgc_plan *plan, size_t *at, struct mgc_part *ret_part)
{
    size_t first = *at;
    while (first < plan->cell_count && !plan->cells[first].part)
        first++;
    if (first >= plan->cell_count)
        return false;
    const struct mgc_cell *cells = &plan->cells[first];
    const struct mgc_cell *measured = NULL; /* the first; brackets may name no workload */
    struct mgc_part part = {
        .cells = cells,
        .round = cells->round,
        .confirm = cells->confirm,
    };
    for (size_t i = first; i < plan->cell_count && plan->cells[i].part == cells->part; i++) {
        part.count++;
        if (plan->cells[i].kind != MGC_CELL_MEASURE)
            continue;
        part.measured++;
        if (!measured)
            part.workload = (measured = &plan->cells[i])->workload;
        else if (!mgc_str_same(measured->workload, plan->cells[i].workload))
            part.workload = NULL;
    }
    *at = first + part.count;
    *ret_part = part;
    return true;
}

void mgc_part_put(const struct mgc_part *part, struct mgc_buf *out)
{
    if (part->round == 0)
        mgc_buf_puts(out, "the pictures");
    else
        mgc_buf_printf(out, "%sround %" PRId64, part->confirm ? "confirming " : "", part->round);
    if (part->workload)
        mgc_buf_printf(out, " of %s", part->workload);
}

int64_t mgc_part_ms(const struct mgc_part *part, struct mgc_estimates *estimates)
{
    int64_t sum_ms = 0;
    for (size_t i = 0; i < part->count; i++)
        sum_ms += mgc_estimate_of(estimates, &part->cells[i]).ms;
    return sum_ms;
}
