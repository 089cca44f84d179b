#include "common/base/str.h"

#include <stdlib.h>
#include <string.h>

char *mgc_strndup(const char *text, size_t len)
{
    size_t used = strnlen(text, len);
    char *copy = malloc(used + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, used);
    copy[used] = '\0';
    return copy;
}

bool mgc_str_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}
