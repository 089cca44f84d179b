#include "sampler/path.h"

#include <stdio.h>
#include <string.h>

static bool parts_ok(const char *text, bool strict)
{
    while (*text) {
        size_t len = strcspn(text, "/");
        if (len == 2 && memcmp(text, "..", 2) == 0)
            return false;
        if (strict && (len == 0 || (len == 1 && *text == '.')))
            return false;
        text += len + (text[len] == '/');
    }
    return true;
}

bool mgd_path_ok(const char *path)
{
    return path[0] == '/' && parts_ok(path, false);
}

bool mgd_name_ok(const char *name)
{
    return name[0] && parts_ok(name, true);
}

bool mgd_path_join(char *ret_path, size_t size, const char *dir, const char *name)
{
    bool alone = dir[0] == '\0';
    if (alone ? !mgd_path_ok(name) : !mgd_path_ok(dir) || !mgd_name_ok(name))
        return false;
    int len = snprintf(ret_path, size, "%s%s%s", dir, alone ? "" : "/", name);
    return len > 0 && (size_t)len < size;
}
