#include "coordinator/session/fleet_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/plat/file.h"
#include "coordinator/restore/fleet.h"

static json_t *record_of(const struct fleet *fleet)
{
    json_t *doc = json_object(), *phones = json_array(), *plan = json_object();
    const struct mgc_plan *first = fleet->config->phones[0].plan;
    json_object_set_new(plan, "name", json_string(first->name));
    json_object_set_new(plan, "run_id", json_string(first->part_of));
    json_object_set_new(doc, "schema", json_string(MGC_FLEET_SCHEMA));
    json_object_set_new(doc, "start_wall_s", json_real((double)mgc_wall_ns() / 1e9));
    json_object_set_new(doc, "build", json_string("mgcoord " MGC_VERSION));
    json_object_set_new(doc, "plan", plan);
    for (size_t i = 0; i < fleet->count; i++)
        json_array_append_new(phones, json_string(fleet->config->phones[i].plan->phone));
    json_object_set_new(doc, "phones", phones);
    return doc;
}

/* Of an earlier session of the run: all of it is in the phones' directories. */
static bool remove_end(const struct fleet *fleet, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    for (size_t i = 0; mgc_fleet_file(i); i++) {
        if (!mgc_path_join(path, sizeof(path), fleet->dir.path, mgc_fleet_file(i)))
            return mgc_error_set(err, MGC_E_CONFIG, "'%s': path is too long", fleet->dir.path);
        if (!mgc_file_remove(path, err))
            return false;
    }
    return true;
}

bool mgc_fleet_files_begin(struct fleet *fleet, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    if (fleet->config->dir) /* run.json is there */
        return remove_end(fleet, err);
    if (!mgc_path_join(path, sizeof(path), fleet->dir.path, "run.json"))
        return mgc_error_set(err, MGC_E_CONFIG, "'%s': path is too long", fleet->dir.path);
    json_t *record = record_of(fleet);
    bool ok = mgc_json_write_file(path, record, err);
    json_decref(record);
    return ok;
}

struct mgc_fleet_row *mgc_fleet_rows(const struct fleet *fleet, struct mgc_fleet_report *ret_report)
{
    const struct mgc_plan *first = fleet->config->phones[0].plan;
    struct mgc_fleet_row *rows = calloc(fleet->count, sizeof(*rows));
    for (size_t i = 0; rows && i < fleet->count; i++) {
        const struct session *session = &fleet->sessions[i];
        const struct mgc_session_phone *phone = session->config;
        bool refused = session->refused.code != MGC_OK;
        rows[i] = (struct mgc_fleet_row){
            .phone = phone->plan->phone,
            .dir = session->dir.path + (phone->plan->phone ? strlen(fleet->dir.path) + 1 : 0),
            .results = phone->done ? phone->done
                       : refused   ? NULL
                                   : session->results,
            .refused = session->refused.text,
        };
    }
    *ret_report = (struct mgc_fleet_report){
        .run_id = fleet->dir.run_id, .plan = first->name, .rows = rows, .count = fleet->count};
    return rows;
}

bool mgc_fleet_files_end(struct fleet *fleet, struct mgc_error *err)
{
    struct mgc_fleet_report report;
    struct mgc_fleet_row *rows = mgc_fleet_rows(fleet, &report);
    bool ok = rows ? mgc_fleet_write(&report, fleet->dir.path, err)
                   : mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the report");
    free(rows);
    return ok;
}
