/* What the phone did while the app ran, and what the cell cost beside it. */
#include "coordinator/report/phone.h"

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
