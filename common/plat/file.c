#include "common/plat/file.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/path.h"
#include "common/plat/internal.h"

static bool is_separator(char c)
{
#ifdef _WIN32
    if (c == '\\')
        return true;
#endif
    return c == '/';
}

bool mgc_dir_make(const char *path, unsigned mode, struct mgc_error *err)
{
    char part[MGC_PATH_MAX];
    size_t len = strlen(path);
    if (len == 0 || len >= sizeof(part))
        return mgc_error_set(err, MGC_E_IO, "make directory '%.80s': empty or too long", path);
    memcpy(part, path, len + 1);
    /* From the top down: a parent that exists costs one call and needs no look first. */
    for (size_t i = 1; i < len; i++) {
        if (!is_separator(part[i]) || is_separator(part[i - 1]) || part[i - 1] == ':')
            continue;
        char separator = part[i];
        part[i] = '\0';
        if (!mgc_plat_mkdir(part, mode, err))
            return false;
        part[i] = separator;
    }
    return mgc_plat_mkdir(part, mode, err);
}

void mgc_dir_names_destroy(struct mgc_dir_names *names)
{
    if (!names)
        return;
    for (size_t i = 0; i < names->count; i++)
        free(names->names[i]);
    free(names->names);
    *names = (struct mgc_dir_names){0};
}
