#include <string.h>

#include "common/base/clock.h"
#include "coordinator/verify/metrics.h"

/* All tasks that speak with the phone say how many they opened, or the sum is not known. */
static bool adb_streams(const struct mgc_attempt *attempt, int64_t *ret_sum)
{
    *ret_sum = 0;
    for (size_t i = 0; i < attempt->cell->step_count; i++) {
        int64_t streams;
        if (strncmp(attempt->cell->steps[i].kind, "host.", strlen("host.")) != 0)
            continue;
        if (!mgc_fields_get_int(&attempt->steps[i].facts, "adb_streams", &streams))
            return false;
        *ret_sum += streams;
    }
    return true;
}

/* The gates of both machines are waited for at the same time, then that of the phone. */
static bool gates_waited_ms(const struct mgc_attempt *attempt, int64_t *ret_ms)
{
    int64_t hosts_ms = 0, ms;
    for (size_t i = 0; i < attempt->cell->step_count; i++) {
        if (strcmp(attempt->cell->steps[i].kind, "worker.gate") == 0 &&
            mgc_fields_get_int(&attempt->steps[i].facts, "gate_waited_ms", &ms) && ms > hosts_ms)
            hosts_ms = ms;
    }
    if (!mgc_fields_get_int(mgc_facts_of_step(attempt, "quiesce"), "gate_waited_ms", &ms))
        return false;
    *ret_ms = hosts_ms + ms;
    return true;
}

/* What the cell took beside the client's own run and the wait for phone and machines. */
static void harness_time(struct mgc_fields *metrics, const struct mgc_attempt *attempt)
{
    int64_t waited_ms;
    double run_s, app_ms, cell_s = (double)(attempt->end_ns - attempt->start_ns) / 1e9;
    const struct mgc_fields *replay = mgc_facts_of_step(attempt, "replay");
    bool waited = gates_waited_ms(attempt, &waited_ms), known = cell_s > 0;
    if (mgc_fields_get_double(replay, "app_ms", &app_ms)) {
        run_s = app_ms / 1000;
        if (known)
            mgc_fields_set_double(metrics, "app_s", run_s);
    } else {
        known = known && mgc_fields_get_double(replay, "wall_s", &run_s);
    }
    if (waited)
        mgc_fields_set_int(metrics, "gate_waited_ms", waited_ms);
    if (waited && known)
        mgc_fields_set_double(metrics, "harness_s", cell_s - run_s - (double)waited_ms / 1000);
}

void mgc_app_metrics(struct mgc_fields *metrics, const struct mgc_attempt *attempt)
{
    const struct mgc_fields *quiesce = mgc_facts_of_step(attempt, "quiesce");
    int64_t streams;
    harness_time(metrics, attempt);
    mgc_metric_copy(metrics, "launch_ms", mgc_facts_of_step(attempt, "replay"), "launch_ms");
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
