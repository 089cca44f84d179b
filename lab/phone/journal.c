#include "lab/phone/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/path.h"

int mgl_journal_open(const char *data_dir, struct mgc_error *err)
{
    char path[PATH_MAX];
    if (!mgc_path_join(path, sizeof(path), data_dir, "journal.jsonl")) {
        mgc_error_set(err, MGC_E_CONFIG, "the path '%s' is too long", data_dir);
        return -1;
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0)
        mgc_error_errno(err, errno, "make the file '%s'", path);
    return fd;
}

static void put_text(struct mgc_buf *line, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "._-+,:;/=@% ";
    mgc_buf_putc(line, '"');
    for (; *text; text++)
        mgc_buf_putc(line, strchr(plain, *text) ? *text : '?');
    mgc_buf_putc(line, '"');
}

void mgl_journal_write(
    int fd, int64_t mono_ns, const char *event, const struct mgl_journal_key *keys)
{
    struct mgc_buf line = {0};
    if (fd < 0)
        return;
    mgc_buf_printf(&line, "{\"mono_ms\": %.3f, \"event\": \"%s\"",
        (double)mono_ns / (double)MGC_NS_PER_MS, event);
    for (; keys && keys->name; keys++) {
        mgc_buf_printf(&line, ", \"%s\": ", keys->name);
        if (keys->text)
            put_text(&line, keys->text);
        else
            mgc_buf_printf(&line, "%lld", (long long)keys->number);
    }
    mgc_buf_puts(&line, "}\n");
    ssize_t put = mgc_buf_ok(&line) ? write(fd, line.data, line.len) : 0;
    (void)put;
    mgc_buf_destroy(&line);
}
