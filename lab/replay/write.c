#include "lab/replay/write.h"

#include <errno.h>
#include <stdio.h>

static bool write_as(
    const char *path, const char *mode, const void *data, size_t len, struct mgc_error *err)
{
    FILE *file = fopen(path, mode);
    if (!file)
        return mgc_error_errno(err, errno, "%s: cannot write", path);
    bool ok = fwrite(data, 1, len, file) == len;
    int errnum = errno;
    if (fclose(file) != 0) {
        errnum = errno;
        ok = false;
    }
    return ok || mgc_error_errno(err, errnum, "%s: cannot write", path);
}

bool mgr_write(const char *path, const void *data, size_t len, struct mgc_error *err)
{
    return write_as(path, "we", data, len, err);
}

bool mgr_write_more(const char *path, const void *data, size_t len, struct mgc_error *err)
{
    return write_as(path, "ae", data, len, err);
}
