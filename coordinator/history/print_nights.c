/* `mgcoord history`: one table per arm, one line per run. */
#include <stdio.h>
#include <string.h>

#include "coordinator/history/night_link.h"
#include "coordinator/history/print.h"

/* What may differ between two nights without a change of the plan. */
static const struct {
    enum mgc_fact fact;
    const char *title;
} builds[] = {
    {MGC_FACT_CLIENT_BUILD, "CLIENT"},
    {MGC_FACT_LIBRARY_BUILD, "LIBRARY"},
    {MGC_FACT_SERVER_BUILD, "SERVER"},
    {MGC_FACT_TRACE, "TRACE"},
};
enum { BUILD_COUNT = sizeof(builds) / sizeof(builds[0]), LINK_WIDTH = 21, LINK_TEXT_MAX = 96 };

static void put_build(const struct mgc_night *night, enum mgc_fact fact, struct mgc_buf *out)
{
    const char *value = night->sample ? night->sample->texts[fact] : NULL;
    mgc_buf_printf(out, "  %-8.8s", value ? value : "-");
}

static void put_numbers(const struct mgc_arm_numbers *numbers, struct mgc_buf *out)
{
    const struct mgc_spread *spread = &numbers->spread;
    char range[48] = "-", median[24] = "-", n[48];
    snprintf(n, sizeof(n), "%zu/%zu", numbers->has_spread ? spread->n : 0, numbers->cells);
    if (numbers->has_spread) {
        snprintf(median, sizeof(median), "%.3f", spread->median);
        snprintf(range, sizeof(range), "%.3f to %.3f", spread->min, spread->max);
    }
    mgc_buf_printf(out, "  %5s  %9s  %-20s", n, median, range);
}

/* Only of arms over a link that was ever tested. */
static bool shows_link(const struct mgc_arm_history *arm)
{
    bool known = false;
    for (size_t i = 0; i < arm->count; i++)
        known |= mgc_link_look_is_known(&arm->nights[i].link);
    return known;
}

static void put_night(const struct mgc_night *night, int width, bool with_link, struct mgc_buf *out)
{
    char when[MGC_WHEN_SIZE], link[LINK_TEXT_MAX];
    mgc_print_when(night->run->start_wall_ns, when);
    mgc_buf_printf(out, "  %-*s  %-16s", width, night->run->run_id, when);
    put_numbers(&night->numbers, out);
    for (int i = 0; i < BUILD_COUNT; i++)
        put_build(night, builds[i].fact, out);
    mgc_night_link_text(&night->link, link, sizeof(link));
    if (with_link)
        mgc_buf_printf(out, "  %-*s", LINK_WIDTH, link);
    mgc_buf_printf(out, "  %-13s  %s", night->run->tool_build ? night->run->tool_build : "-",
        mgc_inputs_name(night->inputs));
    if (night->why[0]) {
        mgc_buf_puts(out, ": ");
        mgc_print_short_hashes(night->why, out);
    }
    if (!night->run->ended)
        mgc_buf_puts(out, " (the run did not come to its end)");
    if (strcmp(night->run->origin, "run") != 0)
        mgc_buf_printf(out, " (%s)", night->run->origin);
    mgc_buf_putc(out, '\n');
}

static void put_gate(
    const struct mgc_nights *nights, const struct mgc_arm_history *arm, struct mgc_buf *out)
{
    const struct mgc_run_gate_arm *gate = mgc_nights_gate(nights, arm);
    if (!gate)
        return;
    mgc_buf_puts(out, "  gate, the last against those before: ");
    mgc_run_gate_arm_print(gate, out);
    mgc_buf_putc(out, '\n');
}

