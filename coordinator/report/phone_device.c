/* What the phone did while the app ran, and what the cell cost beside it. */
#include "coordinator/report/phone.h"
#include "coordinator/report/sections.h"

static void put_throttled(const struct mgc_cell_result *cell, struct mgc_buf *out)
{
    const struct mgc_evidence *evidence = mgc_verdict_find(&cell->verdict, "not throttled");
    mgc_md_text(!evidence                            ? ""
                : evidence->outcome == MGC_CHECK_OK  ? "no"
                : evidence->outcome == MGC_CHECK_BAD ? "yes"
                                                     : "not known",
        out);
}

static void device_row(
    const struct mgc_results *results, const struct mgc_cell_result *cell, struct mgc_buf *out)
{
    mgc_md_begin(out);
    mgc_md_rep(cell->cell, out);
    mgc_md_arm(results, cell->cell, out);
    mgc_md_metric(cell, "battery_temp_dc", 0.1, 1, out);
    mgc_md_metric(cell, "battery_temp_start_dc", 0.1, 1, out);
    mgc_md_metric(cell, "battery_temp_end_dc", 0.1, 1, out);
    put_throttled(cell, out);
    mgc_md_metric(cell, "state_samples", 1, 0, out);
    mgc_md_metric(cell, "state_late", 1, 0, out);
    mgc_md_metric(cell, "sampler_cpu_ms", 1, 0, out);
    mgc_md_metric(cell, "gate_waited_ms", 0.001, 1, out);
    mgc_md_metric(cell, "launch_ms", 1, 0, out);
    mgc_md_metric(cell, "app_s", 1, 2, out);
    mgc_md_metric(cell, "harness_s", 1, 2, out);
    mgc_md_metric(cell, "adb_streams", 1, 0, out);
    mgc_md_end(out);
}

void mgc_phone_device(const struct mgc_results *results, const char *workload, struct mgc_buf *out)
{
    static const char *const titles[] = {">rep", "arm", ">battery before C", ">start C", ">end C",
        "throttled", ">samples", ">late", ">sampler cpu ms", ">gate s", ">launch ms", ">app s",
        ">harness s", ">adb streams", NULL};
    const struct mgc_cell_result *cell;
    size_t at = 0;
    mgc_buf_puts(out, "#### Phone and cost\n\n");
    mgc_md_head(titles, out);
    while ((cell = mgc_phone_next(results, workload, &at))) {
        if (cell->attempts)
            device_row(results, cell, out);
    }
    mgc_buf_puts(out,
        "\nBattery before the run, and by the series while the app ran; *late* rows of "
        "the series came after their moment. *harness s* is the cell without the "
        "app's run and the wait at the gate. One adb stream is one service opened on "
        "the phone.\n\n");
}

/* ---- across hosts --------------------------------------------------------------------------- */

static bool was_watched(const struct mgc_cell_result *cell)
{
    return mgc_cell_over_network(cell->cell) && cell->attempts &&
           mgc_verdict_find(&cell->verdict, "gate");
}

static void across_row(const struct mgc_cell_result *cell, struct mgc_buf *out)
{
    mgc_md_begin(out);
    mgc_md_text(cell->cell->id, out);
    mgc_md_metric(cell, "battery_temp_dc", 0.1, 1, out);
    mgc_md_metric(cell, "battery_temp_start_dc", 0.1, 1, out);
    mgc_md_metric(cell, "battery_temp_end_dc", 0.1, 1, out);
    put_throttled(cell, out);
    mgc_md_text(cell->cell->expect.pins ? cell->cell->expect.pins : "free", out);
    mgc_md_metric(cell, "state_samples", 1, 0, out);
    mgc_md_metric(cell, "sampler_cpu_ms", 1, 0, out);
    mgc_md_metric(cell, "gate_waited_ms", 0.001, 1, out);
    mgc_md_metric(cell, "harness_s", 1, 2, out);
    mgc_md_metric(cell, "adb_streams", 1, 0, out);
    mgc_md_end(out);
}

void mgc_section_phone_across(const struct mgc_results *results, struct mgc_buf *out)
{
    static const char *const titles[] = {"cell", ">battery before C", ">start C", ">end C",
        "throttled", "clocks", ">samples", ">sampler cpu ms", ">gate s", ">harness s",
        ">adb streams", NULL};
    bool any = false;
    for (size_t i = 0; i < results->count; i++) {
        if (!was_watched(&results->cells[i]))
            continue;
        if (!any) {
            mgc_buf_puts(out, "## The phone during cells across hosts\n\n");
            mgc_md_head(titles, out);
        }
        any = true;
        across_row(&results->cells[i], out);
    }
    if (any)
        mgc_buf_puts(out,
            "\nBattery before the run, and by the series from the common start to the end of the "
            "server's session. *harness s* is the cell without the client's run and the wait at "
            "the gates of phone and machines.\n\n");
}
