#include "coordinator/store/manifest.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/hash.h"
#include "common/base/path.h"
#include "common/json/json.h"
#include "common/plat/file.h"

enum { SIZE_MAX_BYTES = 4 * 1024 * 1024 };

struct mgc_manifest {
    json_t *files, *missing, *withheld; /* owned */
};

struct mgc_manifest *mgc_manifest_new(void)
{
    struct mgc_manifest *manifest = calloc(1, sizeof(*manifest));
    if (!manifest)
        return NULL;
    manifest->files = json_array();
    manifest->missing = json_array();
    manifest->withheld = json_array();
    if (manifest->files && manifest->missing && manifest->withheld)
        return manifest;
    mgc_manifest_free(manifest);
    return NULL;
}

static bool path_of(const char *dir, char ret_path[MGC_PATH_MAX], struct mgc_error *err)
{
    return mgc_path_join(ret_path, MGC_PATH_MAX, dir, "manifest.json") ||
           mgc_error_set(err, MGC_E_CONFIG, "'%s': path is too long", dir);
}

bool mgc_manifest_is_written(const char *dir)
{
    char path[MGC_PATH_MAX];
    return path_of(dir, path, NULL) && mgc_file_exists(path);
}

static void take_array(json_t **array, const json_t *doc, const char *key)
{
    json_t *found = json_object_get(doc, key);
    if (!json_is_array(found))
        return;
    json_decref(*array);
    *array = json_incref(found);
}

struct mgc_manifest *mgc_manifest_load(const char *dir)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf text = {0};
    struct mgc_manifest *manifest = mgc_manifest_new();
    if (manifest && path_of(dir, path, NULL) && mgc_file_read(path, SIZE_MAX_BYTES, &text, NULL)) {
        json_t *doc = mgc_json_parse(mgc_buf_text(&text), text.len, SIZE_MAX_BYTES, NULL);
        take_array(&manifest->files, doc, "files");
        take_array(&manifest->missing, doc, "missing");
        take_array(&manifest->withheld, doc, "withheld");
        json_decref(doc);
    }
    mgc_buf_destroy(&text);
    return manifest;
}

static json_t *read_files(const char *dir, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf text = {0};
    json_t *files = NULL, *doc = NULL;
    if (!path_of(dir, path, err))
        return NULL;
    if (!mgc_file_exists(path))
        mgc_error_set(err, MGC_E_NOT_FOUND, "'%s' is not there", path);
    else if (mgc_file_read(path, SIZE_MAX_BYTES, &text, err))
        doc = mgc_json_parse(mgc_buf_text(&text), text.len, SIZE_MAX_BYTES, err);
    if (doc && json_is_array(json_object_get(doc, "files")))
        files = json_incref(json_object_get(doc, "files"));
    else if (doc)
        mgc_error_set(err, MGC_E_PROTOCOL, "'%s' has no list of files", path);
    json_decref(doc);
    mgc_buf_destroy(&text);
    return files;
}

static bool verify_file(const char *dir, const json_t *row, struct mgc_error *err)
{
    const char *name = json_string_value(json_object_get(row, "name"));
    const char *promised = json_string_value(json_object_get(row, "sha256"));
    const char *storage = json_string_value(json_object_get(row, "storage"));
    char path[MGC_PATH_MAX], hash[MGC_SHA256_HEX_SIZE];
    if (!name || !promised || !mgc_path_is_safe(name) ||
        !mgc_path_join(path, sizeof(path), dir, name))
        return mgc_error_set(err, MGC_E_PROTOCOL, "manifest.json: a file has no name or hash");
    if (!storage || strcmp(storage, "verified") != 0)
        return true; /* it never came whole, and the verdict knows */
    if (!mgc_file_exists(path))
        return mgc_error_set(err, MGC_E_INTEGRITY, "'%s' is not there any more", path);
    if (!mgc_sha256_file(path, hash, NULL, err))
        return false;
    return strcmp(hash, promised) == 0 ||
           mgc_error_set(err, MGC_E_INTEGRITY, "'%s' is not the file that was stored", path);
}

bool mgc_manifest_verify(const char *dir, struct mgc_error *err)
{
    json_t *files = read_files(dir, err);
    bool ok = files != NULL;
    for (size_t i = 0; ok && i < json_array_size(files); i++)
        ok = verify_file(dir, json_array_get(files, i), err);
    json_decref(files);
    return ok;
}

void mgc_manifest_visit(const struct mgc_manifest *manifest,
    void (*fn)(void *user, const char *name, int64_t size_bytes), void *user)
{
    for (size_t i = 0; i < json_array_size(manifest->files); i++) {
        const json_t *row = json_array_get(manifest->files, i);
        const char *name = json_string_value(json_object_get(row, "name"));
        const json_t *size = json_object_get(row, "size_bytes");
        if (name)
            fn(user, name, json_is_integer(size) ? json_integer_value(size) : -1);
    }
}

void mgc_manifest_free(struct mgc_manifest *manifest)
{
    if (!manifest)
        return;
    json_decref(manifest->files);
    json_decref(manifest->missing);
    json_decref(manifest->withheld);
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

static json_t *origin_json(const struct mgc_step *step, const char *why)
{
    json_t *row = json_object();
    json_object_set_new(row, "step", mgc_json_text(step->id));
    json_object_set_new(row, "kind", mgc_json_text(step->kind));
    json_object_set_new(row, "role", json_string(mgc_role_name(step->role)));
    json_object_set_new(row, "why", mgc_json_text(why));
    return row;
}

static bool add_withheld(
    struct mgc_manifest *manifest, const struct mgc_step *step, const char *names, const char *why)
{
    if (!names)
        return true;
    json_t *row = origin_json(step, why);
    json_object_set_new(row, "names", mgc_json_text(names));
    return json_array_append_new(manifest->withheld, row) == 0;
}

bool mgc_manifest_add(struct mgc_manifest *manifest, const struct mgc_step *step,
    const struct mgc_msg_result *result, const struct mgc_error *storage)
{
    for (size_t i = 0; i < result->artifact_count; i++) {
        json_t *row = row_json(&result->artifacts[i], step, storage);
        if (json_array_append_new(manifest->files, row) < 0)
            return false;
    }
    return add_withheld(manifest, step, mgc_fields_get_str(&result->facts, "quarantined"),
               "binary and holds a secret") &&
           add_withheld(manifest, step, mgc_fields_get_str(&result->facts, "unreadable"),
               "could not be read at the worker");
}

bool mgc_manifest_add_missing(
    struct mgc_manifest *manifest, const struct mgc_step *step, const char *why)
{
    return json_array_append_new(manifest->missing, origin_json(step, why)) == 0;
}

bool mgc_manifest_write(const struct mgc_manifest *manifest, const char *dir, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    if (!path_of(dir, path, err))
        return false;
    json_t *doc = json_object();
    json_object_set_new(doc, "schema", json_string("mgcoord-manifest-1"));
    json_object_set(doc, "files", manifest->files);
    if (json_array_size(manifest->missing))
        json_object_set(doc, "missing", manifest->missing);
    if (json_array_size(manifest->withheld))
        json_object_set(doc, "withheld", manifest->withheld);
    bool ok = mgc_json_write_file(path, doc, err);
    json_decref(doc);
    return ok;
}
