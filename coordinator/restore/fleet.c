#include "coordinator/restore/fleet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/plat/file.h"

enum { RECORD_MAX = 64 * 1024 * 1024 };

/* A name is a directory: one that leads elsewhere was not written by us. */
static const char *name_of(const json_t *json)
{
    const char *text = json_string_value(json);
    return text && mgc_path_is_safe(text) && !strchr(text, '/') ? text : NULL;
}

static bool take_phones(const json_t *names, struct mgc_fleet_list *list, struct mgc_error *err)
{
    list->phones = calloc(json_array_size(names) + 1, sizeof(*list->phones));
    if (!list->phones)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the run's phones");
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = name_of(json_array_get(names, i));
        if (!name)
            return mgc_error_set(
                err, MGC_E_PROTOCOL, "run.json: phone %zu is not understood", i + 1);
        list->phones[list->count++] = name;
    }
    return list->count ||
           mgc_error_set(err, MGC_E_PROTOCOL, "run.json: expected at least one phone");
}

static bool take(struct mgc_fleet_list *list, struct mgc_error *err)
{
    const json_t *plan = json_object_get(list->record, "plan");
    double start_s = json_number_value(json_object_get(list->record, "start_wall_s"));
    list->run_id = name_of(json_object_get(plan, "run_id"));
    list->plan = name_of(json_object_get(plan, "name"));
    list->start_wall_ns = start_s > 0 && start_s < 9e9 ? (int64_t)(start_s * 1e9) : 0;
    if (!list->run_id || !list->plan)
        return mgc_error_set(
            err, MGC_E_PROTOCOL, "run.json: plan is not understood: expected name and run_id");
    return take_phones(json_object_get(list->record, "phones"), list, err);
}

static json_t *read_record(const char *dir, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf text = {0};
    json_t *record = NULL;
    if (!mgc_path_join(path, sizeof(path), dir, "run.json") || !mgc_file_exists(path))
        mgc_error_set(err, MGC_E_NOT_FOUND, "there is no run in '%s'", dir);
    else if (mgc_file_read(path, RECORD_MAX, &text, err))
        record = mgc_json_parse(text.data, text.len, RECORD_MAX, err);
    mgc_buf_destroy(&text);
    return record;
}

bool mgc_fleet_list_read(const char *dir, struct mgc_fleet_list *ret_list, struct mgc_error *err)
{
    struct mgc_fleet_list list = {.record = read_record(dir, err)};
    const char *schema = json_string_value(json_object_get(list.record, "schema"));
    bool ok =
        list.record &&
        ((schema && strcmp(schema, MGC_FLEET_SCHEMA) == 0) ||
            mgc_error_set(err, MGC_E_NOT_FOUND, "'%s' is no run of phones with names", dir)) &&
        take(&list, err);
    if (ok)
        *ret_list = list;
    else
        mgc_fleet_list_destroy(&list);
    return ok;
}

void mgc_fleet_list_destroy(struct mgc_fleet_list *list)
{
    if (!list)
        return;
    free(list->phones);
    json_decref(list->record);
    *list = (struct mgc_fleet_list){0};
}

bool mgc_fleet_part(const char *dir, const char *phone, char ret_path[MGC_PATH_MAX])
{
    int len = snprintf(ret_path, MGC_PATH_MAX, "%s/phones/%s", dir, phone);
    return len > 0 && len < MGC_PATH_MAX;
}
