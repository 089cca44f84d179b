/* REPORT.md: verdicts and reasons first, then numbers, then what they rest on. */
#include "coordinator/report/report.h"

#include <stdlib.h>

#include "coordinator/merge/confirm.h"
#include "coordinator/merge/left_out.h"
#include "coordinator/merge/settings.h"
#include "coordinator/report/columns.h"
#include "coordinator/report/link.h"
#include "coordinator/report/merged.h"
#include "coordinator/report/phone.h"
#include "coordinator/report/sections.h"

static void put_time(struct mgc_buf *out, int64_t wall_ns)
{
    mgc_put_utc(out, wall_ns, ' ', " UTC");
}

static void title(const struct mgc_results *results, struct mgc_buf *out)
{
    char device[192];
    mgc_device_text(results, device, sizeof(device));
    mgc_buf_printf(out, "# %s on ", results->plan->name);
    mgc_put_markdown(out, device);
    mgc_buf_printf(out, "\n\nRun `%s`, ", results->plan->run_id);
    put_time(out, results->start_wall_ns);
    mgc_buf_puts(out, " to ");
    put_time(out, results->end_wall_ns);
    mgc_buf_puts(out, ", ");
    mgc_put_markdown(out, results->tool_build ? results->tool_build : "unknown build");
    mgc_buf_puts(out, ".\n\n");
}

static void frame_warnings(const struct mgc_results *results, struct mgc_buf *out)
{
    struct mgc_buf reduced = {0}, few = {0};
    mgc_results_reduced_text(results, &reduced);
    mgc_results_few_frames_text(results, &few);
    if (results->frames_reduced)
        mgc_buf_printf(out, "Traces with **reduced frame counts** were used: %s frames.\n\n",
            mgc_buf_text(&reduced));
    if (few.len)
        mgc_buf_printf(out,
            "**Too few frames for a rate**: %s. Measure at least %d, with whole traces or a "
            "smaller `--lab-frames-divisor`.\n\n",
            mgc_buf_text(&few), MGC_FRAMES_FOR_A_RATE);
    mgc_buf_destroy(&reduced);
    mgc_buf_destroy(&few);
}

static void mean_warnings(const struct mgc_results *results, struct mgc_buf *out)
{
    char text[256];
    size_t at = 0, count = 0;
    while (mgc_mean_apart_text(results, &at, text, sizeof(text))) {
        mgc_buf_puts(out, count++ ? "- " : "**Few frames make the mean** of these cells:\n\n- ");
        mgc_put_markdown(out, text);
        mgc_buf_putc(out, '\n');
    }
    mgc_buf_puts(out, count ? "\n" : "");
}

static void warnings(const struct mgc_results *results, struct mgc_buf *out)
{
    if (mgc_device_is_lab(results))
        mgc_buf_puts(out, "**Device: lab phone.** These numbers were made without hardware; they "
                          "say nothing about a real phone.\n\n");
    if (mgc_fields_get_str(&results->device, "conditions")) {
        mgc_buf_puts(out, "Conditions when the run began: ");
        mgc_put_markdown(out, mgc_fields_get_str(&results->device, "conditions"));
        mgc_buf_puts(out, ".\n\n");
    }
    frame_warnings(results, out);
    mean_warnings(results, out);
    if (mgc_results_regressed(results)) {
        struct mgc_buf arms = {0};
        mgc_results_regressed_text(results, &arms);
        mgc_buf_puts(out, "**Regressed, and confirmed**: ");
        mgc_put_markdown(out, mgc_buf_text(&arms));
        mgc_buf_puts(out, ".\n\n");
        mgc_buf_destroy(&arms);
    }
    if (results->interrupted)
        mgc_buf_puts(out, "**The run was interrupted.**\n\n");
    if (results->resumes)
        mgc_buf_printf(out,
            "The run was **resumed %zu time%s**: cells that were finished before were kept, the "
            "others measured anew; setup and device are those of the last time.\n\n",
            results->resumes, results->resumes == 1 ? "" : "s");
    if (results->stopped_reason) {
        mgc_buf_puts(out, "**The run was stopped**: ");
        mgc_put_markdown(out, results->stopped_reason);
        mgc_buf_puts(out, ".\n\n");
    }
}

