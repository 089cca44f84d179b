/* REPORT.md: verdicts and reasons first, then numbers, then what they rest on. */
#include "coordinator/report/report.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/base/clock.h"
#include "coordinator/report/columns.h"

/* A cell of a Markdown table must not end the row or the cell early. */
static void put_escaped(struct mgc_buf *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c == '|')
            mgc_buf_puts(out, "\\|");
        else if (*c == '\n' || *c == '\r')
            mgc_buf_putc(out, ' ');
        else
            mgc_buf_putc(out, *c);
    }
}

static void put_time(struct mgc_buf *out, int64_t wall_ns)
{
    char text[32];
    time_t seconds = (time_t)(wall_ns / MGC_NS_PER_S);
    struct tm utc;
    gmtime_r(&seconds, &utc);
    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &utc);
    mgc_buf_puts(out, text);
}

static void title(const struct mgc_results *results, struct mgc_buf *out)
{
    char device[192];
    mgc_device_text(results, device, sizeof(device));
    mgc_buf_printf(
        out, "# %s on %s\n\nRun `%s`, ", results->plan->name, device, results->plan->run_id);
    put_time(out, results->start_wall_ns);
    mgc_buf_puts(out, " to ");
    put_time(out, results->end_wall_ns);
    mgc_buf_printf(out, ", %s.\n\n", results->tool_build ? results->tool_build : "unknown build");
    if (strstr(device, "lab phone"))
        mgc_buf_puts(out, "**Device: lab phone.** These numbers were made without hardware; they "
                          "say nothing about a real phone.\n\n");
    if (results->frames_reduced)
        mgc_buf_puts(out, "Traces with **reduced frame counts** were used; the table shows how "
                          "many frames each cell had.\n\n");
}

static void verdicts(const struct mgc_results *results, struct mgc_buf *out)
{
    size_t counts[MGC_VERDICT_SKIPPED + 1] = {0};
    for (size_t i = 0; i < results->count; i++)
        counts[results->cells[i].verdict.state]++;
    mgc_buf_puts(out, "## Verdicts\n\n");
    if (results->stopped_reason) {
        mgc_buf_puts(out, "The run was stopped: ");
        put_escaped(out, results->stopped_reason);
        mgc_buf_puts(out, ".\n\n");
    }
    const char *between = "";
    for (int state = 0; state <= MGC_VERDICT_SKIPPED; state++) {
        if (!counts[state])
            continue;
        mgc_buf_printf(out, "%s%zu %s", between, counts[state],
            mgc_verdict_state_name((enum mgc_verdict_state)state));
        between = ", ";
    }
    mgc_buf_puts(
        out, "\n\n| cell | attempts | verdict | reason | next step |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell_result *cell = &results->cells[i];
        char verdict[128];
        mgc_verdict_text(&cell->verdict, verdict, sizeof(verdict));
        mgc_buf_printf(out, "| %s | %d | %s | ", cell->cell->id, cell->attempts, verdict);
        put_escaped(out, cell->verdict.text);
        mgc_buf_puts(out, " | ");
        put_escaped(out, cell->verdict.next_step);
        mgc_buf_puts(out, " |\n");
    }
    mgc_buf_putc(out, '\n');
}

static void numbers(const struct mgc_results *results, struct mgc_buf *out)
{
    char text[MGC_COLUMN_TEXT_MAX], device[192];
    mgc_device_text(results, device, sizeof(device));
    mgc_buf_printf(out, "## Numbers (device: %s)\n\n| cell |", device);
    for (const struct mgc_column *c = mgc_crosshost_columns; c->title; c++)
        mgc_buf_printf(out, " %s |", c->title);
    mgc_buf_puts(out, "\n|---|");
    for (const struct mgc_column *c = mgc_crosshost_columns; c->title; c++)
        mgc_buf_puts(out, "---|");
    mgc_buf_putc(out, '\n');
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell_result *cell = &results->cells[i];
        char verdict[128];
        mgc_verdict_text(&cell->verdict, verdict, sizeof(verdict));
        bool counts = cell->verdict.state == MGC_VERDICT_MEASURED;
        mgc_buf_printf(out, "| %s%s%s%s |", cell->cell->id, counts ? "" : " (not counted, ",
            counts ? "" : verdict, counts ? "" : ")");
        for (const struct mgc_column *c = mgc_crosshost_columns; c->title; c++) {
            mgc_column_text(c, cell, text);
            mgc_buf_printf(out, " %s |", text);
        }
        mgc_buf_putc(out, '\n');
    }
    mgc_buf_puts(out, "\nEach row is one run (n = 1). \"-\" is a number that was not there. Steady "
                      "figures leave out the first frame, which holds set-up and load.\n\n");
}

