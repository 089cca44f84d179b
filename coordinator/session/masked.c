#include "coordinator/session/masked.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* Where the key's value begins on the line: behind its colon. NULL: the key is not there. */
static const char *value_on(const char *line, const char *end, const char *key)
{
    size_t len = strlen(key);
    for (const char *at = line; at + len <= end; at++) {
        bool whole = (at == line || !is_word(at[-1])) && (at + len == end || !is_word(at[len]));
        const char *colon;
        if (strncmp(at, key, len) != 0 || !whole)
            continue;
        colon = memchr(at + len, ':', (size_t)(end - at) - len);
        if (colon)
            return colon + 1;
    }
    return NULL;
}

/* Nothing, or the sign of a block: then the value stands on the lines below. */
static bool is_elsewhere(const char *value, const char *end)
{
    while (value < end && isspace((unsigned char)*value))
        value++;
    return value == end || strchr("|>#&!*", *value) != NULL;
}

static bool put_line(const char *line, const char *end, const char *key, struct mgc_buf *out)
{
    const char *value = value_on(line, end, key);
    bool comment = line[strspn(line, " \t")] == '#';
    if (!value) {
        mgc_buf_append(out, line, (size_t)(end - line));
        return true;
    }
    mgc_buf_append(out, line, (size_t)(value - line));
    mgc_buf_puts(out, " (secret)");
    return comment || !is_elsewhere(value, end);
}

bool mgc_masked(const char *text, const char *key, const char *secret, struct mgc_buf *out)
{
    struct mgc_buf masked = {0};
    bool ok = true;
    while (ok && *text) {
        const char *end = text + strcspn(text, "\n");
        ok = put_line(text, end, key, &masked);
        if (*end)
            mgc_buf_putc(&masked, '\n');
        text = *end ? end + 1 : end;
    }
    ok = ok && mgc_buf_ok(&masked) && !(secret && *secret && strstr(mgc_buf_text(&masked), secret));
    if (ok)
        ok = mgc_buf_append(out, mgc_buf_text(&masked), masked.len);
    mgc_buf_destroy(&masked);
    return ok;
}
