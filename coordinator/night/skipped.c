#include "coordinator/night/skipped.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/path.h"
#include "common/json/json.h"
#include "common/plat/file.h"

enum { FILE_MAX_BYTES = 8 * 1024 * 1024, STAMP_SIZE = 32 };

static const char file_name[] = "skipped.jsonl";

static void stamp(int64_t wall_ns, char ret_text[STAMP_SIZE])
{
    time_t seconds = (time_t)(wall_ns / MGC_NS_PER_S);
    struct tm tm;
    gmtime_r(&seconds, &tm);
    strftime(ret_text, STAMP_SIZE, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

static char *line_of(const struct mgc_skipped *skipped)
{
    char time[STAMP_SIZE];
    stamp(skipped->wall_ns, time);
    json_t *doc = json_object();
    json_object_set_new(doc, "time", json_string(time));
    json_object_set_new(doc, "plan", mgc_json_text(skipped->plan));
    json_object_set_new(doc, "run_id", mgc_json_text(skipped->run_id));
    json_object_set_new(doc, "exit_code", json_integer(skipped->exit_code));
    json_object_set_new(doc, "why", mgc_json_text(skipped->why));
    char *text = json_dumps(doc, JSON_COMPACT);
    json_decref(doc);
    return text;
}

/* In one write at the end of the file, so that lines of several programs do not mix. */
static bool append(const char *path, const struct mgc_buf *line, struct mgc_error *err)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0)
        return mgc_error_errno(err, errno, "open '%s'", path);
    ssize_t written = write(fd, line->data, line->len);
    int failure = written < 0 ? errno : written < (ssize_t)line->len ? ENOSPC : 0;
    if (close(fd) != 0 && !failure)
        failure = errno;
    return !failure || mgc_error_errno(err, failure, "write to '%s'", path);
}

bool mgc_skipped_record(
    const char *results, const struct mgc_skipped *skipped, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf line = {0};
    char *text = line_of(skipped);
    if (text)
        mgc_buf_printf(&line, "%s\n", text);
    free(text);
    if (!line.len || !mgc_buf_ok(&line)) {
        mgc_buf_destroy(&line);
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a line");
    }
    bool ok = (mgc_path_join(path, sizeof(path), results, file_name) ||
                  mgc_error_set(err, MGC_E_CONFIG, "results: path is too long")) &&
              mgc_dir_make(results, 0755, err) && append(path, &line, err);
    mgc_buf_destroy(&line);
    return ok;
}

/* "2026-12-01T02:00:03Z nightly: why"; false: none of ours, or of another plan. */
static bool print_line(const char *line, size_t len, const char *plan, struct mgc_buf *out)
{
    const char *time, *of, *why;
    json_t *doc = json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL);
    bool fits =
        doc && json_unpack(doc, "{s:s,s:s,s:s}", "time", &time, "plan", &of, "why", &why) == 0;
    fits = fits && (!plan || strcmp(plan, of) == 0);
    if (fits)
        mgc_buf_printf(out, "%s %s: ", time, of);
    for (; fits && *why; why++) /* whatever the sentence holds, it stays one line */
        mgc_buf_putc(out, (unsigned char)*why < ' ' ? ' ' : *why);
    if (fits)
        mgc_buf_putc(out, '\n');
    json_decref(doc);
    return fits;
}

/* Where the last `max` lines begin that are printed. */
static bool print_last(
    const struct mgc_buf *text, const char *plan, size_t max, struct mgc_buf *out)
{
    struct mgc_buf line = {0};
    size_t end = text->len, count = 0;
    bool ok = true;
    /* Backwards, each before what is there already: the file may be long, `max` is small. */
    while (ok && end > 0 && count < max) {
        size_t begin = end - 1;
        while (begin > 0 && text->data[begin - 1] != '\n')
            begin--;
        mgc_buf_clear(&line);
        if (print_line((const char *)text->data + begin, end - begin, plan, &line)) {
            mgc_buf_append(&line, out->data, out->len);
            mgc_buf_clear(out);
            ok = mgc_buf_append(out, line.data, line.len);
            count++;
        }
        end = begin;
    }
    mgc_buf_destroy(&line);
    return ok;
}

bool mgc_skipped_print(
    const char *results, const char *plan, size_t max, struct mgc_buf *out, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf text = {0}, lines = {0};
    if (!mgc_path_join(path, sizeof(path), results, file_name))
        return mgc_error_set(err, MGC_E_CONFIG, "results: path is too long");
    if (!mgc_file_exists(path))
        return true;
    bool ok = mgc_file_read(path, FILE_MAX_BYTES, &text, err);
    if (ok && !(print_last(&text, plan, max, &lines) && mgc_buf_puts(out, mgc_buf_text(&lines))))
        ok = mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the lines of '%s'", path);
    mgc_buf_destroy(&lines);
    mgc_buf_destroy(&text);
    return ok;
}
