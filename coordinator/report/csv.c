/* cells.csv: a row per cell of the plan, in plan order, for spreadsheets and scripts (RFC 4180:
 * CRLF, quotes doubled). The columns are the same for every plan; what a cell has not is empty,
 * never 0. docs/results.md lists them with their units; tests/unit/report/check_forms.py holds it
 * to that.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "coordinator/merge/link_look.h"
#include "coordinator/report/columns.h"
#include "coordinator/report/parts.h"
#include "coordinator/report/report.h"

/* Of the verdict's metrics, under their own names. */
static const char *const metric_columns[] = {"total_frames", "fps", "mean_ms", "median_ms",
    "p95_ms", "total_seconds", "throughput_fps", "steady_fps", "first_frame_s", "kept_frames",
    "kept_mean_ms", "kept_median_ms", "kept_p95_ms", "kept_p99_ms", "kept_max_ms", "kept_low1_fps",
    "ssim", "mismatch_pixels", "app_s", "wall_s", "gate_waited_ms", "launch_ms", "harness_s",
    "adb_streams", "rc", "steady_mb_per_frame", "steady_mbps", "stage_mb", "wait_replies",
    "rtt_samples", "rtt_mean_ms", "rtt_p50_ub_ms", "rtt_p99_ub_ms", "client_cpu_s",
    "battery_temp_start_dc", "battery_temp_end_dc", "battery_level", "start_skew_ms",
    "start_uncertainty_ms", "fatal_lines", "apk_sha256", "client_sha256", "library_sha256",
    "trace_sha256", "golden_sha256"};

enum { METRICS = sizeof(metric_columns) / sizeof(metric_columns[0]) };

struct row {
    const struct mgc_results *results;
    const struct mgc_cell_result *cell;
};

typedef void column_fn(const struct row *row, struct mgc_buf *out);

/* ---- fields ---- */

/* On one line: a sentence that holds a line end is read wrongly by whoever goes line by line. */
static void put_text(struct mgc_buf *out, const char *text)
{
    struct mgc_buf plain = {0};
    mgc_put_plain(&plain, text ? text : "");
    const char *c = mgc_buf_text(&plain);
    bool quoted = strpbrk(c, ",\"") || c[0] == ' ' || (plain.len && c[plain.len - 1] == ' ');
    mgc_buf_puts(out, quoted ? "\"" : "");
    for (; *c; c++) {
        if (*c == '"')
            mgc_buf_putc(out, '"');
        mgc_buf_putc(out, *c);
    }
    mgc_buf_puts(out, quoted ? "\"" : "");
    out->failed |= !mgc_buf_ok(&plain);
    mgc_buf_destroy(&plain);
}

static void put_value(struct mgc_buf *out, const struct mgc_value *value)
{
    switch (value->type) {
    case MGC_VALUE_BOOL:
        mgc_buf_puts(out, value->boolean ? "true" : "false");
        return;
    case MGC_VALUE_INT:
        mgc_buf_printf(out, "%" PRId64, value->integer);
        return;
    case MGC_VALUE_DOUBLE: /* the digits of verdict.json, so that it reads back the same */
        mgc_buf_printf(out, "%.15g", value->real);
        return;
    case MGC_VALUE_STRING:
        put_text(out, value->string);
        return;
    }
}

static void run_id(const struct row *row, struct mgc_buf *out)
{
    put_text(out, row->results->plan->run_id);
}

static void plan(const struct row *row, struct mgc_buf *out)
{
    put_text(out, row->results->plan->name);
}

static void start_utc(const struct row *row, struct mgc_buf *out)
{
    if (row->results->start_wall_ns)
        mgc_put_utc(out, row->results->start_wall_ns, 'T', "Z");
}

static void device(const struct row *row, struct mgc_buf *out)
{
    char text[192];
    mgc_device_text(row->results, text, sizeof(text));
    put_text(out, text);
}

static void device_kind(const struct row *row, struct mgc_buf *out)
{
    put_text(out, mgc_device_kind(row->results));
}

static void cell(const struct row *row, struct mgc_buf *out)
{
    put_text(out, row->cell->cell->id);
}

static void lane(const struct row *row, struct mgc_buf *out)
{
    put_text(out, row->cell->cell->lane);
}

static void workload(const struct row *row, struct mgc_buf *out)
{
    put_text(out, row->cell->cell->workload);
}

static void arm(const struct row *row, struct mgc_buf *out)
{
    put_text(out, row->cell->cell->arm);
}

static void backend(const struct row *row, struct mgc_buf *out)
{
    put_text(out, row->cell->cell->expect.backend);
}

static void mode(const struct row *row, struct mgc_buf *out)
{
    put_text(out, mgc_mode_name(row->cell->cell->mode));
}