static void evidence(const struct mgc_results *results, struct mgc_buf *out)
{
    mgc_buf_puts(out, "## What each verdict rests on\n\n");
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell_result *cell = &results->cells[i];
        const struct mgc_verdict *verdict = &cell->verdict;
        mgc_buf_printf(out, "### %s\n\n", cell->cell->id);
        if (cell->dir)
            mgc_buf_printf(out, "Files: [%s](%s/)\n\n", cell->dir, cell->dir);
        if (verdict->evidence_count == 0) {
            mgc_buf_puts(out, "No evidence.\n\n");
            continue;
        }
        mgc_buf_puts(out, "| check | outcome | source | seen |\n|---|---|---|---|\n");
        for (size_t k = 0; k < verdict->evidence_count; k++) {
            const struct mgc_evidence *item = &verdict->evidence[k];
            mgc_buf_printf(out, "| %s | %s | %s | ", item->check,
                mgc_check_outcome_name(item->outcome), item->source);
            put_escaped(out, item->seen);
            mgc_buf_puts(out, " |\n");
        }
        mgc_buf_putc(out, '\n');
    }
}

static void path_row(const char *when, const struct mgc_verdict *verdict, struct mgc_buf *out)
{
    const char *seen = verdict->evidence_count ? verdict->evidence[0].seen : "";
    mgc_buf_printf(out, "| %s | %s | ", when,
        verdict->state == MGC_VERDICT_MEASURED ? "end to end"
        : verdict->reason[0]                   ? verdict->reason
                                               : "not checked");
    put_escaped(out, seen);
    mgc_buf_puts(out, " |\n");
}

static void path(const struct mgc_results *results, struct mgc_buf *out)
{
    mgc_buf_puts(out, "## Path to the phone\n\n| when | verdict | seen |\n|---|---|---|\n");
    path_row("before", &results->path_before, out);
    path_row("after", &results->path_after, out);
    const char *before = mgc_fields_get_str(&results->route, "before");
    const char *source = mgc_fields_get_str(&results->route, "source");
    mgc_buf_printf(out, "\nRoute before the run: %s. Source address during the run: %s.\n\n",
        before ? before : "unknown", source ? source : "unknown");
}

static void starts(const struct mgc_results *results, struct mgc_buf *out)
{
    mgc_buf_puts(out, "## Starts and clocks\n\n| cell | skew ms | clock uncertainty ms | lead ms "
                      "|\n|---|---|---|---|\n");
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_release *release = &results->cells[i].release;
        mgc_buf_printf(out, "| %s | ", results->cells[i].cell->id);
        if (!release->released) {
            mgc_buf_puts(out, "- | - | - |\n");
            continue;
        }
        if (release->reported == release->members)
            mgc_buf_printf(out, "%.3f", (double)release->skew_ns / 1e6);
        else
            mgc_buf_puts(out, "-");
        mgc_buf_printf(out, " | %.3f | %.1f |\n", (double)release->uncertainty_ns / 1e6,
            (double)release->lead_ns / 1e6);
    }
    mgc_buf_puts(out, "\nSkew is the latest minus the earliest start of a cell's members, brought "
                      "to one clock; it cannot be known better than the uncertainty.\n\n");
}

static void hosts(const struct mgc_results *results, struct mgc_buf *out)
{
    mgc_buf_puts(out, "## Hosts\n\n| worker | role | host | system | build | sessions | clock "
                      "offset ms |\n|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < results->host_count; i++) {
        const struct mgc_host_record *host = &results->hosts[i];
        mgc_buf_printf(out, "| %s | %s | %s | %s | %s | %lld | ", host->name, host->role,
            host->host, host->os, host->build, (long long)host->sessions);
        if (host->clock_known)
            mgc_buf_printf(out, "%.3f +- %.3f |\n", (double)host->offset_ns / 1e6,
                (double)host->uncertainty_ns / 1e6);
        else
            mgc_buf_puts(out, "unknown |\n");
    }
    mgc_buf_puts(out, "\n## Device\n\n| fact | value |\n|---|---|\n");
    for (size_t i = 0; i < results->device.count; i++) {
        const struct mgc_field *field = &results->device.items[i];
        mgc_buf_printf(out, "| %s | ", field->name);
        if (field->value.type == MGC_VALUE_STRING)
            put_escaped(out, field->value.string);
        else if (field->value.type == MGC_VALUE_INT)
            mgc_buf_printf(out, "%lld", (long long)field->value.integer);
        else if (field->value.type == MGC_VALUE_DOUBLE)
            mgc_buf_printf(out, "%g", field->value.real);
        else
            mgc_buf_puts(out, field->value.boolean ? "yes" : "no");
        mgc_buf_puts(out, " |\n");
    }
    mgc_buf_putc(out, '\n');
}

bool mgc_report_markdown(
    const struct mgc_results *results, struct mgc_buf *out, struct mgc_error *err)
{
    title(results, out);
    verdicts(results, out);
    numbers(results, out);
    path(results, out);
    starts(results, out);
    hosts(results, out);
    if (results->note_count)
        mgc_buf_puts(out, "## Notes\n\n");
    for (size_t i = 0; i < results->note_count; i++) {
        mgc_buf_puts(out, "- ");
        put_escaped(out, results->notes[i]);
        mgc_buf_putc(out, '\n');
    }
    if (results->note_count)
        mgc_buf_putc(out, '\n');
    evidence(results, out);
    return mgc_buf_ok(out) || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for REPORT.md");
}
