#include "coordinator/night/heartbeat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/text.h"
#include "common/json/json.h"
#include "common/plat/file.h"
#include "coordinator/report/columns.h"

#define SCHEMA "mgcoord-heartbeat-1"

enum { FILE_MAX = 64 * 1024 };

static const char *const state_names[] = {
    [MGC_HEARTBEAT_RUNNING] = "running",
    [MGC_HEARTBEAT_DONE] = "done",
    [MGC_HEARTBEAT_INTERRUPTED] = "interrupted",
};

enum { STATES = sizeof(state_names) / sizeof(state_names[0]) };

bool mgc_heartbeat_path(const struct mgc_site *site, char ret_path[MGC_PATH_MAX])
{
    const char *given = mgc_setting_text(mgc_settings_get(&site->settings, "heartbeat"));
    if (!given)
        return mgc_path_join(ret_path, MGC_PATH_MAX, site->results, "heartbeat.json");
    int len = snprintf(ret_path, MGC_PATH_MAX, "%s", given);
    return len > 0 && len < MGC_PATH_MAX;
}

/* ---- writing ---- */

/* For people; the number beside it is for programs. */
static void set_time(json_t *doc, const char *name, int64_t wall_ns)
{
    char key[64];
    struct mgc_buf text = {0};
    mgc_put_utc(&text, wall_ns, 'T', "Z");
    snprintf(key, sizeof(key), "%s_utc", name);
    json_object_set_new(doc, key, json_string(mgc_buf_text(&text)));
    snprintf(key, sizeof(key), "%s_wall_s", name);
    json_object_set_new(doc, key, json_integer(wall_ns / MGC_NS_PER_S));
    mgc_buf_destroy(&text);
}

bool mgc_heartbeat_write(
    const char *path, const struct mgc_heartbeat *heartbeat, struct mgc_error *err)
{
    bool over = heartbeat->state != MGC_HEARTBEAT_RUNNING;
    json_t *doc = json_object();
    json_object_set_new(doc, "schema", json_string(SCHEMA));
    json_object_set_new(doc, "state", json_string(state_names[heartbeat->state]));
    json_object_set_new(doc, "run_id", mgc_json_text(heartbeat->run_id));
    json_object_set_new(doc, "plan", mgc_json_text(heartbeat->plan));
    json_object_set_new(doc, "dir", mgc_json_text(heartbeat->dir));
    json_object_set_new(doc, "cell_number", json_integer((json_int_t)heartbeat->index));
    json_object_set_new(doc, "cells", json_integer((json_int_t)heartbeat->cells));
    json_object_set_new(
        doc, "cell", heartbeat->cell[0] ? mgc_json_text(heartbeat->cell) : json_null());
    set_time(doc, "start", heartbeat->start_wall_ns);
    set_time(doc, "updated", heartbeat->updated_wall_ns);
    json_object_set_new(doc, "exit_code", over ? json_integer(heartbeat->exit_code) : json_null());
    json_object_set_new(doc, "summary", over ? mgc_json_text(heartbeat->summary) : json_null());
    bool ok = mgc_json_write_file(path, doc, err);
    json_decref(doc);
    return ok || mgc_error_prefix(err, "heartbeat");
}

/* ---- reading ---- */

static bool take_text(const json_t *doc, const char *key, char *ret, size_t size)
{
    const char *text = json_string_value(json_object_get(doc, key));
    snprintf(ret, size, "%s", text ? text : "");
    mgc_text_one_line(ret);
    return text && strlen(text) < size;
}

static bool take_int(const json_t *doc, const char *key, int64_t max, int64_t *ret)
{
    const json_t *number = json_object_get(doc, key);
    *ret = json_is_integer(number) ? json_integer_value(number) : 0;
    return json_is_integer(number) && *ret >= 0 && *ret <= max;
}

static bool take_state(const json_t *doc, enum mgc_heartbeat_state *ret)
{
    const char *name = json_string_value(json_object_get(doc, "state"));
    for (size_t i = 0; name && i < STATES; i++) {
        *ret = (enum mgc_heartbeat_state)i;
        if (strcmp(name, state_names[i]) == 0)
            return true;
    }
    return false;
}

static bool take(const json_t *doc, struct mgc_heartbeat *ret)
{
    static const int64_t wall_s_max = INT64_MAX / MGC_NS_PER_S;
    int64_t index, cells, start_s, updated_s, code = 0;
    if (!take_state(doc, &ret->state) ||
        !take_text(doc, "run_id", ret->run_id, sizeof(ret->run_id)) ||
        !take_text(doc, "plan", ret->plan, sizeof(ret->plan)) ||
        !take_text(doc, "dir", ret->dir, sizeof(ret->dir)) ||
        !take_int(doc, "cell_number", INT32_MAX, &index) ||
        !take_int(doc, "cells", INT32_MAX, &cells) ||
        !take_int(doc, "start_wall_s", wall_s_max, &start_s) ||
        !take_int(doc, "updated_wall_s", wall_s_max, &updated_s))
        return false;
    take_text(doc, "cell", ret->cell, sizeof(ret->cell)); /* may be null, as the summary */
    take_text(doc, "summary", ret->summary, sizeof(ret->summary));
    ret->index = (size_t)index;
    ret->cells = (size_t)cells;
    ret->start_wall_ns = start_s * MGC_NS_PER_S;
    ret->updated_wall_ns = updated_s * MGC_NS_PER_S;
    bool known = take_int(doc, "exit_code", 255, &code);
    ret->exit_code = (int)code;
    return known || ret->state == MGC_HEARTBEAT_RUNNING;
}

