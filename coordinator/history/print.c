/* What both forms have in common. */
#include "coordinator/history/print.h"

#include <ctype.h>
#include <string.h>
#include <time.h>

enum { HASH_DIGITS = 64, SHOWN_DIGITS = 8 };

void mgc_print_device(const struct mgc_history_run *run, struct mgc_buf *out)
{
    if (run->serial)
        mgc_buf_printf(out, "%s %s (%s)", run->model, run->serial, run->fingerprint);
    else
        mgc_buf_puts(out, "an unknown device");
}

void mgc_print_when(int64_t wall_ns, char ret_text[MGC_WHEN_SIZE])
{
    time_t seconds = (time_t)(wall_ns / 1000000000);
    struct tm utc;
    if (wall_ns <= 0 || !gmtime_r(&seconds, &utc) ||
        strftime(ret_text, MGC_WHEN_SIZE, "%Y-%m-%d %H:%M", &utc) == 0)
        memcpy(ret_text, "-", 2);
}

static size_t hex_digits(const char *text)
{
    size_t n = 0;
    while (isxdigit((unsigned char)text[n]))
        n++;
    return n;
}

void mgc_print_short_hashes(const char *text, struct mgc_buf *out)
{
    while (*text) {
        size_t digits = hex_digits(text), shown = digits ? digits : 1;
        mgc_buf_append(out, text, digits == HASH_DIGITS ? SHOWN_DIGITS : shown);
        text += shown;
    }
}

json_t *mgc_history_run_to_json(const struct mgc_history_run *run)
{
    json_t *row = json_object(), *device = json_null();
    if (run->serial) {
        device = json_object();
        json_object_set_new(device, "serial", mgc_json_text(run->serial));
        json_object_set_new(device, "model", mgc_json_text(run->model));
        json_object_set_new(device, "fingerprint", mgc_json_text(run->fingerprint));
        json_object_set_new(device, "lab", json_boolean(run->lab));
    }
    json_object_set_new(row, "run_id", mgc_json_text(run->run_id));
    json_object_set_new(row, "plan", mgc_json_text(run->plan));
    json_object_set_new(row, "origin", mgc_json_text(run->origin));
    json_object_set_new(row, "dir", mgc_json_text(run->dir));
    json_object_set_new(row, "tool_build", mgc_json_text(run->tool_build));
    json_object_set_new(row, "start_wall_s",
        run->start_wall_ns ? json_real((double)run->start_wall_ns / 1e9) : json_null());
    json_object_set_new(row, "ended", json_boolean(run->ended));
    json_object_set_new(row, "frames_reduced", json_boolean(run->frames_reduced));
    json_object_set_new(row, "device", device);
    return row;
}

json_t *mgc_arm_numbers_to_json(const struct mgc_arm_numbers *numbers)
{
    const struct mgc_spread *spread = &numbers->spread;
    bool has = numbers->has_spread;
    json_t *row = json_object();
    json_object_set_new(row, "cells", json_integer((json_int_t)numbers->cells));
    json_object_set_new(row, "measured", json_integer((json_int_t)numbers->measured));
    json_object_set_new(row, "n", json_integer(has ? (json_int_t)spread->n : 0));
    json_object_set_new(row, "median", has ? json_real(spread->median) : json_null());
    json_object_set_new(row, "min", has ? json_real(spread->min) : json_null());
    json_object_set_new(row, "max", has ? json_real(spread->max) : json_null());
    return row;
}

void mgc_arm_key_to_json(const struct mgc_arm_key *key, json_t *row)
{
    json_object_set_new(row, "lane", mgc_json_text(key->lane));
    json_object_set_new(row, "workload", mgc_json_text(key->workload));
    json_object_set_new(row, "backend", mgc_json_text(key->backend));
    json_object_set_new(row, "arm", mgc_json_text(key->arm));
    json_object_set_new(row, "metric", json_string(MGC_HISTORY_METRIC));
}
