#include "coordinator/session/record.h"

#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/path.h"
#include "common/json/json.h"
#include "common/plat/host.h"
#include "coordinator/plan/plan_json.h"
#include "coordinator/report/report.h"

static json_t *coordinator_json(void)
{
    struct mgc_host host;
    json_t *object = json_object();
    json_object_set_new(object, "build", json_string("mgcoord " MGC_VERSION));
    if (!mgc_host_read(&host, NULL))
        return object;
    json_object_set_new(object, "host", json_string(host.name));
    json_object_set_new(object, "os", json_string(host.os));
    json_object_set_new(object, "arch", json_string(host.arch));
    json_object_set_new(object, "boot_id", json_string(host.boot_id));
    json_object_set_new(object, "cpus", json_integer(host.cpus));
    return object;
}

static bool write_run_json(const struct mgc_run_dir *dir, const struct mgc_site *site,
    const struct mgc_plan *plan, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    if (!mgc_path_join(path, sizeof(path), dir->path, "run.json"))
        return mgc_error_set(err, MGC_E_CONFIG, "'%s': path is too long", dir->path);
    json_t *doc = json_object();
    json_object_set_new(doc, "schema", json_string("mgcoord-run-1"));
    json_object_set_new(doc, "start_wall_s", json_real((double)mgc_wall_ns() / 1e9));
    json_object_set_new(doc, "coordinator", coordinator_json());
    json_object_set_new(doc, "plan", mgc_plan_to_json(plan));
    json_object_set_new(doc, "settings", mgc_settings_to_json(&site->settings));
    bool ok = mgc_json_write_file(path, doc, err);
    json_decref(doc);
    return ok;
}

bool mgc_record_start(const struct mgc_run_dir *dir, const struct mgc_site *site,
    const struct mgc_plan *plan, struct mgc_error *err)
{
    return write_run_json(dir, site, plan, err);
}

typedef bool report_form(
    const struct mgc_results *results, struct mgc_buf *out, struct mgc_error *err);

static bool write_form(const struct mgc_run_dir *dir, const char *name, report_form *form,
    const struct mgc_results *results, struct mgc_error *err)
{
    struct mgc_buf text = {0};
    bool ok = form(results, &text, err) && mgc_run_dir_write(dir, name, text.data, text.len, err);
    mgc_buf_destroy(&text);
    return ok;
}

bool mgc_record_end(
    const struct mgc_run_dir *dir, const struct mgc_results *results, struct mgc_error *err)
{
    bool summary = write_form(dir, "summary.json", mgc_report_summary_json, results, err);
    bool report = write_form(dir, "REPORT.md", mgc_report_markdown, results, summary ? err : NULL);
    return summary && report;
}
