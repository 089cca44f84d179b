#include "coordinator/merge/settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/parse.h"
#include "coordinator/plan/bench.h"
#include "coordinator/plan/netbench_steps.h"
#include "coordinator/plan/schema.h"

bool mgc_results_is_first_of_workload(const struct mgc_results *results, size_t cell)
{
    for (size_t i = cell; i > 0; i--) { /* the nearest is mostly the like of it */
        if (strcmp(results->cells[i - 1].cell->workload, results->cells[cell].cell->workload) == 0)
            return false;
    }
    return true;
}

/* ---- which settings ---- */

static bool has_lane(const struct mgc_results *results, const char *name, size_t len)
{
    for (size_t i = 0; i < results->count; i++) {
        const char *lane = results->cells[i].cell->lane;
        if (lane && strlen(lane) == len && strncmp(lane, name, len) == 0)
            return true;
    }
    return false;
}

static bool is_frames_of_ours(const struct mgc_results *results, const char *key)
{
    char expected[128];
    for (size_t i = 0; i < results->count; i++) {
        snprintf(
            expected, sizeof(expected), "workloads.%s.frames", results->cells[i].cell->workload);
        if (strcmp(expected, key) == 0)
            return true;
    }
    return false;
}

/* Time limits only say when a cell fails. */
static bool is_of_lane(const struct mgc_results *results, const char *key)
{
    static const char prefix[] = "lanes.";
    if (strncmp(key, prefix, sizeof(prefix) - 1) != 0)
        return false;
    const char *lane = key + sizeof(prefix) - 1;
    return has_lane(results, lane, strcspn(lane, ".")) && !strstr(key, "timeout") &&
           !strstr(key, ".one.");
}

/* What somebody asked for beside the files is always of interest. */
static bool was_asked_for(const char *origin)
{
    static const char environment[] = "environment";
    return origin[0] == '-' || strncmp(origin, environment, sizeof(environment) - 1) == 0;
}

/* Of the plan as a whole: what shapes its numbers. */
static bool is_of_plan(const char *key)
{
    static const char *const keys[] = {"phone.link", "route.mode", "retries_per_cell",
        "replacements", "interleave", "order", "seed", "brackets", "link_band"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (strcmp(keys[i], key) == 0)
            return true;
    }
    return strncmp(key, "budget.", 7) == 0 ||
           (strncmp(key, "gates.", 6) == 0 && !strstr(key, "timeout"));
}

static bool is_wanted(const struct mgc_results *results, const char *key, const char *origin)
{
    if (strncmp(key, "lanes.", 6) == 0)
        return is_of_lane(results, key);
    return is_frames_of_ours(results, key) || is_of_plan(key) || was_asked_for(origin);
}

/* ---- taking them ---- */

static void put_value(const json_t *value, struct mgc_buf *out)
{
    if (json_is_string(value))
        mgc_buf_puts(out, json_string_value(value));
    else if (json_is_integer(value))
        mgc_buf_printf(out, "%lld", (long long)json_integer_value(value));
    else if (json_is_boolean(value))
        mgc_buf_puts(out, json_is_true(value) ? "true" : "false");
    else if (json_is_real(value))
        mgc_buf_printf(out, "%g", json_real_value(value));
    for (size_t i = 0; i < json_array_size(value); i++) {
        mgc_buf_puts(out, i ? ", " : "");
        const json_t *item = json_array_get(value, i); /* a list of lists there is not */
        if (!json_is_array(item))
            put_value(item, out);
    }
}

bool mgc_results_add_setting(
    struct mgc_results *results, const char *key, const char *value, const char *origin)
{
    struct mgc_result_setting *list =
        realloc(results->settings, (results->setting_count + 1) * sizeof(*list));
    if (!list)
        return false;
    results->settings = list;
    struct mgc_result_setting *setting = &list[results->setting_count++];
    *setting = (struct mgc_result_setting){
        strdup(key), strdup(value), strdup(origin), .unit = mgc_schema_unit(key)};
    if (setting->key && setting->value && setting->origin)
        return true;
    free(setting->key);
    free(setting->value);
    free(setting->origin);
    results->setting_count--;
    return false;
}

/* ---- the short form of a link test ---- */

static struct mgc_result_setting *find(struct mgc_results *results, const char *key)
{
    for (size_t i = 0; i < results->setting_count; i++) {
        if (strcmp(results->settings[i].key, key) == 0)
            return &results->settings[i];
    }
    return NULL;
}

