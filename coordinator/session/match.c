#include "coordinator/session/match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/plan/schema.h"

enum { PATH_SIZE = 256 };

/* ---- values for people ---- */

struct shown {
    char *text; /* owned */
};

static struct shown show(const json_t *value)
{
    return (struct shown){value ? json_dumps(value, JSON_ENCODE_ANY) : strdup("nothing")};
}

static void differ(struct mgc_problems *problems, const char *what, const json_t *stored,
    const char *stored_from, const json_t *present, const char *present_from)
{
    struct shown was = show(stored), is = show(present);
    mgc_problem_add(problems, "%s: stored %.120s%s%s%s, present %.120s%s%s%s", what,
        was.text ? was.text : "?", stored_from ? " (" : "", stored_from ? stored_from : "",
        stored_from ? ")" : "", is.text ? is.text : "?", present_from ? " (" : "",
        present_from ? present_from : "", present_from ? ")" : "");
    free(was.text);
    free(is.text);
}

/* ---- settings ---- */

static const struct mgc_schema_row *row_of(const char *key)
{
    const struct mgc_schema_row *row = mgc_schema_find(&mgc_schema_plan, key);
    return row ? row : mgc_schema_find(&mgc_schema_site, key);
}

static bool has_lane(const json_t *plan, const char *lane, size_t len)
{
    const json_t *cells = json_object_get(plan, "cells");
    for (size_t i = 0; i < json_array_size(cells); i++) {
        const char *own = json_string_value(json_object_get(json_array_get(cells, i), "lane"));
        if (own && strlen(own) == len && strncmp(own, lane, len) == 0)
            return true;
    }
    return false;
}

static bool matters(const json_t *plan, const char *key)
{
    static const char lanes[] = "lanes.";
    const struct mgc_schema_row *row = row_of(key);
    const char *lane = key + sizeof(lanes) - 1;
    if (row && (row->may_differ || row->kind == MGC_KIND_SECRET))
        return false;
    return strncmp(key, lanes, sizeof(lanes) - 1) != 0 || has_lane(plan, lane, strcspn(lane, "."));
}

static const char *source_of(const json_t *entry)
{
    return json_string_value(json_object_get(entry, "source"));
}

static void match_setting(
    const char *key, const json_t *stored, const json_t *present, struct mgc_problems *problems)
{
    const json_t *was = json_object_get(stored, "value"), *is = json_object_get(present, "value");
    if (!json_equal(was, is))
        differ(problems, key, was, source_of(stored), is, source_of(present));
}

static void match_settings(
    const json_t *plan, const json_t *stored, const json_t *present, struct mgc_problems *problems)
{
    const char *key;
    json_t *entry;
    json_object_foreach((json_t *)stored, key, entry)
    {
        if (matters(plan, key))
            match_setting(key, entry, json_object_get(present, key), problems);
    }
    json_object_foreach((json_t *)present, key, entry)
    {
        if (matters(plan, key) && !json_object_get(stored, key))
            match_setting(key, NULL, entry, problems);
    }
}

/* ---- the expanded plan ---- */

/* Limits follow from settings that may differ. */
static bool is_limit(const char *key)
{
    return strstr(key, "timeout") || strcmp(key, "deadline_ms") == 0 ||
           strcmp(key, "ready_ms") == 0;
}

static void match_values(
    const json_t *stored, const json_t *present, const char *path, struct mgc_problems *problems);

/* Elements of the plan's lists have ids, which say more than their places. */
static void item_path(const char *path, const json_t *stored, const json_t *present, size_t i,
    char ret_path[PATH_SIZE])
{
    const json_t *item = stored ? stored : present;
    const char *id = json_string_value(json_object_get(item, "id"));
    if (id)
        snprintf(ret_path, PATH_SIZE, "%.100s %.140s", path, id);
    else
        snprintf(ret_path, PATH_SIZE, "%.200s[%zu]", path, i);
}

static void match_lists(
    const json_t *stored, const json_t *present, const char *path, struct mgc_problems *problems)
{
    size_t a = json_array_size(stored), b = json_array_size(present);
    char inner[PATH_SIZE];
    for (size_t i = 0; i < a || i < b; i++) {
        const json_t *was = json_array_get(stored, i), *is = json_array_get(present, i);
        item_path(path, was, is, i, inner);
        match_values(was, is, inner, problems);
    }
}

static void match_objects(
    const json_t *stored, const json_t *present, const char *path, struct mgc_problems *problems)
{
    const char *key;
    json_t *value;
    char inner[PATH_SIZE];
    json_object_foreach((json_t *)stored, key, value)
    {
        snprintf(inner, sizeof(inner), "%.180s.%.60s", path, key);
        if (!is_limit(key))
            match_values(value, json_object_get(present, key), inner, problems);
    }
    json_object_foreach((json_t *)present, key, value)
    {
        snprintf(inner, sizeof(inner), "%.180s.%.60s", path, key);
        if (!is_limit(key) && !json_object_get(stored, key))
            match_values(NULL, value, inner, problems);
    }
}

static const json_t *id_or_self(const json_t *value)
{
    const json_t *id = json_object_get(value, "id");
    return id ? id : value;
}

static bool is_other_cell(const json_t *stored, const json_t *present)
{
    const json_t *was = json_object_get(stored, "id"), *is = json_object_get(present, "id");
    return (was || is) && !json_equal(was, is);
}

static void match_values(
    const json_t *stored, const json_t *present, const char *path, struct mgc_problems *problems)
{
    if (problems->errors.total >= MGC_PROBLEMS_MAX)
        return; /* one cell too many at the front makes all others differ */
    if (json_is_object(stored) && json_is_object(present) && !is_other_cell(stored, present))
        match_objects(stored, present, path, problems);
    else if (json_is_array(stored) && json_is_array(present))
        match_lists(stored, present, path, problems);
    else if (!json_equal(stored, present))
        differ(problems, path, id_or_self(stored), NULL, id_or_self(present), NULL);
}

/* ---- all of it ---- */

static void match_build(const json_t *stored, const json_t *present, struct mgc_problems *problems)
{
    static const char *const keys[] = {"build", "protocol"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const json_t *was = json_object_get(stored, keys[i]);
        const json_t *is = json_object_get(present, keys[i]);
        char path[64];
        snprintf(path, sizeof(path), "coordinator.%s", keys[i]);
        if (was && !json_equal(was, is))
            differ(problems, path, was, NULL, is, NULL);
    }
}

void mgc_match_records(const json_t *record, const json_t *present, struct mgc_problems *problems)
{
    const json_t *plan = json_object_get(record, "plan");
    match_build(
        json_object_get(record, "coordinator"), json_object_get(present, "coordinator"), problems);
    match_settings(
        plan, json_object_get(record, "settings"), json_object_get(present, "settings"), problems);
    if (problems->errors.total == 0) /* else it only says the same once more */
        match_values(plan, json_object_get(present, "plan"), "plan", problems);
}
