#include "common/base/path.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

bool mgc_path_join(char *ret_path, size_t size, const char *dir, const char *name)
{
    size_t dir_len = strlen(dir);
    const char *between = dir_len && dir[dir_len - 1] == '/' ? "" : "/";
    int len = snprintf(ret_path, size, "%s%s%s", dir, between, name);
    if (len >= 0 && (size_t)len < size)
        return true;
    if (size)
        ret_path[0] = '\0';
    return false;
}

const char *mgc_path_base(const char *path)
{
    const char *base = path;
    for (const char *p = path; *p; p++) {
        if (*p == '/')
            base = p + 1;
#ifdef _WIN32
        if (*p == '\\')
            base = p + 1;
#endif
    }
    return base;
}

bool mgc_path_is_safe(const char *relative)
{
    size_t len = strlen(relative);
    if (len < 1 || len > 200)
        return false;
    bool part_start = true;
    for (size_t i = 0; i < len; i++) {
        char c = relative[i];
        if (part_start && (c == '.' || c == '/'))
            return false;
        if (!isalnum((unsigned char)c) && !strchr("._+@-/", c))
            return false;
        part_start = c == '/';
    }
    return !part_start;
}
