#include "worker-host/adb/lines.h"

#include <stdio.h>
#include <string.h>

bool mgc_adb_line_after(const char *text, const char *label, char *ret_rest, size_t size)
{
    size_t label_len = strlen(label);
    for (const char *line = text; *line; line += strspn(line, "\r\n")) {
        size_t len = strcspn(line, "\r\n");
        if (len >= label_len && strncmp(line, label, label_len) == 0) {
            snprintf(ret_rest, size, "%.*s", (int)(len - label_len), line + label_len);
            return true;
        }
        line += len;
    }
    return false;
}
