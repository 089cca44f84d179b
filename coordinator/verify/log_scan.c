#include "coordinator/verify/log_scan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/open.h"
#include "common/base/path.h"
#include "common/plat/file.h"

/* MobileGL logs under tags that begin with its name; the other two open its own messages. */
bool mgc_log_line_is_ours(const char *line)
{
    return strstr(line, "MobileGL") || strstr(line, "MGPipe") || strstr(line, "MG_Remote");
}

/* Passes our lines of the phone's log on; the others become empty ones, which keeps the numbers. */
struct phone {
    struct mgc_lines lines;
    struct mgc_markers *markers; /* borrowed */
    uint64_t number;             /* of the line that is being passed on; 0: none yet */
    bool ours;
};

static void take_phone_line(void *user, const char *line, uint64_t number)
{
    struct phone *phone = user;
    if (number != phone->number) {
        if (phone->number)
            mgc_markers_feed(phone->markers, "\n", 1);
        phone->number = number;
        phone->ours = mgc_log_line_is_ours(line);
    }
    if (phone->ours)
        mgc_markers_feed(phone->markers, line, strlen(line));
}

static void finish_phone(struct phone *phone)
{
    mgc_lines_finish(&phone->lines, take_phone_line, phone);
    if (phone->number)
        mgc_markers_feed(phone->markers, "\n", 1);
}

static void take_server_line(void *user, const char *line, uint64_t number)
{
    (void)number;
    mgc_server_read_take(user, line);
}

/* Lines of the server's log, for what they say of its reading. */
static void feed_server(
    struct mgc_logs *logs, struct mgc_lines *lines, const char *chunk, size_t len)
{
    if (len)
        mgc_lines_feed(lines, chunk, len, take_server_line, &logs->server_read);
    else
        mgc_lines_finish(lines, take_server_line, &logs->server_read);
}

static void feed(struct mgc_logs *logs, enum mgc_log_file which, struct phone *phone,
    const char *chunk, size_t len)
{
    struct mgc_log_scan *scan = &logs->files[which];
    if (which == MGC_LOG_PHONE)
        mgc_lines_feed(&phone->lines, chunk, len, take_phone_line, phone);
    else
        mgc_markers_feed(&scan->markers, chunk, len);
    if (which == MGC_LOG_CLIENT)
        mgc_link_log_feed(&logs->link, chunk, len);
}

static void scan_stream(struct mgc_logs *logs, enum mgc_log_file which, FILE *file)
{
    struct mgc_log_scan *scan = &logs->files[which];
    struct phone phone = {.lines = {.in_pieces = true}, .markers = &scan->markers};
    struct mgc_lines server = {0};
    char chunk[65536];
    size_t got;
    do { /* the last one, of nothing, finishes */
        got = fread(chunk, 1, sizeof(chunk), file);
        if (got > 0)
            feed(logs, which, &phone, chunk, got);
        if (which == MGC_LOG_SERVER)
            feed_server(logs, &server, chunk, got);
    } while (got > 0);
    if (ferror(file))
        mgc_error_errno(&scan->error, errno, "read '%s'", scan->name);
    finish_phone(&phone);
    mgc_markers_finish(&scan->markers);
    mgc_link_log_finish(&logs->link);
    scan->lines = scan->markers.lines.count;
}

static void scan_file(struct mgc_logs *logs, enum mgc_log_file which, const char *path)
{
    FILE *file = mgc_open_read(path, &logs->files[which].error);
    if (!file)
        return;
    scan_stream(logs, which, file);
    fclose(file);
}

struct mgc_logs *mgc_logs_scan(const char *dir, const struct mgc_log_set *set)
{
    struct mgc_logs *logs = calloc(1, sizeof(*logs));
    if (!logs)
        return NULL;
    for (int i = 0; i < MGC_LOG_FILE_COUNT; i++) {
        char path[MGC_PATH_MAX];
        const char *name = set->files[i].name;
        logs->files[i].name = name;
        logs->files[i].required = name && set->files[i].required;
        logs->files[i].present =
            name && mgc_path_join(path, sizeof(path), dir, name) && mgc_file_exists(path);
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
