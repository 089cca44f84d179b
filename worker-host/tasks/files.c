#include "worker-host/tasks/files.h"

#include <stdio.h>
#include <string.h>

#include "common/base/path.h"

static bool take_item(
    struct mgc_host_files *files, const char *item, size_t len, struct mgc_error *err)
{
    const char *equals = memchr(item, '=', len);
    size_t path_len = equals ? (size_t)(equals - item) : 0;
    size_t name_len = equals ? len - path_len - 1 : 0;
    if (files->count == MGC_HOST_FILES_MAX)
        return mgc_error_set(
            err, MGC_E_USAGE, "files: expected at most %d items", MGC_HOST_FILES_MAX);
    struct mgc_host_file_item *into = &files->items[files->count];
    bool fits = path_len <= MGC_HOST_FILE_TEXT_MAX && name_len <= MGC_HOST_FILE_TEXT_MAX;
    if (equals && fits) {
        snprintf(into->path, sizeof(into->path), "%.*s", (int)path_len, item);
        snprintf(into->name, sizeof(into->name), "%.*s", (int)name_len, equals + 1);
    }
    bool good = equals && fits && mgc_path_is_safe(into->path) && mgc_path_is_safe(into->name) &&
                !strchr(into->name, '/');
    for (size_t i = 0; good && i < files->count; i++)
        good = strcmp(files->items[i].name, into->name) != 0;
    files->count++;
    return good ||
           mgc_error_set(err, MGC_E_USAGE, "files: \"%.*s\": expected PATH=NAME, each NAME once",
               len < 100 ? (int)len : 100, item);
}

bool mgc_host_files_parse(const char *text, struct mgc_host_files *ret_files, struct mgc_error *err)
{
    *ret_files = (struct mgc_host_files){0};
    for (const char *at = *text ? text : NULL; at;) {
        size_t len = strcspn(at, ",");
        if (!take_item(ret_files, at, len, err))
            return false;
        at = at[len] ? at + len + 1 : NULL;
    }
    return true;
}

bool mgc_host_check_files(const struct mgc_value *value, struct mgc_error *err)
{
    struct mgc_host_files files;
    return mgc_host_files_parse(value->string, &files, err);
}
