#include "common/contract/moved.h"

#include <stdio.h>
#include <string.h>

#include "common/base/parse.h"

/* " ring=123" and what is behind it. */
static bool take(const char **at, const char *key, int64_t *ret)
{
    char word[24];
    size_t key_len = strlen(key);
    if (strncmp(*at, key, key_len) != 0)
        return false;
    *at += key_len;
    size_t len = strcspn(*at, " \r\n");
    if (len == 0 || len >= sizeof(word))
        return false;
    memcpy(word, *at, len);
    word[len] = '\0';
    *at += len;
    return mgc_parse_int(word, 0, INT64_MAX, ret);
}

bool mgc_moved_parse(const char *line, struct mgc_moved *ret_moved)
{
    static const char begin[] = "mglab: transport=", middle[] = " moved", end[] = " bytes";
    struct mgc_moved moved;
    const char *at = strstr(line, begin);
    at = at ? strchr(at + sizeof(begin) - 1, ' ') : NULL;
    if (!at || strncmp(at, middle, sizeof(middle) - 1) != 0)
        return false;
    at += sizeof(middle) - 1;
    if (!take(&at, " ring=", &moved.ring_bytes) || !take(&at, " shared=", &moved.shared_bytes) ||
        !take(&at, " socket=", &moved.socket_bytes) || strncmp(at, end, sizeof(end) - 1) != 0)
        return false;
    *ret_moved = moved;
    return true;
}
