#include "coordinator/store/manifest.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/path.h"
#include "common/json/json.h"

struct mgc_manifest {
    json_t *files; /* owned */
};

struct mgc_manifest *mgc_manifest_new(void)
{
    struct mgc_manifest *manifest = calloc(1, sizeof(*manifest));
    if (!manifest)
        return NULL;
    manifest->files = json_array();
    if (!manifest->files) {
        free(manifest);
        return NULL;
    }
    return manifest;
}

void mgc_manifest_free(struct mgc_manifest *manifest)
{
    if (!manifest)
        return;
    json_decref(manifest->files);
    free(manifest);
}

static json_t *row_json(const struct mgc_artifact *artifact, const struct mgc_step *step,
    const struct mgc_error *storage)
{
    json_t *row = json_object();
    json_object_set_new(row, "name", mgc_json_text(artifact->name));
    json_object_set_new(row, "size_bytes", json_integer((json_int_t)artifact->size_bytes));
    json_object_set_new(row, "sha256", mgc_json_text(artifact->sha256));
    json_object_set_new(row, "sha256_before_masking", mgc_json_text(artifact->raw_sha256));
    json_object_set_new(row, "secrets_masked", json_integer((json_int_t)artifact->masked_count));
    json_object_set_new(row, "step", mgc_json_text(step->id));
    json_object_set_new(row, "kind", mgc_json_text(step->kind));
    json_object_set_new(row, "role", json_string(mgc_role_name(step->role)));
    json_object_set_new(
        row, "storage", mgc_json_text(storage->code == MGC_OK ? "verified" : storage->text));
    return row;
}

bool mgc_manifest_add(struct mgc_manifest *manifest, const struct mgc_step *step,
    const struct mgc_msg_result *result, const struct mgc_error *storage)
{
    for (size_t i = 0; i < result->artifact_count; i++) {
        json_t *row = row_json(&result->artifacts[i], step, storage);
        if (json_array_append_new(manifest->files, row) < 0)
            return false;
    }
    return true;
}

bool mgc_manifest_write(const struct mgc_manifest *manifest, const char *dir, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    if (!mgc_path_join(path, sizeof(path), dir, "manifest.json"))
        return mgc_error_set(err, MGC_E_CONFIG, "'%s': path is too long", dir);
    json_t *doc = json_object();
    json_object_set_new(doc, "schema", json_string("mgcoord-manifest-1"));
    json_object_set(doc, "files", manifest->files);
    bool ok = mgc_json_write_file(path, doc, err);
    json_decref(doc);
    return ok;
}
