#include "worker-host/adb/logcat.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/hash.h"
#include "common/base/open.h"
#include "worker-host/adb/part.h"
#include "worker-host/adb/quote.h"
#include "worker-host/adb/shell.h"

enum { NONCE_LEN = 16, LINE_MAX_BYTES = 64 * 1024, STDERR_MAX = 16384 };

struct mgc_adb_log {
    struct mgc_adb *adb; /* borrowed */
    char serial[128];
    char *filter, *path, *before; /* owned, may be NULL */
    mgc_adb_log_fn *line;
    void *ctx;
    struct mgc_adb_shell shell;
    FILE *file;          /* owned; NULL: none */
    struct mgc_buf part; /* a line still without its end */
    struct mgc_buf err;
    struct mgc_adb_logmarks marks;
    int exit_code;   /* -1: runs, or never ran */
    int write_errno; /* first failure of the file */
    struct mgc_adb_logscan scan;
};

static bool copy(char **into, const char *text)
{
    *into = text ? strdup(text) : NULL;
    return !text || *into;
}

struct mgc_adb_log *mgc_adb_log_new(struct mgc_adb *adb, const char *serial,
    const struct mgc_adb_log_spec *spec, struct mgc_error *err)
{
    struct mgc_adb_log *log = calloc(1, sizeof(*log));
    if (!log) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a log reader");
        return NULL;
    }
    log->adb = adb;
    log->shell = (struct mgc_adb_shell)MGC_ADB_SHELL_INIT;
    log->line = spec->line;
    log->ctx = spec->ctx;
    log->exit_code = -1;
    log->part.max = LINE_MAX_BYTES;
    log->err.max = STDERR_MAX;
    snprintf(log->serial, sizeof(log->serial), "%s", serial);
    mgc_random_text(log->marks.nonce, NONCE_LEN);
    if (copy(&log->filter, spec->filter) && copy(&log->path, spec->path) &&
        copy(&log->before, spec->before))
        return log;
    mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a log reader");
    mgc_adb_log_free(log);
    return NULL;
}

void mgc_adb_log_free(struct mgc_adb_log *log)
{
    if (!log)
        return;
    mgc_adb_shell_close(&log->shell);
    if (log->file)
        fclose(log->file);
    mgc_buf_destroy(&log->part);
    mgc_buf_destroy(&log->err);
    free(log->filter);
    free(log->path);
    free(log->before);
    free(log);
}

static void write_file(struct mgc_adb_log *log, const char *data, size_t len)
{
    if (!log->file || log->write_errno)
        return;
    if (fwrite(data, 1, len, log->file) != len)
        log->write_errno = errno ? errno : EIO;
}

static void take_line(struct mgc_adb_log *log, const char *line, size_t len)
{
    if (!mgc_adb_logmarks_line(&log->marks, line, len))
        return; /* older than the start */
    write_file(log, line, len);
    write_file(log, "\n", 1);
    mgc_adb_logscan_line(&log->scan, line, len);
    if (log->line)
        log->line(log->ctx, line, len);
}

/* Cut the stream into lines; one that passes the cap is handed on in parts. */
static void take_bytes(struct mgc_adb_log *log, const char *data, size_t len)
{
    while (len) {
        const char *newline = memchr(data, '\n', len);
        size_t take = newline ? (size_t)(newline - data) : len;
        if (newline && log->part.len == 0) {
            take_line(log, data, take);
        } else {
            size_t room = LINE_MAX_BYTES - log->part.len;
            if (take > room)
                take = room;
            mgc_buf_append(&log->part, data, take);
            newline = take < len && data[take] == '\n' ? data + take : NULL;
            if (newline || log->part.len == LINE_MAX_BYTES) {
                take_line(log, mgc_buf_text(&log->part), log->part.len);
                mgc_buf_clear(&log->part);
            }
        }
        take += newline != NULL;
        data += take;
        len -= take;
    }
}

/* The stream is over: what is left of a line counts, and the file says why it stops. */
static void note_end(struct mgc_adb_log *log, const char *why)
{
    char text[600];
    if (log->part.len) {
        take_line(log, mgc_buf_text(&log->part), log->part.len);
        mgc_buf_clear(&log->part);
    }
    int len =
        snprintf(text, sizeof(text), "--------- mgcoord: the log stream ended here: %s\n", why);
    write_file(log, text, (size_t)len < sizeof(text) ? (size_t)len : sizeof(text) - 1);
    if (log->file)
        fflush(log->file);
    mgc_adb_shell_close(&log->shell);
}

static bool file_ok(const struct mgc_adb_log *log, struct mgc_error *err)
{
    return !log->write_errno || mgc_error_errno(err, log->write_errno, "write \"%s\"", log->path);
}

