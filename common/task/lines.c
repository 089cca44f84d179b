#include "common/task/lines.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/str.h"

void mgc_lines_put(struct mgc_buf *out, const char *key, const char *value)
{
    mgc_buf_printf(out, "%s = ", key);
    for (const char *p = value ? value : ""; *p; p++)
        mgc_buf_putc(out, *p == '\n' ? ' ' : *p);
    mgc_buf_putc(out, '\n');
}

char *mgc_lines_take(const char *text, const char *key)
{
    size_t len = strlen(key);
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, len) == 0 && strncmp(line + len, " = ", 3) == 0)
            return mgc_strndup(line + len + 3, strcspn(line + len + 3, "\n"));
    }
    return strdup("");
}
