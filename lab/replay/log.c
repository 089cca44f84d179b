#include "lab/replay/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "lab/phone/logd.h"

enum { LINE_MAX_BYTES = 4000 };

static bool file_name(
    char *ret_path, size_t size, const char *base, const char *suffix, struct mgc_error *err)
{
    size_t len = strlen(base);
    if (len >= 4 && strcmp(base + len - 4, ".log") == 0)
        len -= 4;
    if (snprintf(ret_path, size, "%.*s%s", (int)len, base, suffix) >= (int)size)
        return mgc_error_set(err, MGC_E_USAGE, "%s: path too long", base);
    return true;
}

bool mgr_log_open(struct mgr_log *log, const char *base, const char *suffix, const char *thread,
    struct mgc_error *err)
{
    *log = (struct mgr_log){.fd = -1};
    const char *os = getenv("MGLAB_LOG_OS");
    if (!os || !*os)
        os = access("/system/bin", F_OK) == 0 ? "Android" : "Linux";
    snprintf(log->os, sizeof(log->os), "%s", os);
    mgr_log_thread(log, thread);
    if (!base || !*base)
        return true;
    char path[PATH_MAX];
    if (!file_name(path, sizeof(path), base, suffix, err))
        return false;
    log->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
    if (log->fd < 0)
        return mgc_error_errno(err, errno, "%s: cannot open the log", path);
    return true;
}

void mgr_log_close(struct mgr_log *log)
{
    if (!log)
        return;
    if (log->fd >= 0)
        close(log->fd);
    log->fd = -1;
}

void mgr_log_thread(struct mgr_log *log, const char *thread)
{
    snprintf(log->thread, sizeof(log->thread), "%s", thread);
}

/* The log is never a reason to fail: a full disk shows in the files that matter. */
static void put(int fd, const char *text, size_t len)
{
    ssize_t done = write(fd, text, len);
    (void)done;
}

void mgr_log_raw(struct mgr_log *log, const char *line, size_t len)
{
    char text[LINE_MAX_BYTES + 200];
    if (len > sizeof(text) - 1)
        len = sizeof(text) - 1;
    memcpy(text, line, len);
    text[len] = '\n';
    if (log->fd >= 0)
        put(log->fd, text, len + 1);
    if (log->to_stderr)
        put(STDERR_FILENO, text, len + 1);
}

void mgr_log_line(struct mgr_log *log, enum mgr_level level, const char *fmt, ...)
{
    static const char *const levels[] = {"INFO", "WARN", "ERROR"};
    char line[LINE_MAX_BYTES];
    time_t now = (time_t)(mgc_wall_ns() / MGC_NS_PER_S);
    struct tm local;
    localtime_r(&now, &local);
    int head = snprintf(line, sizeof(line), "[%02d:%02d:%02d] [%s %s/%s]: ", local.tm_hour,
        local.tm_min, local.tm_sec, log->os, log->thread, levels[level]);
    va_list args;
    va_start(args, fmt);
    vsnprintf(line + head, sizeof(line) - (size_t)head, fmt, args);
    va_end(args);
    mgr_log_raw(log, line, strlen(line));
    if (log->to_logcat)
        mgl_logd_write(level == MGR_INFO   ? MGL_LOG_INFO
                       : level == MGR_WARN ? MGL_LOG_WARN
                                           : MGL_LOG_ERROR,
            "MobileGL", line);
    if (log->tap)
        log->tap(log->tap_user, level, line);
}