static void rep(const struct row *row, struct mgc_buf *out)
{
    mgc_buf_printf(out, "%" PRId64, row->cell->cell->rep);
}

static void credit(const struct row *row, struct mgc_buf *out)
{
    if (row->cell->cell->expect.credit > 0)
        mgc_buf_printf(out, "%" PRId64, row->cell->cell->expect.credit);
}

static void verdict(const struct row *row, struct mgc_buf *out)
{
    put_text(out, mgc_verdict_state_name(row->cell->verdict.state));
}

static void reason(const struct row *row, struct mgc_buf *out)
{
    put_text(out, row->cell->verdict.reason);
}

static void text(const struct row *row, struct mgc_buf *out)
{
    put_text(out, row->cell->verdict.text);
}

static void next_step(const struct row *row, struct mgc_buf *out)
{
    put_text(out, row->cell->verdict.next_step);
}

/* 0 is a number here: it never began. */
static void attempts(const struct row *row, struct mgc_buf *out)
{
    mgc_buf_printf(out, "%d", row->cell->attempts);
}

static void dir(const struct row *row, struct mgc_buf *out)
{
    put_text(out, row->cell->dir);
}

static void cell_s(const struct row *row, struct mgc_buf *out)
{
    if (row->cell->attempts)
        mgc_buf_printf(out, "%.3f", (double)row->cell->duration_ns / 1e9);
}

static const struct {
    const char *name;
    column_fn *put;
} columns[] = {
    {"run_id", run_id},
    {"plan", plan},
    {"start_utc", start_utc},
    {"device", device},
    {"device_kind", device_kind},
    {"cell", cell},
    {"lane", lane},
    {"workload", workload},
    {"arm", arm},
    {"backend", backend},
    {"mode", mode},
    {"rep", rep},
    {"credit", credit},
    {"verdict", verdict},
    {"reason", reason},
    {"text", text},
    {"next_step", next_step},
    {"attempts", attempts},
    {"dir", dir},
    {"cell_s", cell_s},
};

enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static void put_wall(int64_t wall_ns, struct mgc_buf *out)
{
    mgc_buf_putc(out, ',');
    if (wall_ns)
        mgc_buf_printf(out, "%.3f", mgc_part_wall_s(wall_ns));
}

/* ---- the file ---- */

static void put_head(struct mgc_buf *out)
{
    for (size_t c = 0; c < COLUMNS; c++)
        mgc_buf_printf(out, "%s%s", c ? "," : "", columns[c].name);
    for (size_t m = 0; m < METRICS; m++)
        mgc_buf_printf(out, ",%s", metric_columns[m]);
    mgc_buf_puts(out, ",start_wall_s,end_wall_s,steady_replies_per_frame,server_read_mb_s,"
                      "link_up_mbit_s,link_down_mbit_s,link_around_rtt_ms\r\n");
    /* new ones come at the end */
}

static void put_metric(const struct row *row, const char *name, struct mgc_buf *out)
{
    const struct mgc_value *value = mgc_fields_get(&row->cell->verdict.metrics, name);
    mgc_buf_putc(out, ',');
    if (value)
        put_value(out, value);
}

/* The middle of the looks before and after it, as the history has it. */
static void put_link(const struct row *row, struct mgc_buf *out)
{
    struct mgc_link_around around = {mgc_link_look_none, mgc_link_look_none};
    mgc_results_link_around(row->results, row->cell->cell, &around);
    struct mgc_link_look middle = mgc_link_around_middle(&around);
    for (int i = 0; i < MGC_LINK_FIGURES; i++) {
        mgc_buf_putc(out, ',');
        if (isfinite(middle.figures[i]))
            mgc_buf_printf(out, "%.6g", middle.figures[i]);
    }
}

static void put_row(const struct row *row, struct mgc_buf *out)
{
    for (size_t c = 0; c < COLUMNS; c++) {
        mgc_buf_puts(out, c ? "," : "");
        columns[c].put(row, out);
    }
    for (size_t m = 0; m < METRICS; m++)
        put_metric(row, metric_columns[m], out);
    put_wall(row->cell->start_wall_ns, out);
    put_wall(row->cell->end_wall_ns, out);
    put_metric(row, "steady_replies_per_frame", out);
    put_metric(row, "server_read_mb_s", out);
    put_link(row, out);
    mgc_buf_puts(out, "\r\n");
}

bool mgc_report_cells_csv(
    const struct mgc_results *results, struct mgc_buf *out, struct mgc_error *err)
{
    put_head(out);
    for (size_t i = 0; i < results->count; i++) {
        struct row row = {results, &results->cells[i]};
        put_row(&row, out);
    }
    return mgc_buf_ok(out) || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for cells.csv");
}