static void put_arm(
    const struct mgc_nights *nights, const struct mgc_arm_history *arm, struct mgc_buf *out)
{
    size_t width = strlen("RUN");
    for (size_t i = 0; i < arm->count; i++) {
        size_t len = strlen(arm->nights[i].run->run_id);
        width = len > width ? len : width;
    }
    mgc_buf_printf(out, "\n%s %s%s%s, %s (ms per frame, less is better)\n", arm->key.workload,
        arm->key.arm, arm->key.backend ? " " : "", arm->key.backend ? arm->key.backend : "",
        MGC_HISTORY_METRIC);
    mgc_buf_printf(out, "  %-*s  %-16s  %5s  %9s  %-20s", (int)width, "RUN", "START (UTC)", "N",
        "MEDIAN", "MIN TO MAX");
    for (int i = 0; i < BUILD_COUNT; i++)
        mgc_buf_printf(out, "  %-8s", builds[i].title);
    bool with_link = shows_link(arm);
    if (with_link)
        mgc_buf_printf(out, "  %-*s", LINK_WIDTH, "LINK");
    mgc_buf_printf(out, "  %-13s  %s\n", "TOOL", "INPUTS");
    for (size_t i = 0; i < arm->count; i++)
        put_night(&arm->nights[i], (int)width, with_link, out);
    put_gate(nights, arm, out);
}

void mgc_nights_print(const struct mgc_nights *nights, struct mgc_buf *out)
{
    const struct mgc_history_run *device = NULL;
    for (size_t i = 0; i < nights->arm_count; i++) {
        const struct mgc_arm_history *arm = &nights->arms[i];
        if (!device || !mgc_history_same_device(device, arm->device)) {
            mgc_buf_puts(out, device ? "\n" : "");
            device = arm->device;
            mgc_print_device(device, out);
            mgc_buf_puts(
                out, device->lab ? "\nThe lab's phone: says nothing about a real one.\n" : "\n");
        }
        put_arm(nights, arm, out);
    }
    mgc_buf_puts(out, nights->arm_count
                          ? "\nN: numbers of cells. LINK: Mbit/s to and from the phone, round "
                            "trip in ms. INPUTS: trace, builds, settings, device, clocks and link "
                            "against the run before.\n"
                          : "no run in the history has such a benchmark\n");
}

/* ---- JSON ---- */

static json_t *facts_json(const struct mgc_history_cell *sample)
{
    if (!sample)
        return json_null();
    json_t *facts = json_object();
    for (int i = 0; i < MGC_FACT_COUNT; i++) {
        if (sample->facts.facts[i].state == MGC_FACT_KNOWN)
            json_object_set_new(
                facts, mgc_fact_name((enum mgc_fact)i), mgc_json_text(sample->texts[i]));
        else if (sample->facts.facts[i].state == MGC_FACT_NOT_APPLICABLE)
            json_object_set_new(facts, mgc_fact_name((enum mgc_fact)i), json_null());
    }
    return facts;
}

static json_t *night_json(const struct mgc_night *night)
{
    json_t *row = mgc_history_run_to_json(night->run);
    json_t *numbers = mgc_arm_numbers_to_json(&night->numbers);
    json_object_update(row, numbers);
    json_decref(numbers);
    json_object_set_new(row, "facts", facts_json(night->sample));
    json_object_set_new(row, "link", mgc_link_look_to_json(&night->link));
    json_object_set_new(row, "inputs", json_string(mgc_inputs_name(night->inputs)));
    json_object_set_new(row, "why", night->why[0] ? mgc_json_text(night->why) : json_null());
    return row;
}

json_t *mgc_nights_to_json(const struct mgc_nights *nights)
{
    json_t *doc = json_object(), *arms = json_array();
    json_object_set_new(doc, "schema", json_string("mgcoord-history-1"));
    for (size_t i = 0; i < nights->arm_count; i++) {
        const struct mgc_arm_history *arm = &nights->arms[i];
        json_t *row = json_object(), *list = json_array();
        mgc_arm_key_to_json(&arm->key, row);
        for (size_t k = 0; k < arm->count; k++)
            json_array_append_new(list, night_json(&arm->nights[k]));
        json_object_set_new(row, "nights", list);
        const struct mgc_run_gate_arm *gate = mgc_nights_gate(nights, arm);
        json_object_set_new(row, "gate", gate ? mgc_run_gate_arm_to_json(gate) : json_null());
        json_array_append_new(arms, row);
    }
    json_object_set_new(doc, "arms", arms);
    return doc;
}
