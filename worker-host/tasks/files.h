/* The list of files that a task brings from the app: "path=name,path=name". `path` is below the
 * app's files directory, `name` the artifact's. Pure; any thread. */
#ifndef MGC_HOST_FILES_H
#define MGC_HOST_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"
#include "common/base/fields.h"

enum { MGC_HOST_FILES_MAX = 32, MGC_HOST_FILE_TEXT_MAX = 200 };

struct mgc_host_files {
    struct mgc_host_file_item {
        char path[MGC_HOST_FILE_TEXT_MAX + 1], name[MGC_HOST_FILE_TEXT_MAX + 1];
    } items[MGC_HOST_FILES_MAX];
    size_t count;
};

/* Both texts are relative and safe (common/base/path.h); names are plain and come once. An empty
 * text is an empty list. MGC_E_USAGE names the item. */
bool mgc_host_files_parse(
    const char *text, struct mgc_host_files *ret_files, struct mgc_error *err);
bool mgc_host_check_files(const struct mgc_value *value, struct mgc_error *err);

#endif
