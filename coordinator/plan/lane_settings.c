#include "coordinator/plan/lane_settings.h"

#include <string.h>

int mgc_lane_rank(const struct mgc_setting *setting)
{
    return setting ? (int)setting->rank : -1;
}

const struct mgc_setting *mgc_lane_reps_setting(
    const struct mgc_lane_input *input, const char *lane, const char *workload)
{
    const struct mgc_settings *settings = &input->site->settings;
    const struct mgc_setting *general = mgc_settings_getf(settings, "lanes.%s.reps", lane);
    const struct mgc_setting *own =
        mgc_settings_getf(settings, "lanes.%s.workload_reps.%s", lane, workload);
    return mgc_lane_rank(own) >= mgc_lane_rank(general) ? own : general;
}

int64_t mgc_lane_reps(const struct mgc_lane_input *input, const char *lane, const char *workload)
{
    return mgc_setting_int(mgc_lane_reps_setting(input, lane, workload), 1);
}

const struct mgc_site_workload *mgc_lane_workload(const struct mgc_lane_input *input,
    const struct mgc_setting *from, const char *name, struct mgc_problems *problems)
{
    const struct mgc_site_workload *workload = mgc_site_workload(input->site, name);
    if (!workload && problems) {
        struct mgc_buf known = {0};
        for (size_t i = 0; i < input->bench->workload_count; i++)
            mgc_buf_printf(&known, "%s%s", i ? ", " : "", input->bench->workloads[i].name);
        mgc_problem_add(problems, "%s: %s: unknown workload '%s', expected one of: %s",
            from->origin, from->key, name, mgc_buf_text(&known));
        mgc_buf_destroy(&known);
    }
    return workload;
}

bool mgc_lane_is_again(const struct mgc_setting *from, size_t i, struct mgc_problems *problems)
{
    size_t first = 0;
    while (first < i && strcmp(from->items[first], from->items[i]) != 0)
        first++;
    if (first < i && problems)
        mgc_problem_add(
            problems, "%s: %s: '%s' is asked for twice", from->origin, from->key, from->items[i]);
    return first < i;
}
