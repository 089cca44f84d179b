#include "coordinator/verify/phone_logs.h"

#include <errno.h>
#include <stdio.h>

#include "common/base/open.h"
#include "common/base/path.h"
#include "common/contract/lines.h"
#include "common/plat/file.h"

const char *const mgc_phone_log_names[MGC_PHONE_LOG_COUNT] = {
    "logcat.txt", "mobilegl.client.log", "mobilegl.server.log", "mgl.client.log", "mgl.server.log"};

struct reader {
    struct mgc_lines lines;
    mgc_phone_line_fn *fn;
    void *user;
    size_t log;
};

static void take_line(void *user, const char *line, uint64_t number)
{
    struct reader *reader = user;
    (void)number;
    reader->fn(reader->user, reader->log, line);
}

bool mgc_phone_log_read(
    const char *path, size_t log, mgc_phone_line_fn *fn, void *user, struct mgc_error *err)
{
    struct reader reader = {.fn = fn, .user = user, .log = log};
    char chunk[65536];
    size_t got;
    FILE *file = mgc_open_read(path, err);
    if (!file)
        return false;
    while ((got = fread(chunk, 1, sizeof(chunk), file)) > 0)
        mgc_lines_feed(&reader.lines, chunk, got, take_line, &reader);
    mgc_lines_finish(&reader.lines, take_line, &reader);
    bool ok = !ferror(file) || mgc_error_errno(err, errno, "read '%s'", path);
    fclose(file);
    return ok;
}

bool mgc_phone_logs_each(const char *dir, mgc_phone_line_fn *fn, void *user, struct mgc_error *err)
{
    bool ok = true;
    for (size_t i = 0; i < MGC_PHONE_LOG_COUNT; i++) {
        char path[MGC_PATH_MAX];
        if (mgc_path_join(path, sizeof(path), dir, mgc_phone_log_names[i]) && mgc_file_exists(path))
            ok = mgc_phone_log_read(path, i, fn, user, ok ? err : NULL) && ok;
    }
    return ok;
}
