#include "coordinator/report/columns.h"

#include <stdio.h>
#include <string.h>

const struct mgc_column mgc_crosshost_columns[] = {
    {"rc", "rc", 0},
    {"ssim", "ssim", 6},
    {"frames", "total_frames", 0},
    {"fps", "fps", 1},
    {"steady fps", "steady_fps", 1},
    {"median ms", "median_ms", 2},
    {"p95 ms", "p95_ms", 2},
    {"first frame s", "first_frame_s", 2},
    {"steady MB/frame", "steady_mb_per_frame", 3},
    {"steady MB/s", "steady_mbps", 1},
    {"wait replies", "wait_replies", 0},
    {"rtt mean ms", "rtt_mean_ms", 2},
    {"rtt p50 <= ms", "rtt_p50_ub_ms", 2},
    {"rtt p99 <= ms", "rtt_p99_ub_ms", 2},
    {"stage MB", "stage_mb", 1},
    {"client cpu s", "client_cpu_s", 2},
    {"wall s", "wall_s", 1},
    {NULL},
};

void mgc_column_text(const struct mgc_column *column, const struct mgc_cell_result *cell,
    char ret_text[MGC_COLUMN_TEXT_MAX])
{
    double value;
    if (mgc_fields_get_double(&cell->verdict.metrics, column->metric, &value))
        snprintf(ret_text, MGC_COLUMN_TEXT_MAX, "%.*f", column->decimals, value);
    else
        snprintf(ret_text, MGC_COLUMN_TEXT_MAX, "-");
}

void mgc_verdict_text(const struct mgc_verdict *verdict, char *ret_text, size_t size)
{
    bool named = verdict->reason[0] && verdict->state != MGC_VERDICT_MEASURED;
    snprintf(ret_text, size, "%s%s%s", mgc_verdict_state_name(verdict->state), named ? ": " : "",
        named ? verdict->reason : "");
}

void mgc_device_text(const struct mgc_results *results, char *ret_text, size_t size)
{
    const char *model = mgc_fields_get_str(&results->device, "model");
    const char *serial = mgc_fields_get_str(&results->device, "serialno");
    snprintf(ret_text, size, "%s%s%s%s", model ? model : "unknown device", serial ? " (" : "",
        serial ? serial : "", serial ? ")" : "");
}
