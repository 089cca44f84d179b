/* A run on several phones for people: the terminal's table and REPORT.md, what is wrong first. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "coordinator/report/columns.h"
#include "coordinator/report/fleet.h"

static void put_speed(const struct mgc_fleet_speed *speed, char ret_text[48])
{
    if (!speed->arm || !isfinite(speed->fps))
        snprintf(ret_text, 48, "-");
    else
        snprintf(ret_text, 48, "%.2f", speed->fps);
}

/* "fps: reference arm, monolith", once for all that have the same. */
static void put_arms(const struct mgc_fleet_report *report, const char *const *workloads,
    size_t workload_count, struct mgc_buf *out)
{
    const char *arms[MGC_FLEET_WORKLOADS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < report->count * workload_count; i++) {
        struct mgc_fleet_speed speed;
        size_t known = 0;
        const struct mgc_fleet_row *row = &report->rows[i / workload_count];
        if (!mgc_fleet_speed(row, workloads[i % workload_count], &speed, NULL) || !speed.arm)
            continue;
        while (known < count && strcmp(arms[known], speed.arm) != 0)
            known++;
        if (known == count && count < MGC_FLEET_WORKLOADS_MAX)
            arms[count++] = speed.arm;
    }
    if (count == 0)
        return;
    mgc_buf_puts(out, "fps is that of the reference arm, over all of its rounds that count: ");
    for (size_t i = 0; i < count; i++) {
        mgc_buf_puts(out, i ? ", " : "");
        mgc_put_plain(out, arms[i]);
    }
    mgc_buf_puts(out, ".\n");
}

/* ---- terminal ---- */

static void table_reasons(const struct mgc_fleet_report *report, struct mgc_buf *out)
{
    bool any = false;
    for (size_t i = 0; i < report->count; i++) {
        struct mgc_buf reason = {0};
        mgc_fleet_row_reason(&report->rows[i], &reason);
        if (reason.len)
            mgc_buf_printf(out, "%s: %s\n", report->rows[i].phone, mgc_buf_text(&reason));
        any |= reason.len > 0;
        mgc_buf_destroy(&reason);
    }
    mgc_buf_puts(out, any ? "\n" : "");
}

static int phone_width(const struct mgc_fleet_report *report)
{
    size_t width = strlen("phone");
    for (size_t i = 0; i < report->count; i++) {
        size_t len = strlen(report->rows[i].phone);
        width = len > width ? len : width;
    }
    return (int)width;
}

static bool table_row(const struct mgc_fleet_row *row, int width, const char *const *workloads,
    size_t count, struct mgc_buf *out, struct mgc_error *err)
{
    struct mgc_fleet_counts counts = mgc_fleet_count(row);
    mgc_buf_printf(out, "%-*s  %4d  %5zu  %8zu  %6zu  %7zu  %7zu  %4zu", width, row->phone,
        mgc_fleet_row_code(row), counts.cells, counts.measured, counts.failed, counts.invalid,
        counts.skipped, counts.open);
    for (size_t i = 0; i < count; i++) {
        struct mgc_fleet_speed speed;
        char text[48];
        if (!mgc_fleet_speed(row, workloads[i], &speed, err))
            return false;
        put_speed(&speed, text);
        mgc_buf_printf(out, "  %12s", text);
    }
    mgc_buf_printf(out, "  %s\n", row->dir);
    return true;
}

