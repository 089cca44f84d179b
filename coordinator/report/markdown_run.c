#include "coordinator/report/sections.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "coordinator/merge/comparisons.h"
#include "coordinator/merge/put_back.h"
#include "coordinator/report/columns.h"

static void path_row(const struct mgc_results *results, const char *when,
    const struct mgc_verdict *verdict, struct mgc_buf *out)
{
    const char *seen = verdict->evidence_count ? verdict->evidence[0].seen : "";
    mgc_buf_printf(out, "| %s | %s | ", when,
        verdict->state == MGC_VERDICT_MEASURED ? "end to end"
        : verdict->reason[0]                   ? verdict->reason
                                               : mgc_path_not_checked(results));
    mgc_put_markdown(out, seen);
    mgc_buf_puts(out, " | ");
    mgc_put_markdown(out, verdict->next_step);
    mgc_buf_puts(out, " |\n");
}

static void put_fact(const struct mgc_fields *fields, const char *name, struct mgc_buf *out)
{
    const char *text = mgc_fields_get_str(fields, name);
    mgc_put_markdown(out, text ? text : "unknown");
}

void mgc_section_path(const struct mgc_results *results, struct mgc_buf *out)
{
    mgc_buf_puts(out, "## Path to the phone\n\n| when | verdict | seen | next step "
                      "|\n|---|---|---|---|\n");
    path_row(results, "before", &results->path_before, out);
    path_row(results, "after", &results->path_after, out);
    if (mgc_fields_get_str(&results->route, "mode")) {
        mgc_buf_puts(out, "\nRoutes were not handled: `route.mode` is `none` in site.yaml.\n\n");
        return;
    }
    mgc_buf_puts(out, "\nRoute before the run: ");
    put_fact(&results->route, "before", out);
    mgc_buf_puts(out, ". Source address during the run: ");
    put_fact(&results->route, "source", out);
    mgc_buf_puts(out, ".\n\n");
}

void mgc_section_put_back(const struct mgc_results *results, struct mgc_buf *out)
{
    if (results->put_back_count == 0 && !results->unfinished)
        return;
    mgc_buf_puts(out, "## Put back\n\n");
    if (results->put_back_count == 0) {
        mgc_buf_puts(out,
            "Not recorded, since the run has not come to its end. Each worker puts back "
            "by itself what it changed, at the latest when it starts again.\n\n");
        return;
    }
    mgc_buf_puts(out, mgc_results_left_behind(results)
                          ? "**Not everything is known to be put back.** Start the worker again: "
                            "before anything else it undoes what is left.\n\n"
                          : "What the steps changed on these machines was put back.\n\n");
    mgc_buf_puts(out, "| step | changes put back | not put back | why |\n|---|---:|---:|---|\n");
    for (size_t i = 0; i < results->put_back_count; i++) {
        const struct mgc_put_back *row = &results->put_back[i];
        mgc_buf_printf(out, "| %s (%s) | %" PRId64 " | %" PRId64 " | ", row->step, row->kind,
            row->done, row->failed);
        mgc_put_markdown(out, row->text        ? row->text
                              : row->on_rejoin ? "its worker was lost and put it back when it "
                                                 "started or joined again"
                                               : "");
        mgc_buf_puts(out, " |\n");
    }
    mgc_buf_putc(out, '\n');
}

static void start_row(const struct mgc_cell_result *cell, struct mgc_buf *out)
{
    const struct mgc_release *release = &cell->release;
    mgc_buf_printf(out, "| %s | ", cell->cell->id);
    if (!release->released) {
        mgc_buf_puts(out, "- | - | - |\n");
        return;
    }
    if (release->reported == release->members)
        mgc_buf_printf(out, "%.3f", (double)release->skew_ns / 1e6);
    else
        mgc_buf_puts(out, "-");
    mgc_buf_printf(out, " | %.3f | %.1f |\n", (double)release->uncertainty_ns / 1e6,
        (double)release->lead_ns / 1e6);
}

