#include "lab/replay/fault.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/parse.h"

/* The fault's value as text, without its final newline; false when it is not set. */
static bool read_fault(const char *name, char *ret_text, size_t size)
{
    const char *run = getenv("MGLAB_RUN");
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/faults/%s", run && *run ? run : "/run/mglab", name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t len = read(fd, ret_text, size - 1);
    close(fd);
    ret_text[len > 0 ? len : 0] = '\0';
    ret_text[strcspn(ret_text, "\n")] = '\0';
    return true;
}

bool mgr_fault(const char *name)
{
    char text[64];
    return read_fault(name, text, sizeof(text));
}

bool mgr_fault_number(const char *name, int64_t bare, int64_t *ret_value)
{
    char text[64];
    if (!read_fault(name, text, sizeof(text)))
        return false;
    if (strcmp(text, "1") == 0 || !mgc_parse_int(text, 0, INT64_MAX, ret_value))
        *ret_value = bare;
    return true;
}