bool mgc_adb_log_read(
    struct mgc_adb_log *log, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_adb_shell_piece piece;
    struct mgc_error why;
    if (!mgc_adb_shell_next(&log->shell, &piece, wait, &why)) {
        if (why.code == MGC_E_LOST)
            note_end(log, why.text);
        if (err)
            *err = why;
        return false;
    }
    if (piece.id == MGC_ADB_EXIT) {
        log->exit_code = log->shell.exit_code;
        note_end(log, "logcat ended on the device");
        return mgc_error_set(err, MGC_E_LOST, "device %s: the log stream ended, exit code %d: %.*s",
            log->serial, log->exit_code, (int)strcspn(mgc_buf_text(&log->err), "\r\n"),
            mgc_buf_text(&log->err));
    }
    if (piece.id == MGC_ADB_STDOUT)
        take_bytes(log, piece.data, piece.len);
    else if (log->err.len + piece.len <= STDERR_MAX)
        mgc_buf_append(&log->err, piece.data, piece.len);
    /* What came is in the file before we wait for more: a crash of ours must not take it along. */
    if (log->file && !mgc_adb_log_buffered(log) && fflush(log->file) != 0 && !log->write_errno)
        log->write_errno = errno;
    return file_ok(log, err);
}

/* The device's own time goes to logcat only to keep the old log away; what counts is the marker. */
static bool command(const struct mgc_adb_log *log, bool again, struct mgc_buf *out)
{
    if (!again && log->before)
        mgc_buf_printf(out, "{\n%s\n} || exit $?\n", log->before);
    if (!again)
        mgc_buf_printf(out,
            "t=$(date +'%%m-%%d %%H:%%M:%%S.000') && log -t " MGC_ADB_LOG_TAG
            " 'begin %s' || exit 71\n",
            log->marks.nonce);
    mgc_buf_puts(out, "exec logcat -v threadtime");
    if (!again)
        mgc_buf_puts(out, " -T \"$t\"");
    else if (log->scan.last_stamp[0])
        mgc_buf_printf(out, " -T '%s'", log->scan.last_stamp);
    for (const char *spec = log->filter; spec && *spec;) {
        char word[256];
        size_t len = strcspn(spec, " ");
        snprintf(word, sizeof(word), "%.*s", (int)len, spec);
        mgc_buf_putc(out, ' ');
        mgc_adb_quote(out, word);
        spec += len + strspn(spec + len, " ");
    }
    if (log->filter)
        mgc_buf_puts(out, " " MGC_ADB_LOG_TAG ":V");
    return mgc_buf_ok(out);
}

static bool open_stream(
    struct mgc_adb_log *log, bool again, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_buf text = {0};
    mgc_buf_clear(&log->err);
    log->exit_code = -1;
    bool ok = command(log, again, &text) ||
              mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a log reader");
    ok = ok &&
         mgc_adb_shell_open(&log->shell, log->adb, log->serial, mgc_buf_text(&text), wait, err);
    mgc_buf_destroy(&text);
    return ok;
}

bool mgc_adb_log_open(
    struct mgc_adb_log *log, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    if (log->path && !log->file) {
        log->file = mgc_open_write(log->path);
        if (!log->file)
            return mgc_error_errno(err, errno, "create \"%s\"", log->path);
    }
    bool ok = open_stream(log, false, wait, err);
    while (ok && !log->marks.begun)
        ok = mgc_adb_log_read(log, wait, err);
    if (!ok && log->exit_code >= 0 && err)
        err->code = MGC_E_FAILED;
    if (!ok && err && err->code == MGC_E_TIMEOUT)
        mgc_error_set(err, MGC_E_TIMEOUT, "device %s: the begin marker did not show up in its log",
            log->serial);
    return ok;
}

bool mgc_adb_log_reopen(
    struct mgc_adb_log *log, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    if (log->shell.conn.socket != MGC_SOCKET_NONE)
        note_end(log, "another stream of the device broke");
    mgc_adb_logscan_reopened(&log->scan);
    return open_stream(log, true, wait, err);
}

bool mgc_adb_log_finish(
    struct mgc_adb_log *log, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    char text[80];
    struct mgc_adb_result result = {0};
    snprintf(text, sizeof(text), "log -t " MGC_ADB_LOG_TAG " 'end %s'", log->marks.nonce);
    bool ok = mgc_adb_run(log->adb, log->serial, text, NULL, wait, &result, err);
    if (ok && result.exit_code != 0)
        ok = mgc_error_set(err, MGC_E_FAILED, "device %s: \"log\" ended with code %d", log->serial,
            result.exit_code);
    mgc_adb_result_destroy(&result);
    while (ok && !log->marks.ended)
        ok = mgc_adb_log_read(log, wait, err);
    if (log->file && fflush(log->file) != 0 && ok)
        ok = mgc_error_errno(err, errno, "write \"%s\"", log->path);
    return ok;
}

int mgc_adb_log_exit(const struct mgc_adb_log *log)
{
    return log->exit_code;
}

const char *mgc_adb_log_stderr(const struct mgc_adb_log *log)
{
    return mgc_buf_text(&log->err);
}

mgc_socket mgc_adb_log_socket(const struct mgc_adb_log *log)
{
    return log->shell.conn.socket;
}

bool mgc_adb_log_buffered(const struct mgc_adb_log *log)
{
    return mgc_adb_shell_buffered(&log->shell);
}

const struct mgc_adb_logscan *mgc_adb_log_scan(const struct mgc_adb_log *log)
{
    return &log->scan;
}
