#include "coordinator/plan/schedule.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "common/base/clock.h"
#include "coordinator/plan/plan_text.h"

/* ---- making it ----------------------------------------------------------------------------- */

static bool add_row(struct mgc_schedule *schedule, const struct mgc_part *part, int64_t ms)
{
    struct mgc_schedule_row *more = realloc(schedule->rows, (schedule->count + 1) * sizeof(*more));
    if (!more)
        return false;
    schedule->rows = more;
    more[schedule->count++] = (struct mgc_schedule_row){.part = *part, .ms = ms};
    return true;
}

static bool is_known(const struct mgc_schedule *schedule, const struct mgc_plan *plan,
    struct mgc_estimates *estimates)
{
    bool known = true;
    for (size_t i = 0; i < plan->cell_count; i++)
        known &= plan->cells[i].kind != MGC_CELL_MEASURE ||
                 mgc_estimate_of(estimates, &plan->cells[i]).source != MGC_ESTIMATE_NONE;
    return known && schedule->setup.source != MGC_ESTIMATE_NONE &&
           schedule->close.source != MGC_ESTIMATE_NONE;
}

/* Confirming rounds come last, and nobody knows yet whether. */
static bool fill(
    struct mgc_schedule *schedule, const struct mgc_plan *plan, struct mgc_estimates *estimates)
{
    struct mgc_part part;
    for (size_t at = 0; mgc_plan_next_part(plan, &at, &part);) {
        if (part.measured == 0)
            continue;
        struct mgc_part_need need = mgc_part_need_of(plan, &part, at, estimates, NULL, NULL);
        int64_t now_ns = (schedule->total_ms - need.close_ms) * MGC_NS_PER_MS;
        int64_t left_ns = mgc_time_left_ns(&schedule->limit, now_ns, schedule->wall_ns + now_ns);
        if (!add_row(schedule, &part, need.own_ms))
            return false;
        if (part.confirm)
            continue;
        bool fits = need.own_ms + need.others_ms + need.close_ms <= left_ns / MGC_NS_PER_MS;
        schedule->rows[schedule->count - 1].left_out = !fits;
        schedule->left_out += !fits;
        schedule->total_ms += fits ? need.own_ms : 0;
    }
    return true;
}

bool mgc_schedule_make(const struct mgc_plan *plan, struct mgc_estimates *estimates,
    int64_t wall_ns, struct mgc_schedule *ret_schedule, struct mgc_error *err)
{
    struct mgc_schedule schedule = {.wall_ns = wall_ns};
    schedule.limit = mgc_time_limit_make(&plan->budget, 0, wall_ns);
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct mgc_cell *cell = &plan->cells[i];
        if (cell->kind == MGC_CELL_SETUP)
            schedule.setup = mgc_estimate_of(estimates, cell);
        else if (cell->kind == MGC_CELL_CLOSE)
            schedule.close = mgc_estimate_of(estimates, cell);
    }
    schedule.total_ms = schedule.setup.ms + schedule.close.ms;
    if (!fill(&schedule, plan, estimates)) {
        mgc_schedule_destroy(&schedule);
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the schedule");
    }
    schedule.complete = is_known(&schedule, plan, estimates);
    *ret_schedule = schedule;
    return true;
}

void mgc_schedule_destroy(struct mgc_schedule *schedule)
{
    if (!schedule)
        return;
    free(schedule->rows);
    *schedule = (struct mgc_schedule){0};
}

/* ---- for people ---------------------------------------------------------------------------- */

static void put_row(const struct mgc_schedule_row *row, struct mgc_buf *out)
{
    struct mgc_buf name = {0};
    mgc_part_put(&row->part, &name);
    mgc_buf_printf(out, "  %-34s%3zu cell%s  about ", mgc_buf_text(&name), row->part.measured,
        row->part.measured == 1 ? " " : "s");
    mgc_duration_put(row->ms, out);
    if (row->part.confirm)
        mgc_buf_puts(out, ", when the gate asks for all of it");
    if (row->left_out)
        mgc_buf_puts(out, ", left out: it does not fit");
    mgc_buf_putc(out, '\n');
    mgc_buf_destroy(&name);
}

static void put_frame(const char *name, const struct mgc_estimate *estimate, struct mgc_buf *out)
{
    mgc_buf_printf(out, "  %-34s           ", name);
    mgc_estimate_put(estimate, out);
    mgc_buf_putc(out, '\n');
}

