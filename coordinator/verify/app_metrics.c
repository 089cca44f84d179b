#include <string.h>

#include "common/base/clock.h"
#include "coordinator/verify/metrics.h"

/* All steps say how many they opened, or the sum is not known. */
static bool adb_streams(const struct mgc_attempt *attempt, int64_t *ret_sum)
{
    *ret_sum = 0;
    for (size_t i = 0; i < attempt->cell->step_count; i++) {
        int64_t streams;
        if (attempt->cell->steps[i].role != MGC_ROLE_HOST)
            continue;
        if (!mgc_fields_get_int(&attempt->steps[i].facts, "adb_streams", &streams))
            return false;
        *ret_sum += streams;
    }
    return true;
}

/* What the cell took beside the app's own run and the wait for the phone to be ready. */
static void harness_time(struct mgc_fields *metrics, const struct mgc_attempt *attempt)
{
    double app_ms, waited_ms;
    const struct mgc_fields *replay = mgc_facts_of_step(attempt, "replay");
    if (!mgc_fields_get_double(replay, "app_ms", &app_ms) || attempt->end_ns <= attempt->start_ns)
        return;
    mgc_fields_set_double(metrics, "app_s", app_ms / 1000);
    if (!mgc_fields_get_double(mgc_facts_of_step(attempt, "quiesce"), "gate_waited_ms", &waited_ms))
        return;
    double cell_ms = (double)(attempt->end_ns - attempt->start_ns) / (double)MGC_NS_PER_MS;
    mgc_fields_set_double(metrics, "harness_s", (cell_ms - app_ms - waited_ms) / 1000);
}

void mgc_app_metrics(struct mgc_fields *metrics, const struct mgc_attempt *attempt)
{
    const struct mgc_fields *quiesce = mgc_facts_of_step(attempt, "quiesce");
    int64_t streams;
    harness_time(metrics, attempt);
    mgc_metric_copy(metrics, "launch_ms", mgc_facts_of_step(attempt, "replay"), "launch_ms");
    mgc_metric_copy(metrics, "gate_waited_ms", quiesce, "gate_waited_ms");
    mgc_metric_copy(metrics, "battery_temp_dc", quiesce, "battery_temp_dc");
    mgc_metric_copy(metrics, "battery_level", quiesce, "battery_level");
    mgc_metric_copy(metrics, "power_source", quiesce, "power_source");
    mgc_metric_copy(
        metrics, "sampler_cpu_ms", mgc_facts_of_step(attempt, "state"), "sampler_cpu_ms");
    mgc_metric_copy(metrics, "state_samples", mgc_facts_of_step(attempt, "state"), "samples");
    mgc_metric_copy(metrics, "state_late", mgc_facts_of_step(attempt, "state"), "late");
    if (adb_streams(attempt, &streams))
        mgc_fields_set_int(metrics, "adb_streams", streams);
}
