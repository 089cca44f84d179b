#include <string.h>

#include "common/base/clock.h"
#include "coordinator/verify/metrics.h"

static const struct mgc_fields *facts_of(const struct mgc_attempt *attempt, const char *id)
{
    static const struct mgc_fields none;
    for (size_t i = 0; i < attempt->cell->step_count; i++) {
        if (strcmp(attempt->cell->steps[i].id, id) == 0)
            return &attempt->steps[i].facts;
    }
    return &none;
}

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

static void copy_value(
    struct mgc_fields *into, const char *name, const struct mgc_fields *from, const char *key)
{
    const struct mgc_value *value = mgc_fields_get(from, key);
    if (value)
        mgc_fields_set_value(into, name, value);
}

/* What the cell took beside the app's own run and the wait for the phone to be ready. */
static void harness_time(struct mgc_fields *metrics, const struct mgc_attempt *attempt)
{
    double app_ms, waited_ms = 0;
    const struct mgc_fields *replay = facts_of(attempt, "replay");
    if (!mgc_fields_get_double(replay, "app_ms", &app_ms) || attempt->end_ns <= attempt->start_ns)
        return;
    mgc_fields_get_double(facts_of(attempt, "quiesce"), "gate_waited_ms", &waited_ms);
    double cell_ms = (double)(attempt->end_ns - attempt->start_ns) / (double)MGC_NS_PER_MS;
    mgc_fields_set_double(metrics, "app_s", app_ms / 1000);
    mgc_fields_set_double(metrics, "harness_s", (cell_ms - app_ms - waited_ms) / 1000);
}

void mgc_app_metrics(struct mgc_fields *metrics, const struct mgc_attempt *attempt)
{
    const struct mgc_fields *quiesce = facts_of(attempt, "quiesce");
    int64_t streams;
    harness_time(metrics, attempt);
    copy_value(metrics, "launch_ms", facts_of(attempt, "replay"), "launch_ms");
    copy_value(metrics, "gate_waited_ms", quiesce, "gate_waited_ms");
    copy_value(metrics, "battery_temp_dc", quiesce, "battery_temp_dc");
    copy_value(metrics, "battery_level", quiesce, "battery_level");
    copy_value(metrics, "power_source", quiesce, "power_source");
    copy_value(metrics, "sampler_cpu_ms", facts_of(attempt, "state"), "sampler_cpu_ms");
    copy_value(metrics, "state_samples", facts_of(attempt, "state"), "samples");
    copy_value(metrics, "state_late", facts_of(attempt, "state"), "late");
    if (adb_streams(attempt, &streams))
        mgc_fields_set_int(metrics, "adb_streams", streams);
}
