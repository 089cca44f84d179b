#include "coordinator/plan/check_plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/plan/lane_settings.h"

struct checked {
    const struct mgc_lane_input *input;
    const struct mgc_lane *const *lanes;
    size_t lane_count;
    const struct mgc_lane_items *items; /* of all lanes */
    struct mgc_problems *problems;
};

/* NULL also for a value that was complained about already. */
static const struct mgc_setting *good(const struct checked *checked, const char *key)
{
    const struct mgc_setting *setting = mgc_settings_get(&checked->input->site->settings, key);
    return setting && !setting->bad ? setting : NULL;
}

static bool is(const struct mgc_setting *setting, const char *text)
{
    return setting && setting->text && strcmp(setting->text, text) == 0;
}

static bool has_lane(const struct checked *checked, const struct mgc_lane *lane)
{
    size_t i = 0;
    while (i < checked->lane_count && checked->lanes[i] != lane)
        i++;
    return i < checked->lane_count;
}

/* NULL as lane or workload: any. */
static bool has_rounds(const struct checked *checked, const struct mgc_lane *lane,
    const struct mgc_site_workload *workload)
{
    for (size_t i = 0; i < checked->items->count; i++) {
        const struct mgc_lane_item *item = &checked->items->items[i];
        if (item->mode == MGC_MODE_BENCHMARK && item->workload && (!lane || item->lane == lane) &&
            (!workload || item->workload == workload))
            return true;
    }
    return false;
}

/* ---- lanes in the same rounds -------------------------------------------------------------- */

/* "openra, rd12" */
static void put_workloads(
    const struct checked *checked, const struct mgc_lane *lane, struct mgc_buf *out)
{
    const struct mgc_site *site = checked->input->site;
    for (size_t i = 0; i < site->workload_count; i++) {
        if (has_rounds(checked, lane, &site->workloads[i]))
            mgc_buf_printf(out, "%s%s", out->len ? ", " : "", site->workloads[i].name);
    }
}

/* The setting that was given most deliberately of those that say which workloads a lane has. */
static const struct mgc_setting *chooses_workloads(
    const struct checked *checked, const struct mgc_lane *lane)
{
    static const char *const names[] = {"workloads", "runs", "mode", "one.workload"};
    const struct mgc_setting *best = NULL;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct mgc_setting *setting =
            mgc_settings_getf(&checked->input->site->settings, "lanes.%s.%s", lane->name, names[i]);
        if (mgc_lane_rank(setting) > mgc_lane_rank(best))
            best = setting;
    }
    return best;
}

/* A round of a workload that one lane does not measure has no arm of that lane. */
static void check_same_workloads(
    const struct checked *checked, const struct mgc_lane *a, const struct mgc_lane *b)
{
    const struct mgc_setting *of_a = chooses_workloads(checked, a);
    const struct mgc_setting *of_b = chooses_workloads(checked, b);
    const struct mgc_setting *from = mgc_lane_rank(of_b) > mgc_lane_rank(of_a) ? of_b : of_a;
    struct mgc_buf ours = {0}, others = {0};
    if (!has_rounds(checked, a, NULL) || !has_rounds(checked, b, NULL) || !from)
        return;
    put_workloads(checked, a, &ours);
    put_workloads(checked, b, &others);
    if (strcmp(mgc_buf_text(&ours), mgc_buf_text(&others)) != 0)
        mgc_problem_add(checked->problems,
            "%s: %s: expected the same workloads in both lanes, since interleave is round, got %s "
            "in lanes.%s and %s in lanes.%s",
            from->origin, from->key, mgc_buf_text(&ours), a->name, mgc_buf_text(&others), b->name);
    mgc_buf_destroy(&ours);
    mgc_buf_destroy(&others);
}

static void check_interleave(const struct checked *checked)
{
    if (!is(good(checked, "interleave"), "round"))
        return;
    for (size_t i = 0; i < checked->lane_count; i++) {
        for (size_t j = i + 1; j < checked->lane_count; j++)
            check_same_workloads(checked, checked->lanes[i], checked->lanes[j]);
    }
}

/* ---- confirming rounds --------------------------------------------------------------------- */

static void check_confirm(const struct checked *checked)
{
    const struct mgc_setting *confirm = good(checked, "confirm");
    if (mgc_setting_int(confirm, 0) == 0)
        return;
    if (!has_lane(checked, &mgc_lane_matrix))
        mgc_problem_add(checked->problems,
            "%s: confirm: expected 0, since without lanes.matrix, whose first arm it is, the plan "
            "has no reference beside which an arm could be run again",
            confirm->origin);
    else if (!has_rounds(checked, NULL, NULL))
        mgc_problem_add(checked->problems,
            "%s: confirm: expected 0, since the plan measures no round that could be confirmed",
            confirm->origin);
}