void mgc_section_starts(const struct mgc_results *results, struct mgc_buf *out)
{
    mgc_buf_puts(out, "## Starts and clocks\n\n| cell | skew ms | clock uncertainty ms | lead ms "
                      "|\n|---|---:|---:|---:|\n");
    for (size_t i = 0; i < results->count; i++) {
        if (mgc_cell_over_network(results->cells[i].cell))
            start_row(&results->cells[i], out);
    }
    mgc_buf_puts(out,
        "\nSkew is the latest minus the earliest start of a cell's members, brought "
        "to one clock; it cannot be known better than the uncertainty. Lead is how long "
        "before the common start its time was told to the members.\n\n");
}

static void put_cell(const char *text, struct mgc_buf *out)
{
    mgc_put_markdown(out, text ? text : "unknown");
    mgc_buf_puts(out, " | ");
}

void mgc_section_hosts(const struct mgc_results *results, struct mgc_buf *out)
{
    mgc_buf_puts(out, "## Hosts\n\n| worker | role | host | system | build | sessions | clock "
                      "offset ms |\n|---|---|---|---|---|---:|---:|\n");
    for (size_t i = 0; i < results->host_count; i++) {
        const struct mgc_host_record *host = &results->hosts[i];
        mgc_buf_puts(out, "| ");
        put_cell(host->name, out);
        put_cell(host->role, out);
        put_cell(host->host, out);
        put_cell(host->os, out);
        put_cell(host->build, out);
        mgc_buf_printf(out, "%lld | ", (long long)host->sessions);
        if (host->clock_known)
            mgc_buf_printf(out, "%.3f +- %.3f |\n", (double)host->offset_ns / 1e6,
                (double)host->uncertainty_ns / 1e6);
        else
            mgc_buf_puts(out, "unknown |\n");
    }
    mgc_buf_putc(out, '\n');
}

static void put_value(const struct mgc_value *value, struct mgc_buf *out)
{
    if (value->type == MGC_VALUE_STRING)
        mgc_put_markdown(out, value->string);
    else if (value->type == MGC_VALUE_INT)
        mgc_buf_printf(out, "%lld", (long long)value->integer);
    else if (value->type == MGC_VALUE_DOUBLE)
        mgc_buf_printf(out, "%g", value->real);
    else
        mgc_buf_puts(out, value->boolean ? "yes" : "no");
}

/* A name that ends in _dc has tenths of a degree C; people read degrees. */
static void fact_row(const char *name, const struct mgc_value *value, struct mgc_buf *out)
{
    size_t len = strlen(name);
    bool tenths = len > 3 && strcmp(name + len - 3, "_dc") == 0 && value->type == MGC_VALUE_INT;
    mgc_buf_puts(out, "| ");
    mgc_put_markdown(out, name);
    mgc_buf_puts(out, " | ");
    if (tenths)
        mgc_buf_printf(out, "%.1f degrees C", (double)value->integer / 10);
    else
        put_value(value, out);
    mgc_buf_puts(out, " |\n");
}

void mgc_section_device(const struct mgc_results *results, struct mgc_buf *out)
{
    mgc_buf_puts(out, "## Device\n\n");
    if (results->device.count == 0) {
        mgc_buf_puts(out, "Nothing is known of it.\n\n");
        return;
    }
    mgc_buf_puts(out, "| fact | value |\n|---|---|\n");
    for (size_t i = 0; i < results->device.count; i++)
        fact_row(results->device.items[i].name, &results->device.items[i].value, out);
    mgc_buf_putc(out, '\n');
}

void mgc_section_notes(const struct mgc_results *results, struct mgc_buf *out)
{
    if (results->note_count == 0)
        return;
    mgc_buf_puts(out, "## Notes\n\n");
    for (size_t i = 0; i < results->note_count; i++) {
        mgc_buf_puts(out, "- ");
        mgc_put_markdown(out, results->notes[i]);
        mgc_buf_putc(out, '\n');
    }
    mgc_buf_putc(out, '\n');
}
