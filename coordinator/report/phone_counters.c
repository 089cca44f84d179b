/* MobileGL's counters of both roles together, and the client's LinkMetrics. */
#include <math.h>
#include <string.h>

#include "coordinator/report/phone.h"

static bool has_counters(const struct mgc_cell_result *cell)
{
    const struct mgc_fields *metrics = &cell->verdict.metrics;
    return mgc_fields_get(metrics, "pipe_dumps") || mgc_fields_get(metrics, "lm_frames") ||
           mgc_fields_get(metrics, "pipe_damaged");
}

static const struct mgc_cell_result *next_counted(
    const struct mgc_results *results, const char *workload, size_t *at)
{
    const struct mgc_cell_result *cell;
    while ((cell = mgc_phone_next(results, workload, at))) {
        if (has_counters(cell))
            return cell;
    }
    return NULL;
}

static void put_record(const struct mgc_cell_result *cell, struct mgc_buf *out)
{
    const struct mgc_fields *metrics = &cell->verdict.metrics;
    int64_t most, cap;
    if (mgc_fields_get_int(metrics, "pipe_max_record_bytes", &most) &&
        mgc_fields_get_int(metrics, "pipe_max_record_bytes_cap", &cap))
        mgc_buf_printf(out, " %lld / %lld |", (long long)most, (long long)cap);
    else
        mgc_md_text("", out);
}

static void counter_row(
    const struct mgc_results *results, const struct mgc_cell_result *cell, struct mgc_buf *out)
{
    static const char *const before[] = {"pipe_frames", "pipe_server_waits", "pipe_server_parks",
        "pipe_client_waits", "pipe_client_parks", "pipe_stage_segment_bytes", "pipe_stage_buffer",
        "pipe_stage_texture", "pipe_wire_records", NULL};
    static const char *const after[] = {"lm_frames", "lm_wait_replies", "lm_stage_bytes", NULL};
    mgc_md_begin(out);
    mgc_md_rep(cell->cell, out);
    mgc_md_arm(results, cell->cell, out);
    mgc_md_text(mgc_fields_get_str(&cell->verdict.metrics, "pipe_roles"), out);
    for (const char *const *name = before; *name; name++)
        mgc_md_metric(cell, *name, 1, 0, out);
    put_record(cell, out);
    for (const char *const *name = after; *name; name++)
        mgc_md_metric(cell, *name, 1, 0, out);
    mgc_md_metric(cell, "lm_transport_wait_ms", 1, 1, out);
    mgc_md_end(out);
}

static void damaged(const struct mgc_results *results, const char *workload, struct mgc_buf *out)
{
    const struct mgc_cell_result *cell;
    size_t at = 0;
    while ((cell = next_counted(results, workload, &at))) {
        const char *what = mgc_fields_get_str(&cell->verdict.metrics, "pipe_damaged");
        if (!what)
            continue;
        mgc_buf_printf(out, "\n%s: not read:", cell->cell->id);
        mgc_md_text(what, out);
        mgc_buf_putc(out, '\n');
    }
}

void mgc_phone_counters(
    const struct mgc_results *results, const char *workload, struct mgc_buf *out)
{
    static const char *const titles[] = {">rep", "arm", "dumps of", ">frames", ">srv waits",
        ">srv parks", ">cli waits", ">cli parks", ">stage segment B", ">stage buffer B",
        ">stage texture B", ">wire records", ">largest record / cap B", ">LM frames",
        ">LM wait replies", ">LM stage B", ">LM transport wait ms", NULL};
    const struct mgc_cell_result *cell;
    size_t at = 0;
    if (!next_counted(results, workload, &(size_t){0}))
        return;
    mgc_buf_puts(out, "#### MobileGL's counters\n\n");
    mgc_md_head(titles, out);
    while ((cell = next_counted(results, workload, &at)))
        counter_row(results, cell, out);
    damaged(results, workload, out);
    mgc_buf_puts(out,
        "\nRun totals of the roles whose dump is there: sums, but of frames and of the largest "
        "record the larger of "
        "the two (a split client says frames=0 by its nature). Persistent-map bytes are part of "
        "the "
        "stage buffer in split runs and not added to it. LM: the client's LinkMetrics, each frame "
        "once. \"-\" was not there, which is not 0: where the dump of a second process is missing, "
        "as the "
        "client's is in ssim mode, a zero of the other says nothing.\n\n");
}
