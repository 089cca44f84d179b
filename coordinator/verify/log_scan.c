#include "coordinator/verify/log_scan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/path.h"
#include "common/plat/file.h"

static const char *const names[MGC_LOG_FILE_COUNT] = {
    [MGC_LOG_CLIENT] = "mobilegl.client.log",
    [MGC_LOG_FORWARDED] = "mobilegl.server.log",
    [MGC_LOG_OUTPUT] = "mobilegl.log",
    [MGC_LOG_SERVER] = "mgl.server.log",
    [MGC_LOG_PHONE] = "phone-logcat.txt",
};

static void scan_file(struct mgc_logs *logs, enum mgc_log_file which, const char *path)
{
    struct mgc_log_scan *scan = &logs->files[which];
    FILE *file = fopen(path, "rbe");
    if (!file) {
        mgc_error_errno(&scan->error, errno, "open '%s'", path);
        return;
    }
    char chunk[65536];
    size_t got;
    while ((got = fread(chunk, 1, sizeof(chunk), file)) > 0) {
        mgc_markers_feed(&scan->markers, chunk, got);
        if (which == MGC_LOG_CLIENT)
            mgc_link_log_feed(&logs->link, chunk, got);
    }
    if (ferror(file))
        mgc_error_errno(&scan->error, errno, "read '%s'", path);
    fclose(file);
    mgc_markers_finish(&scan->markers);
    if (which == MGC_LOG_CLIENT)
        mgc_link_log_finish(&logs->link);
}

struct mgc_logs *mgc_logs_scan(const char *dir)
{
    struct mgc_logs *logs = calloc(1, sizeof(*logs));
    if (!logs)
        return NULL;
    for (int i = 0; i < MGC_LOG_FILE_COUNT; i++) {
        char path[MGC_PATH_MAX];
        logs->files[i].name = names[i];
        logs->files[i].present =
            mgc_path_join(path, sizeof(path), dir, names[i]) && mgc_file_exists(path);
        if (logs->files[i].present)
            scan_file(logs, (enum mgc_log_file)i, path);
    }
    return logs;
}

void mgc_logs_free(struct mgc_logs *logs)
{
    if (!logs)
        return;
    mgc_link_log_destroy(&logs->link);
    free(logs);
}
