#include "lab/world/fixtures.h"

#include <string.h>

#include "common/base/path.h"
#include "common/json/json.h"

/* A string that fits and is a plain file name. */
static bool copy_name(char *ret, size_t size, const json_t *value)
{
    const char *text = json_string_value(value);
    if (text == NULL || strlen(text) >= size || strchr(text, '/') != NULL ||
        !mgc_path_is_safe(text))
        return false;
    strcpy(ret, text);
    return true;
}

static bool read_workload(
    const char *name, const json_t *value, struct mgc_lab_workload *ret, struct mgc_error *err)
{
    const json_t *frames = json_object_get(value, "frames");
    if (strlen(name) >= sizeof ret->name || !mgc_path_is_safe(name))
        return mgc_error_set(err, MGC_E_PROTOCOL, "\"%.40s\" is no name of a workload", name);
    strcpy(ret->name, name);
    if (!copy_name(ret->trace, sizeof ret->trace, json_object_get(value, "trace")) ||
        !copy_name(ret->golden, sizeof ret->golden, json_object_get(value, "golden")))
        return mgc_error_set(err, MGC_E_PROTOCOL, "%s: trace and golden must be file names", name);
    ret->frames = json_integer_value(frames);
    return (json_is_integer(frames) && ret->frames > 0) ||
           mgc_error_set(err, MGC_E_PROTOCOL, "%s: frames must be a positive number", name);
}

static bool read_all(json_t *doc, struct mgc_lab_fixtures *fixtures, struct mgc_error *err)
{
    const char *name;
    json_t *value;
    json_object_foreach(doc, name, value)
    {
        if (fixtures->count == MGC_LAB_WORKLOAD_MAX)
            return mgc_error_set(
                err, MGC_E_PROTOCOL, "more than %d workloads", MGC_LAB_WORKLOAD_MAX);
        if (!read_workload(name, value, &fixtures->items[fixtures->count], err))
            return false;
        fixtures->count++;
    }
    return fixtures->count > 0 || mgc_error_set(err, MGC_E_PROTOCOL, "no workload in it");
}

bool mgc_lab_fixtures_parse(
    const char *text, size_t len, struct mgc_lab_fixtures *ret_fixtures, struct mgc_error *err)
{
    struct mgc_lab_fixtures fixtures = {0};
    json_t *doc = mgc_json_parse(text, len, MGC_LAB_FIXTURES_BYTES, err);
    if (doc == NULL)
        return false;
    bool ok = read_all(doc, &fixtures, err);
    json_decref(doc);
    if (ok)
        *ret_fixtures = fixtures;
    return ok;
}
