/* Any bytes as a line of ActivityManager. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/contract/app_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const char head[] = "I ActivityManager: ";
    struct mgc_app_line line;
    char *text = malloc(sizeof(head) + len);
    if (!text)
        return 0;
    memcpy(text, head, sizeof(head) - 1);
    memcpy(text + sizeof(head) - 1, data, len);
    text[sizeof(head) - 1 + len] = '\0';
    if (mgc_app_line_parse(text, &line) != MGC_APP_NONE && !*line.package)
        abort();
    free(text);
    return 0;
}