/* Whole rounds, as a rule: which, and why. */
static void out_of_time(const struct mgc_results *results, struct mgc_buf *out)
{
    struct mgc_left_out left_out;
    for (size_t nth = 0; mgc_results_left_out_part(results, nth, &left_out); nth++) {
        if (!left_out.of_time)
            continue;
        mgc_buf_printf(out, "**Left out for lack of time** (%zu cell%s): ", left_out.cells,
            left_out.cells == 1 ? "" : "s");
        mgc_put_markdown(out, left_out.verdict->text);
        mgc_buf_puts(out, ".\n\n");
    }
}

static void how_to_read(struct mgc_buf *out)
{
    mgc_buf_puts(out,
        "How to read this: only cells that are *measured* count; each rests on the evidence at the "
        "end. *invalid* ran but is not what the plan asked for, *failed* did not run to its end, "
        "*skipped* never began. Numbers of cells that do not count are shown to find out why.\n\n");
}

/* Against the nights before; of a run that asks no gate there is nothing. */
static void gate(const struct mgc_results *results, struct mgc_buf *out)
{
    if (!results->gate)
        return;
    mgc_buf_puts(out, "## Regression gate\n\n");
    for (size_t i = 0; mgc_results_gate_line(results, i); i++) {
        mgc_buf_puts(out, "- ");
        mgc_put_markdown(out, mgc_results_gate_line(results, i));
        mgc_buf_putc(out, '\n');
    }
    mgc_buf_puts(out, "\nRates against the nights before on this device; `mgcoord history` has all "
                      "arms.\n\n");
}

static bool has_network_cells(const struct mgc_results *results)
{
    for (size_t i = 0; i < results->count; i++) {
        if (mgc_cell_over_network(results->cells[i].cell))
            return true;
    }
    return results->count == 0;
}

/* What belongs to cells whose client is another machine. */
static void over_network(const struct mgc_results *results, const struct mgc_aggregate *list,
    size_t count, struct mgc_buf *out)
{
    if (has_network_cells(results)) {
        mgc_section_numbers(results, out);
        mgc_section_repetitions(results, list, count, out);
        mgc_section_credits(results, list, count, out);
    }
    mgc_section_link(results, out);
    mgc_section_path(results, out);
    if (has_network_cells(results)) {
        mgc_section_starts(results, out);
        mgc_section_phone_across(results, out);
    }
    if (!mgc_plan_on_phone(results->plan) && results->setup.count)
        mgc_phone_builds(results, out); /* else it stands with the cells on the phone */
}

bool mgc_report_markdown(
    const struct mgc_results *results, struct mgc_buf *out, struct mgc_error *err)
{
    struct mgc_aggregate *list;
    size_t count;
    if (!mgc_results_aggregate(results, &list, &count, err))
        return false;
    title(results, out);
    warnings(results, out);
    out_of_time(results, out);
    how_to_read(out);
    mgc_section_verdicts(results, out);
    gate(results, out);
    bool ok = !mgc_plan_is_merged(results->plan) || mgc_sections_merged(results, out, err);
    ok = ok && (!mgc_plan_on_phone(results->plan) || mgc_phone_sections(results, out, err));
    if (mgc_brings_fixtures_only(results))
        mgc_phone_builds(results, out);
    if (mgc_plan_checks_path(results->plan))
        over_network(results, list, mgc_aggregates_keep(list, count, false), out);
    free(list);
    if (!ok)
        return false;
    mgc_section_settings(results, out);
    mgc_section_put_back(results, out);
    mgc_section_notes(results, out);
    mgc_section_hosts(results, out);
    mgc_section_device(results, out);
    mgc_section_evidence(results, out);
    return mgc_buf_ok(out) || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for REPORT.md");
}
