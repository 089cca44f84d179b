#include "coordinator/session/record.h"

#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/path.h"
#include "common/json/json.h"
#include "common/plat/file.h"
#include "common/plat/host.h"
#include "common/wire/msg.h"
#include "coordinator/plan/load.h"
#include "coordinator/plan/plan_json.h"
#include "coordinator/report/report.h"
#include "coordinator/session/masked.h"

enum { SOURCE_MAX = 1024 * 1024 };

static json_t *coordinator_json(void)
{
    struct mgc_host host;
    json_t *object = json_object();
    json_object_set_new(object, "build", json_string("mgcoord " MGC_VERSION));
    json_object_set_new(object, "protocol", json_integer(MGC_PROTOCOL_MAX));
    if (!mgc_host_read(&host, NULL))
        return object;
    json_object_set_new(object, "host", json_string(host.name));
    json_object_set_new(object, "os", json_string(host.os));
    json_object_set_new(object, "arch", json_string(host.arch));
    json_object_set_new(object, "boot_id", json_string(host.boot_id));
    json_object_set_new(object, "cpus", json_integer(host.cpus));
    return object;
}

json_t *mgc_record_new(const struct mgc_site *site, const struct mgc_plan *plan)
{
    json_t *doc = json_object();
    json_object_set_new(doc, "schema", json_string("mgcoord-run-1"));
    json_object_set_new(doc, "start_wall_s", json_real((double)mgc_wall_ns() / 1e9));
    json_object_set_new(doc, "coordinator", coordinator_json());
    json_object_set_new(doc, "plan", mgc_plan_to_json(plan));
    json_object_set_new(doc, "settings", mgc_settings_to_json(&site->settings));
    return doc;
}

static bool write_json(
    const struct mgc_run_dir *dir, const char *name, const json_t *doc, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    if (!doc)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for %s", name);
    return (mgc_path_join(path, sizeof(path), dir->path, name) ||
               mgc_error_set(err, MGC_E_CONFIG, "'%s': path is too long", dir->path)) &&
           mgc_json_write_file(path, doc, err);
}

bool mgc_record_write(const struct mgc_run_dir *dir, const json_t *record, struct mgc_error *err)
{
    return write_json(dir, "run.json", record, err);
}

/* The file that a setting came from, without ":LINE". */
static void file_of(const struct mgc_setting *setting, char *ret_path, size_t size)
{
    snprintf(ret_path, size, "%s", setting ? setting->origin : "");
    char *colon = strrchr(ret_path, ':');
    if (colon)
        *colon = '\0';
}

static bool read_source(const char *path, struct mgc_buf *text)
{
    static const char built_in[] = "built-in plan ";
    bool is_built_in = strncmp(path, built_in, sizeof(built_in) - 1) == 0;
    for (const struct mgc_plan_text *plan = mgc_plans_built_in; is_built_in && plan->name; plan++) {
        if (strcmp(plan->name, path + sizeof(built_in) - 1) == 0)
            return mgc_buf_puts(text, plan->text);
    }
    return !is_built_in && mgc_file_read(path, SOURCE_MAX, text, NULL);
}

/* What people wrote, for people; run.json has what was made of it. A copy that would hold a secret
 * is left out. */
static bool copy_source(const struct mgc_run_dir *dir, const struct mgc_site *site,
    const char *path, const char *name, struct mgc_error *err)
{
    struct mgc_buf text = {0}, masked = {0};
    const char *token = mgc_setting_text(mgc_settings_get(&site->settings, "token"));
    bool kept =
        read_source(path, &text) && mgc_masked(mgc_buf_text(&text), "token", token, &masked);
    bool ok = !kept || mgc_run_dir_write(dir, name, masked.data, masked.len, err);
    mgc_buf_destroy(&text);
    mgc_buf_destroy(&masked);
    return ok;
}

bool mgc_record_start(const struct mgc_run_dir *dir, const struct mgc_site *site,
    const json_t *record, struct mgc_error *err)
{
    char plan_file[MGC_PATH_MAX];
    file_of(mgc_settings_get(&site->settings, "plan"), plan_file, sizeof(plan_file));
    return mgc_record_write(dir, record, err) &&
           copy_source(dir, site, site->file ? site->file : "", "site.yaml", err) &&
           copy_source(dir, site, plan_file, "plan.yaml", err);
}

/* ---- a run that is resumed ---- */

/* "summary.json": "summary.before-1.json". With put_aside false: back again. A file that is not
 * there is no matter. */
static bool rename_end(const struct mgc_run_dir *dir, const char *name, size_t nth, bool put_aside,
    struct mgc_error *err)
{
    char path[MGC_PATH_MAX], aside[MGC_PATH_MAX], old_name[128];
    const char *suffix = strchr(name, '.');
    snprintf(
        old_name, sizeof(old_name), "%.*s.before-%zu%s", (int)(suffix - name), name, nth, suffix);
    if (!mgc_path_join(path, sizeof(path), dir->path, name) ||
        !mgc_path_join(aside, sizeof(aside), dir->path, old_name))
        return mgc_error_set(err, MGC_E_CONFIG, "'%s': path is too long", dir->path);
    const char *from = put_aside ? path : aside, *to = put_aside ? aside : path;
    return !mgc_file_exists(from) || mgc_file_rename(from, to, err);
}

static bool rename_ends(
    const struct mgc_run_dir *dir, size_t nth, bool put_aside, struct mgc_error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && mgc_report_file(i); i++)
        ok = rename_end(dir, mgc_report_file(i), nth, put_aside, err);
    return ok;
}

static json_t *resumes_of(json_t *record)
{
    json_t *list = json_object_get(record, "resumes");
    if (json_is_array(list))
        return list;
    json_object_set_new(record, "resumes", json_array());
    return json_object_get(record, "resumes");
}

bool mgc_record_resume(
    const struct mgc_run_dir *dir, json_t *record, size_t kept, size_t cells, struct mgc_error *err)
{
    json_t *list = resumes_of(record), *entry = json_object();
    json_object_set_new(entry, "wall_s", json_real((double)mgc_wall_ns() / 1e9));
    json_object_set_new(entry, "cells_kept", json_integer((json_int_t)kept));
    json_object_set_new(entry, "cells", json_integer((json_int_t)cells));
    json_object_set_new(entry, "coordinator", coordinator_json());
    json_array_append_new(list, entry);
    return rename_ends(dir, json_array_size(list), true, err) && mgc_record_write(dir, record, err);
}

void mgc_record_refuse(const struct mgc_run_dir *dir, json_t *record, const char *why)
{
    json_t *list = resumes_of(record);
    size_t count = json_array_size(list);
    json_object_set_new(json_array_get(list, count - 1), "refused", mgc_json_text(why));
    mgc_record_write(dir, record, NULL);
    rename_ends(dir, count, false, NULL);
}

bool mgc_record_state(
    const struct mgc_run_dir *dir, const struct mgc_results *results, struct mgc_error *err)
{
    struct mgc_buf text = {0};
    bool ok = mgc_report_state_json(results, &text, err) &&
              mgc_run_dir_write(dir, "state.json", text.data, text.len, err);
    mgc_buf_destroy(&text);
    return ok;
}

bool mgc_record_end(
    const struct mgc_run_dir *dir, const struct mgc_results *results, struct mgc_error *err)
{
    return mgc_report_write(results, dir->path, err);
}