bool mgc_heartbeat_parse(
    const void *data, size_t len, struct mgc_heartbeat *ret, struct mgc_error *err)
{
    *ret = (struct mgc_heartbeat){0};
    json_t *doc = mgc_json_parse(data, len, FILE_MAX, err);
    if (!doc)
        return false;
    const char *schema = json_string_value(json_object_get(doc, "schema"));
    bool ours = schema && strcmp(schema, SCHEMA) == 0;
    bool ok = ours && take(doc, ret);
    json_decref(doc);
    if (!ours)
        return mgc_error_set(err, MGC_E_PROTOCOL, "its schema is not %s", SCHEMA);
    return ok || mgc_error_set(err, MGC_E_PROTOCOL, "it is no whole heartbeat");
}

bool mgc_heartbeat_read(const char *path, struct mgc_heartbeat *ret, struct mgc_error *err)
{
    struct mgc_buf text = {0};
    *ret = (struct mgc_heartbeat){0};
    bool ok = mgc_file_read(path, FILE_MAX, &text, err);
    if (ok)
        ok = mgc_heartbeat_parse(text.data, text.len, ret, err) ||
             mgc_error_prefix(err, "heartbeat '%s'", path);
    mgc_buf_destroy(&text);
    return ok;
}

/* ---- judging ---- */

/* "45 s", "12 min", "30.5 h": as exact as somebody wants to know. */
static const char *put_age(char *buf, size_t size, int64_t age_ns)
{
    double s = (double)age_ns / 1e9;
    if (s < 120)
        snprintf(buf, size, "%.0f s", s);
    else if (s < 2 * 3600)
        snprintf(buf, size, "%.0f min", s / 60);
    else
        snprintf(buf, size, "%.1f h", s / 3600);
    return buf;
}

static bool judge_running(const struct mgc_heartbeat *heartbeat, int64_t now_wall_ns,
    int64_t max_age_ms, struct mgc_buf *out)
{
    char silent[32], on[32], limit[32];
    int64_t silent_ns = now_wall_ns - heartbeat->updated_wall_ns;
    int64_t on_ns = now_wall_ns - heartbeat->start_wall_ns;
    put_age(silent, sizeof(silent), silent_ns);
    put_age(on, sizeof(on), on_ns);
    put_age(limit, sizeof(limit), max_age_ms * MGC_NS_PER_MS);
    if (silent_ns > MGC_HEARTBEAT_SILENCE_MS * MGC_NS_PER_MS) {
        mgc_buf_printf(out,
            "run '%s' has given no sign of life for %s, since cell %zu of %zu: it hangs, or was "
            "killed",
            heartbeat->run_id, silent, heartbeat->index, heartbeat->cells);
        return false;
    }
    bool good = on_ns <= max_age_ms * MGC_NS_PER_MS;
    mgc_buf_printf(out, "run '%s' has been on for %s, now at cell %zu of %zu", heartbeat->run_id,
        on, heartbeat->index, heartbeat->cells);
    if (!good)
        mgc_buf_printf(out, ": longer than %s", limit);
    return good;
}

static bool judge_over(const struct mgc_heartbeat *heartbeat, int64_t now_wall_ns,
    int64_t max_age_ms, struct mgc_buf *out)
{
    char age[32], limit[32];
    int64_t age_ns = now_wall_ns - heartbeat->updated_wall_ns;
    put_age(age, sizeof(age), age_ns);
    put_age(limit, sizeof(limit), max_age_ms * MGC_NS_PER_MS);
    bool interrupted = heartbeat->state == MGC_HEARTBEAT_INTERRUPTED;
    bool young = age_ns <= max_age_ms * MGC_NS_PER_MS;
    if (!young)
        mgc_buf_printf(out, "no run for %s (%s at most): ", age, limit);
    mgc_buf_printf(out, "the last one, '%s', %s %s ago with exit code %d: %s", heartbeat->run_id,
        interrupted ? "was interrupted" : "ended", age, heartbeat->exit_code, heartbeat->summary);
    return young && !interrupted && heartbeat->exit_code == 0;
}

bool mgc_heartbeat_judge(const struct mgc_heartbeat *heartbeat, const char *plan,
    int64_t now_wall_ns, int64_t max_age_ms, struct mgc_buf *out)
{
    char ahead[32];
    int64_t ahead_ns = heartbeat->updated_wall_ns - now_wall_ns;
    if (plan && strcmp(plan, heartbeat->plan) != 0) {
        mgc_buf_printf(out, "the last run, '%s', is of plan %s, not of %s", heartbeat->run_id,
            heartbeat->plan, plan);
        return false;
    }
    if (ahead_ns > MGC_HEARTBEAT_SILENCE_MS * MGC_NS_PER_MS) {
        mgc_buf_printf(out,
            "run '%s' says that it is %s later than now: a clock is wrong, so nobody can tell "
            "how old this is",
            heartbeat->run_id, put_age(ahead, sizeof(ahead), ahead_ns));
        return false;
    }
    return heartbeat->state == MGC_HEARTBEAT_RUNNING
               ? judge_running(heartbeat, now_wall_ns, max_age_ms, out)
               : judge_over(heartbeat, now_wall_ns, max_age_ms, out);
}
