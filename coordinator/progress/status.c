#include "coordinator/progress/status.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"

/* What goes when the line is too long, in this order. */
enum {
    LEAVE_RUN_TIME = 1,
    LEAVE_LANE,
    LEAVE_ATTEMPT,
    LEAVE_ESTIMATE,
    LEAVE_CELL_TIME,
    LEAVE_CELL,
    LEAVE_ALL,
};

static void put_time(struct mgc_buf *out, int64_t ns)
{
    int64_t s = ns / MGC_NS_PER_S;
    if (s >= 3600)
        mgc_buf_printf(out, "%" PRId64 ":%02d:%02d", s / 3600, (int)(s / 60 % 60), (int)(s % 60));
    else
        mgc_buf_printf(out, "%" PRId64 ":%02d", s / 60, (int)(s % 60));
}

static void put_cell(const struct mgc_status *status, int level, struct mgc_buf *out)
{
    const char *lane_end = strrchr(status->cell, '/');
    const char *id = level >= LEAVE_LANE && lane_end ? lane_end + 1 : status->cell;
    if (status->index)
        mgc_buf_printf(out, "cell %zu/%zu", status->index, status->cells);
    if (status->cell[0] && (level < LEAVE_CELL || !status->index))
        mgc_buf_printf(out, "%s%s", status->index ? " " : "", id);
    if (status->attempt > 1 && level < LEAVE_ATTEMPT)
        mgc_buf_printf(out, " (attempt %d)", status->attempt);
}

static void put_all(const struct mgc_status *status, int level, struct mgc_buf *out)
{
    put_cell(status, level, out);
    if (status->phase[0])
        mgc_buf_printf(out, "%s%s", out->len ? ", " : "", status->phase);
    if (status->cell_ns >= 0 && level < LEAVE_CELL_TIME) {
        mgc_buf_puts(out, " ");
        put_time(out, status->cell_ns);
    }
    if (level < LEAVE_RUN_TIME) {
        mgc_buf_puts(out, out->len ? " | run " : "run ");
        put_time(out, status->run_ns);
    }
    if (status->left_ns >= 0 && level < LEAVE_ESTIMATE) {
        mgc_buf_puts(out, " | about ");
        put_time(out, status->left_ns);
        mgc_buf_puts(out, " left");
    }
}

void mgc_status_line(const struct mgc_status *status, int columns, struct mgc_buf *out)
{
    struct mgc_buf line = {0};
    for (int level = 0; level <= LEAVE_ALL; level++) {
        mgc_buf_clear(&line);
        put_all(status, level, &line);
        if (columns <= 0 || line.len < (size_t)columns)
            break;
    }
    size_t len = line.len;
    if (columns > 0 && len >= (size_t)columns)
        len = (size_t)columns - 1;
    mgc_buf_append(out, mgc_buf_text(&line), len);
    mgc_buf_destroy(&line);
}

/* ---- as JSON ---- */

json_t *mgc_status_to_json(const struct mgc_status *status)
{
    json_t *json = json_object();
    json_object_set_new(json, "index", json_integer((json_int_t)status->index));
    json_object_set_new(json, "cells", json_integer((json_int_t)status->cells));
    json_object_set_new(json, "cell", mgc_json_text(status->cell));
    json_object_set_new(json, "attempt", json_integer(status->attempt));
    json_object_set_new(json, "phase", mgc_json_text(status->phase));
    json_object_set_new(json, "cell_ms", json_integer(status->cell_ns / MGC_NS_PER_MS));
    json_object_set_new(json, "run_ms", json_integer(status->run_ns / MGC_NS_PER_MS));
    json_object_set_new(json, "left_ms", json_integer(status->left_ns / MGC_NS_PER_MS));
    if (status->cell_ns < 0)
        json_object_del(json, "cell_ms");
    if (status->left_ns < 0)
        json_object_del(json, "left_ms");
    return json;
}

static int64_t number(const json_t *json, const char *key, int64_t max, int64_t fallback)
{
    const json_t *value = json_object_get(json, key);
    int64_t n = json_is_integer(value) ? json_integer_value(value) : -1;
    return n >= 0 && n <= max ? n : fallback;
}

static int64_t ns_of(const json_t *json, const char *key, int64_t fallback)
{
    int64_t ms = number(json, key, INT64_MAX / MGC_NS_PER_MS, -1);
    return ms < 0 ? fallback : ms * MGC_NS_PER_MS;
}

static void text(const json_t *json, const char *key, char *ret_text, size_t size)
{
    const char *value = json_string_value(json_object_get(json, key));
    snprintf(ret_text, size, "%s", value ? value : "");
}

bool mgc_status_from_json(const json_t *json, struct mgc_status *ret_status)
{
    struct mgc_status status = {
        .index = (size_t)number(json, "index", INT32_MAX, 0),
        .cells = (size_t)number(json, "cells", INT32_MAX, 0),
        .attempt = (int)number(json, "attempt", INT32_MAX, 0),
        .cell_ns = ns_of(json, "cell_ms", -1),
        .run_ns = ns_of(json, "run_ms", 0),
        .left_ns = ns_of(json, "left_ms", -1),
    };
    text(json, "cell", status.cell, sizeof(status.cell));
    text(json, "phase", status.phase, sizeof(status.phase));
    *ret_status = status;
    return json_is_object(json) && json_is_integer(json_object_get(json, "cells"));
}