/* ---- brackets and the link ----------------------------------------------------------------- */

static void check_brackets(const struct checked *checked)
{
    const struct mgc_setting *brackets = good(checked, "brackets");
    bool any = false;
    for (size_t i = 0; i < checked->lane_count; i++)
        any |= checked->lanes[i]->bracket != NULL;
    if (brackets && !is(brackets, "none") && !any)
        mgc_problem_add(checked->problems,
            "%s: brackets: expected none, since the plan has no lane whose cells cross hosts "
            "(lanes.crosshost), got '%s'",
            brackets->origin, brackets->text);
}

/* Both listen on the phone while a block is looked at. */
static void check_ports(const struct checked *checked)
{
    const struct mgc_setting *sink = good(checked, "phone.sink_port");
    const struct mgc_setting *server = good(checked, "phone.port");
    bool tested = has_lane(checked, &mgc_lane_netbench) ||
                  (has_lane(checked, &mgc_lane_crosshost) && is(good(checked, "brackets"), "link"));
    if (tested && sink && server && sink->integer == server->integer)
        mgc_problem_add(checked->problems,
            "%s: phone.sink_port: expected another port than phone.port, got %" PRId64 " for both",
            mgc_lane_rank(sink) >= mgc_lane_rank(server) ? sink->origin : server->origin,
            sink->integer);
}

/* ---- what would never happen --------------------------------------------------------------- */

/* Who takes the retries away beside a plan that has replacements knows what that does. */
static void check_replacements(const struct checked *checked)
{
    const struct mgc_setting *replacements = good(checked, "replacements");
    const struct mgc_setting *retries = good(checked, "retries_per_cell");
    if (mgc_setting_int(replacements, 0) > 0 && mgc_setting_int(retries, 1) == 0 &&
        mgc_lane_rank(replacements) >= mgc_lane_rank(retries))
        mgc_problem_add(checked->problems,
            "%s: replacements: expected 0, since each cell goes again at most retries_per_cell "
            "times, which is 0 (%s), got %" PRId64,
            replacements->origin, retries->origin, replacements->integer);
}

static void warn_seed(const struct checked *checked)
{
    const struct mgc_setting *seed = good(checked, "seed"), *order = good(checked, "order");
    if (seed && order && !is(order, "shuffle"))
        mgc_problem_warn(checked->problems, "%s: seed is not used, since order is %s (%s)",
            seed->origin, order->text, order->origin);
}

/* ---- limits that are too short ------------------------------------------------------------- */

/* Only a warning: what is typical is so on the bench of published runs. */
static void warn_timeout(const struct checked *checked, const struct mgc_site_workload *workload)
{
    const struct mgc_setting *timeout =
        mgc_settings_getf(&checked->input->site->settings, "workloads.%s.timeout", workload->name);
    int64_t client_ms = has_rounds(checked, &mgc_lane_crosshost, workload)
                            ? workload->bench->typical_ms
                            : workload->bench->phone_typical_ms;
    int64_t typical_ms = client_ms * workload->frames / workload->bench->frames;
    if (timeout && !timeout->bad && has_rounds(checked, NULL, workload) &&
        timeout->integer < typical_ms)
        mgc_problem_warn(checked->problems,
            "%s: %s: one run takes about %" PRId64 " ms in published runs, got %" PRId64
            " ms as its limit",
            timeout->origin, timeout->key, typical_ms, timeout->integer);
}

void mgc_check_plan(const struct mgc_lane_input *input, const struct mgc_lane *const *lanes,
    size_t lane_count, struct mgc_problems *problems)
{
    struct mgc_lane_items *items = calloc(1, sizeof(*items));
    struct checked checked = {input, lanes, lane_count, items, problems};
    for (size_t i = 0; items && i < lane_count; i++)
        lanes[i]->items(input, items);
    if (items) { /* without memory the plan is not made either */
        check_interleave(&checked);
        check_confirm(&checked);
        check_brackets(&checked);
        check_ports(&checked);
        check_replacements(&checked);
        warn_seed(&checked);
        for (size_t i = 0; i < input->site->workload_count; i++)
            warn_timeout(&checked, &input->site->workloads[i]);
    }
    free(items);
}