/* Where it came from is then what asked for the short form. Without memory it stays as it was. */
static void put_in_force(struct mgc_results *results, const char *key, const char *value)
{
    struct mgc_result_setting *setting = find(results, key);
    struct mgc_result_setting *asked = find(results, "lanes.netbench.short");
    if (!setting || !asked || strcmp(setting->value, value) == 0)
        return;
    char *own = strdup(value), *origin = strdup(asked->origin);
    if (own && origin) {
        free(setting->value);
        free(setting->origin);
        setting->value = own;
        setting->origin = origin;
        return;
    }
    free(own);
    free(origin);
}

static int64_t link_rounds(const struct mgc_results *results)
{
    int64_t rounds = 0;
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell *cell = results->cells[i].cell;
        if (cell->lane && strcmp(cell->lane, "netbench") == 0 && cell->rep > rounds)
            rounds = cell->rep;
    }
    return rounds;
}

/* The short form has a duration, rounds and probes of its own (plan/netbench_steps.h). */
static void take_short_form(struct mgc_results *results)
{
    const struct mgc_result_setting *is_short = find(results, "lanes.netbench.short");
    const struct mgc_result_setting *duration = find(results, "lanes.netbench.short_duration");
    const struct mgc_result_setting *probes = find(results, "lanes.netbench.probes");
    char text[32];
    int64_t asked;
    if (!is_short || strcmp(is_short->value, "true") != 0)
        return;
    if (duration)
        put_in_force(results, "lanes.netbench.duration", duration->value);
    snprintf(text, sizeof(text), "%" PRId64, link_rounds(results));
    put_in_force(results, "lanes.netbench.reps", text);
    if (probes && mgc_parse_int(probes->value, 0, INT64_MAX, &asked) &&
        asked > MGC_NETBENCH_SHORT_PROBES) {
        snprintf(text, sizeof(text), "%d", MGC_NETBENCH_SHORT_PROBES);
        put_in_force(results, "lanes.netbench.probes", text);
    }
}

static bool are_reduced(const struct mgc_results *results, const char *workload)
{
    int64_t used, full;
    return mgc_results_frames(results, workload, &used, &full) && used < full;
}

void mgc_results_take_settings(struct mgc_results *results, const json_t *settings)
{
    const char *key;
    json_t *entry;
    json_object_foreach((json_t *)settings, key, entry)
    {
        struct mgc_buf value = {0};
        const char *origin = json_string_value(json_object_get(entry, "source"));
        if (!origin || !is_wanted(results, key, origin))
            continue;
        put_value(json_object_get(entry, "value"), &value);
        mgc_results_add_setting(results, key, mgc_buf_text(&value), origin);
        mgc_buf_destroy(&value);
    }
    take_short_form(results);
    for (size_t i = 0; i < results->count; i++)
        results->frames_reduced =
            results->frames_reduced || are_reduced(results, results->cells[i].cell->workload);
}

/* ---- frames ---- */

bool mgc_results_frames(
    const struct mgc_results *results, const char *workload, int64_t *ret_used, int64_t *ret_full)
{
    const struct mgc_bench_workload *own = mgc_bench_workload(mgc_bench_built_in(), workload);
    char key[128];
    snprintf(key, sizeof(key), "workloads.%s.frames", workload);
    for (size_t i = 0; i < results->setting_count; i++) {
        int64_t used;
        if (strcmp(results->settings[i].key, key) != 0 ||
            !mgc_parse_int(results->settings[i].value, 1, INT64_MAX, &used))
            continue;
        *ret_used = used;
        *ret_full = own ? own->frames : 0;
        return true;
    }
    return false;
}

void mgc_results_reduced_text(const struct mgc_results *results, struct mgc_buf *out)
{
    for (size_t i = 0; i < results->count; i++) {
        const char *workload = results->cells[i].cell->workload;
        int64_t used, full;
        if (mgc_results_is_first_of_workload(results, i) &&
            mgc_results_frames(results, workload, &used, &full) && used < full)
            mgc_buf_printf(
                out, "%s%s %" PRId64 " of %" PRId64, out->len ? ", " : "", workload, used, full);
    }
}

static bool has_benchmark(const struct mgc_results *results, const char *workload)
{
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell *cell = results->cells[i].cell;
        if (cell->mode == MGC_MODE_BENCHMARK && strcmp(cell->workload, workload) == 0)
            return true;
    }
    return false;
}

void mgc_results_few_frames_text(const struct mgc_results *results, struct mgc_buf *out)
{
    for (size_t i = 0; i < results->count; i++) {
        const char *workload = results->cells[i].cell->workload;
        int64_t used, full;
        if (mgc_results_is_first_of_workload(results, i) && has_benchmark(results, workload) &&
            mgc_results_frames(results, workload, &used, &full) && used < MGC_FRAMES_FOR_A_RATE)
            mgc_buf_printf(out, "%s%s %" PRId64, out->len ? ", " : "", workload, used);
    }
}
