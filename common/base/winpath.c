#include "common/base/winpath.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <errno.h>
#include <windows.h>

#include "common/base/utf16.h"
#endif

static size_t length(const uint16_t *text)
{
    size_t len = 0;
    while (text[len])
        len++;
    return len;
}

/* Does the text begin like this (ASCII)? */
static bool begins(const uint16_t *text, const char *with)
{
    for (; *with; with++, text++) {
        if (*text != (unsigned char)*with)
            return false;
    }
    return true;
}

static uint16_t *joined(const char *head, const uint16_t *tail)
{
    size_t head_len = strlen(head), tail_len = length(tail);
    uint16_t *out = malloc((head_len + tail_len + 1) * sizeof(*out));
    if (!out)
        return NULL;
    for (size_t i = 0; i < head_len; i++)
        out[i] = (unsigned char)head[i];
    memcpy(out + head_len, tail, (tail_len + 1) * sizeof(*out));
    return out;
}

uint16_t *mgc_winpath_extended(const uint16_t *full)
{
    if (begins(full, "\\\\?\\") || begins(full, "\\\\.\\"))
        return joined("", full);
    if (begins(full, "\\\\"))
        return joined("\\\\?\\UNC\\", full + 2);
    return joined("\\\\?\\", full);
}

#ifdef _WIN32
_Static_assert(sizeof(wchar_t) == sizeof(uint16_t), "wchar_t is a UTF-16 unit on Windows");

static uint16_t *full_path(const uint16_t *path)
{
    DWORD size = GetFullPathNameW(path, 0, NULL, NULL);
    uint16_t *full = size ? calloc(size, sizeof(*full)) : NULL;
    DWORD len = full ? GetFullPathNameW(path, size, full, NULL) : 0;
    if (len && len < size)
        return full;
    free(full);
    errno = size ? ENOMEM : ENOENT; /* an empty path has no full form */
    return NULL;
}

uint16_t *mgc_winpath_new(const char *path)
{
    uint16_t *wide = mgc_utf16_from_utf8(path, NULL);
    uint16_t *full = wide ? full_path(wide) : NULL;
    uint16_t *extended = full ? mgc_winpath_extended(full) : NULL;
    free(full);
    free(wide);
    return extended;
}
#endif