/* "Tue 2026-12-01 02:31" */
static void put_time(int64_t wall_ns, struct mgc_buf *out)
{
    char text[48] = "?";
    time_t seconds = (time_t)(wall_ns / MGC_NS_PER_S);
    struct tm local;
    if (localtime_r(&seconds, &local))
        strftime(text, sizeof(text), "%a %Y-%m-%d %H:%M", &local);
    mgc_buf_puts(out, text);
}

static void put_limit(
    const struct mgc_schedule *schedule, const struct mgc_plan *plan, struct mgc_buf *out)
{
    if (!mgc_time_is_limited(&schedule->limit))
        return;
    int64_t left_ns = mgc_time_left_ns(&schedule->limit, 0, schedule->wall_ns);
    mgc_time_limit_put(&schedule->limit, &plan->budget, 0, schedule->wall_ns, out);
    mgc_buf_puts(out, " is over at ");
    put_time(schedule->wall_ns + left_ns, out);
    if (schedule->left_out)
        mgc_buf_printf(out, ": %zu part%s of the plan would be left out.\n", schedule->left_out,
            schedule->left_out == 1 ? "" : "s");
    else
        mgc_buf_puts(out, ": all of it fits.\n");
}

void mgc_schedule_print(
    const struct mgc_schedule *schedule, const struct mgc_plan *plan, struct mgc_buf *out)
{
    put_frame("setup", &schedule->setup, out);
    for (size_t i = 0; i < schedule->count; i++)
        put_row(&schedule->rows[i], out);
    put_frame("close", &schedule->close, out);
    mgc_buf_puts(out, "\nBegun now, at ");
    put_time(schedule->wall_ns, out);
    mgc_buf_puts(out, ", it takes about ");
    mgc_duration_put(schedule->total_ms, out);
    mgc_buf_puts(out, " and ends about ");
    put_time(schedule->wall_ns + schedule->total_ms * MGC_NS_PER_MS, out);
    mgc_buf_printf(
        out, " local time%s.\n", schedule->complete ? "" : ", not counting what is not known");
    put_limit(schedule, plan, out);
}

/* ---- for programs -------------------------------------------------------------------------- */

static json_t *cells_json(const struct mgc_plan *plan, struct mgc_estimates *estimates)
{
    json_t *cells = json_array();
    for (size_t i = 0; i < plan->cell_count; i++) {
        struct mgc_estimate estimate = mgc_estimate_of(estimates, &plan->cells[i]);
        json_t *row = json_pack("{s:s, s:s, s:I}", "id", plan->cells[i].id, "source",
            mgc_estimate_source_name(estimate.source), "n", (json_int_t)estimate.n);
        if (row && estimate.source != MGC_ESTIMATE_NONE)
            json_object_set_new(row, "ms", json_integer(estimate.ms));
        json_array_append_new(cells, row);
    }
    return cells;
}

static json_t *rows_json(const struct mgc_schedule *schedule)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < schedule->count; i++) {
        const struct mgc_schedule_row *row = &schedule->rows[i];
        struct mgc_buf name = {0};
        mgc_part_put(&row->part, &name);
        json_array_append_new(
            rows, json_pack("{s:s, s:s*, s:I, s:b, s:I, s:I, s:b}", "part", mgc_buf_text(&name),
                      "workload", row->part.workload, "round", (json_int_t)row->part.round,
                      "confirm", row->part.confirm, "cells", (json_int_t)row->part.measured, "ms",
                      (json_int_t)row->ms, "left_out", row->left_out));
        mgc_buf_destroy(&name);
    }
    return rows;
}

json_t *mgc_schedule_to_json(const struct mgc_schedule *schedule, const struct mgc_plan *plan,
    struct mgc_estimates *estimates)
{
    int64_t left_ns = mgc_time_left_ns(&schedule->limit, 0, schedule->wall_ns);
    int64_t end_ns = schedule->wall_ns + schedule->total_ms * MGC_NS_PER_MS;
    json_t *json = json_pack("{s:o, s:o, s:I, s:b, s:f, s:f}", "cells", cells_json(plan, estimates),
        "parts", rows_json(schedule), "total_ms", (json_int_t)schedule->total_ms, "complete",
        schedule->complete, "begin_wall_s", (double)schedule->wall_ns / 1e9, "end_wall_s",
        (double)end_ns / 1e9);
    if (json && left_ns != MGC_NEVER) {
        json_object_set_new(
            json, "limit_wall_s", json_real((double)(schedule->wall_ns + left_ns) / 1e9));
        json_object_set_new(json, "fits", json_boolean(schedule->left_out == 0));
    }
    return json;
}