bool mgc_fleet_table(
    const struct mgc_fleet_report *report, struct mgc_buf *out, struct mgc_error *err)
{
    const char *workloads[MGC_FLEET_WORKLOADS_MAX];
    size_t count = mgc_fleet_workloads(report, workloads);
    int width = phone_width(report);
    bool ok = mgc_fleet_sentence(report, out, err);
    mgc_buf_puts(out, "\n\n");
    table_reasons(report, out);
    mgc_buf_printf(
        out, "%-*s  exit  cells  measured  failed  invalid  skipped  open", width, "phone");
    for (size_t i = 0; i < count; i++) {
        char title[64];
        snprintf(title, sizeof(title), "%.8s fps", workloads[i]);
        mgc_buf_printf(out, "  %12s", title);
    }
    mgc_buf_puts(out, "  report in\n");
    for (size_t i = 0; ok && i < report->count; i++)
        ok = table_row(&report->rows[i], width, workloads, count, out, err);
    put_arms(report, workloads, count, out);
    return ok && (mgc_buf_ok(out) || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a table"));
}

/* ---- REPORT.md ---- */

static void markdown_reasons(const struct mgc_fleet_report *report, struct mgc_buf *out)
{
    mgc_buf_puts(out, "## Not as planned\n\n");
    if (mgc_fleet_exit_code(report) == 0)
        mgc_buf_puts(out, "Nothing: all phones measured what the plan says.\n");
    for (size_t i = 0; i < report->count; i++) {
        struct mgc_buf reason = {0};
        mgc_fleet_row_reason(&report->rows[i], &reason);
        if (reason.len) {
            mgc_buf_printf(out, "- **%s**: ", report->rows[i].phone);
            mgc_put_markdown(out, mgc_buf_text(&reason));
            mgc_buf_puts(out, "\n");
        }
        mgc_buf_destroy(&reason);
    }
}

static bool markdown_row(const struct mgc_fleet_row *row, const char *const *workloads,
    size_t count, struct mgc_buf *out, struct mgc_error *err)
{
    struct mgc_fleet_counts counts = mgc_fleet_count(row);
    char device[192] = "-";
    if (row->results)
        mgc_device_text(row->results, device, sizeof(device));
    mgc_buf_printf(out, "| %s | ", row->phone);
    mgc_put_markdown(out, device);
    mgc_buf_printf(out, " | %d | %zu | %zu | %zu | %zu | %zu | %zu", mgc_fleet_row_code(row),
        counts.cells, counts.measured, counts.failed, counts.invalid, counts.skipped, counts.open);
    for (size_t i = 0; i < count; i++) {
        struct mgc_fleet_speed speed;
        char text[48];
        if (!mgc_fleet_speed(row, workloads[i], &speed, err))
            return false;
        put_speed(&speed, text);
        mgc_buf_printf(out, " | %s", text);
        if (speed.arm && isfinite(speed.fps))
            mgc_buf_printf(out, " (n = %zu)", speed.n);
    }
    mgc_buf_printf(out, " | [%s](%s/REPORT.md) |\n", row->dir, row->dir);
    return true;
}

bool mgc_fleet_markdown(
    const struct mgc_fleet_report *report, struct mgc_buf *out, struct mgc_error *err)
{
    const char *workloads[MGC_FLEET_WORKLOADS_MAX];
    size_t count = mgc_fleet_workloads(report, workloads);
    mgc_buf_puts(out, "# ");
    mgc_put_markdown(out, report->plan);
    mgc_buf_printf(out, " on %zu phone%s\n\nRun `%s`: ", report->count,
        report->count == 1 ? "" : "s", report->run_id);
    bool ok = mgc_fleet_sentence(report, out, err);
    mgc_buf_puts(out, ".\n\n");
    markdown_reasons(report, out);
    mgc_buf_puts(out, "\n## Phones\n\n| phone | device | exit code | cells | measured | failed | "
                      "invalid | skipped | open");
    for (size_t i = 0; i < count; i++) {
        mgc_buf_puts(out, " | ");
        mgc_put_markdown(out, workloads[i]);
        mgc_buf_puts(out, " fps");
    }
    mgc_buf_puts(out, " | report |\n|---|---|---|---|---|---|---|---|---");
    for (size_t i = 0; i < count; i++)
        mgc_buf_puts(out, "|---");
    mgc_buf_puts(out, "|---|\n");
    for (size_t i = 0; ok && i < report->count; i++)
        ok = markdown_row(&report->rows[i], workloads, count, out, err);
    mgc_buf_puts(out, "\n");
    put_arms(report, workloads, count, out);
    mgc_buf_puts(out, "Phones are measured side by side and never compared with each other.\n");
    return ok &&
           (mgc_buf_ok(out) || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for REPORT.md"));
}
