#include "worker-host/tasks/replay_seen.h"

#include <stdio.h>
#include <string.h>

#include "common/base/parse.h"
#include "common/base/text.h"
#include "worker-host/adb/logline.h"
#include "worker-host/tasks/replay_check.h"
#include "worker-host/tasks/replay_launch.h"

enum { LOG_LINE_MAX = 8192 };

/* Is this item in a list "K=V;K=V"? */
static bool has_item(const char *env, const char *item)
{
    size_t len = strlen(item);
    for (const char *at = env; at && *at; at += *at == ';') {
        size_t one = strcspn(at, ";");
        if (one == len && strncmp(at, item, len) == 0)
            return true;
        at += one;
    }
    return false;
}

void mgc_replay_seen_init(struct mgc_replay_seen *seen, const char *package, const char *env,
    const struct mgc_host_files *files)
{
    *seen = (struct mgc_replay_seen){.package = package,
        .files = files,
        .forks_server =
            has_item(env, "MOBILEGL_IPC_CONTROL=fork") && has_item(env, "MOBILEGL_PIPE_STATS=1"),
        .closed_inode = -1,
        .closed_mtime_ns = -1,
        .said = {.max = MGC_REPLAY_SAID_MAX},
        .out = {.max = LOG_LINE_MAX},
        .err_line = {.max = LOG_LINE_MAX},
        .check = {.max = MGC_REPLAY_CHECK_MAX}};
}

void mgc_replay_seen_destroy(struct mgc_replay_seen *seen)
{
    if (!seen)
        return;
    mgc_buf_destroy(&seen->said);
    mgc_buf_destroy(&seen->out);
    mgc_buf_destroy(&seen->err_line);
    mgc_buf_destroy(&seen->check);
}

const char *mgc_replay_output_name(const struct mgc_host_files *files, size_t i)
{
    static const char dir[] = MGC_REPLAY_OUTPUT "/";
    const char *path = files->items[i].path;
    if (strncmp(path, dir, sizeof(dir) - 1) != 0 || strchr(path + sizeof(dir) - 1, '/'))
        return NULL;
    return path + sizeof(dir) - 1;
}

/* --- watches ---------------------------------------------------------------------------------- */

/* Services of the app run in processes called PACKAGE:NAME, and its render server is a program. */
static bool is_main(const struct mgc_replay_seen *seen, const struct mgc_device_proc *proc)
{
    size_t len = strlen(seen->package);
    return strncmp(proc->cmdline, seen->package, len) == 0 &&
           (proc->cmdline[len] == '\0' || proc->cmdline[len] == ' ');
}

static void take_proc(struct mgc_replay_seen *seen, const struct mgc_device_proc *proc)
{
    if (proc->what == MGC_DEVICE_PROC_ENDED) {
        if (!seen->has_pid || proc->pid != seen->pid || seen->ended)
            return;
        seen->ended = true;
        seen->end_ns = proc->mono_ns;
        return;
    }
    if (seen->has_pid) {
        seen->alive_again |= proc->pid == seen->pid && proc->start_ticks == seen->start_ticks;
        return;
    }
    if (!is_main(seen, proc))
        return;
    seen->has_pid = true;
    seen->alive_again = true;
    seen->pid = proc->pid;
    seen->start_ticks = proc->start_ticks;
    seen->start_ns = proc->what == MGC_DEVICE_PROC_STARTED ? proc->mono_ns : 0;
}

/* Found again after the stream was broken: it is the one that was seen closed, when it is the same
 * file and nobody wrote into it since. */
static void take_result(
    struct mgc_replay_seen *seen, const struct mgc_device_file *file, bool closed)
{
    bool known = file->inode >= 0 && file->mtime_ns >= 0;
    if (!closed && known && file->inode == seen->closed_inode &&
        file->mtime_ns == seen->closed_mtime_ns)
        return;
    seen->closed_ns = closed ? file->mono_ns : 0;
    seen->closed_inode = closed ? file->inode : -1;
    seen->closed_mtime_ns = closed ? file->mtime_ns : -1;
}

static void take_file(struct mgc_replay_seen *seen, const struct mgc_device_file *file)
{
    bool closed = file->what == MGC_DEVICE_FILE_WRITTEN || file->what == MGC_DEVICE_FILE_REPLACED;
    bool found = file->what == MGC_DEVICE_FILE_FOUND;
    bool created = file->what == MGC_DEVICE_FILE_CREATED;
    if ((closed || found) && strcmp(file->name, MGC_REPLAY_RESULT) == 0) {
        seen->closes++;
        take_result(seen, file, closed);
    }
    for (size_t i = 0; i < seen->files->count; i++) {
        const char *name = mgc_replay_output_name(seen->files, i);
        if (!name || strcmp(name, file->name) != 0)
            continue;
        seen->file_open[i] = created || (seen->file_open[i] && !closed && !found);
        seen->file_closed[i] |= closed || found;
    }
}

void mgc_replay_seen_event(struct mgc_replay_seen *seen, const struct mgc_device_msg *msg)
{
    if (msg->type == MGC_DEVICE_PROC)
        take_proc(seen, &msg->proc);
    else if (msg->type == MGC_DEVICE_FILE)
        take_file(seen, &msg->file);
}

bool mgc_replay_seen_settled(const struct mgc_replay_seen *seen)
{
    static const char end[] = ".json";
    for (size_t i = 0; i < seen->files->count; i++) {
        const char *name = mgc_replay_output_name(seen->files, i);
        size_t len = name ? strlen(name) : 0;
        if (len < sizeof(end) - 1 || strcmp(name + len - (sizeof(end) - 1), end) != 0)
            continue;
        bool to_come = seen->forks_server && strcmp(name, "pipestats.server.json") == 0;
        if (seen->file_open[i] || (to_come && !seen->file_closed[i]))
            return false;
    }
    return true;
}

/* --- the launching stream --------------------------------------------------------------------- */

/* What the process itself logs when a signal ends it: "Fatal signal 11 (SIGSEGV), code 1 ...". */
static void take_crash(struct mgc_replay_seen *seen, const char *text)
{
    static const char words[] = "Fatal signal ";
    char digits[8];
    int64_t number;
    const char *at = strstr(text, words);
    if (!at || seen->died_signal)
        return;
    at += sizeof(words) - 1;
    snprintf(digits, sizeof(digits), "%.*s", (int)strspn(at, "0123456789"), at);
    if (mgc_parse_int(digits, 1, 64, &number))
        seen->died_signal = (int)number;
}

static void take_log_line(struct mgc_replay_seen *seen, const char *line)
{
    static const char done[] = "trace replay result: ";
    struct mgc_adb_logline parsed;
    if (!mgc_adb_logline_parse(line, strlen(line), &parsed))
        return;
    if (mgc_adb_logline_has_tag(&parsed, "libc"))
        take_crash(seen, parsed.text);
    if (mgc_adb_logline_has_tag(&parsed, "MobileGLTraceRunner"))
        seen->said_done |= strncmp(parsed.text, done, sizeof(done) - 1) == 0;
    /* A list of accepted variables may repeat any word. */
    if (!seen->fatal_line[0] && strstr(parsed.text, "Fatal{") &&
        !strstr(parsed.text, "Accepted env variable")) {
        snprintf(seen->fatal_line, sizeof(seen->fatal_line), "%s", parsed.text);
        mgc_text_one_line(seen->fatal_line);
    }
}

/* A report that is longer than its cap lacks its rest: what it then does not say is not known. */
static void take_check_line(struct mgc_replay_seen *seen, const char *line)
{
    mgc_buf_printf(&seen->check, "%s\n", line);
    seen->check_done = strcmp(line, MGC_REPLAY_CHECK_END) == 0;
}

static void take_err_line(struct mgc_replay_seen *seen, const char *line)
{
    int64_t code;
    if (seen->check_begun && !seen->check_done) {
        take_check_line(seen, line);
    } else if (strcmp(line, MGC_REPLAY_CHECK_BEGIN) == 0) {
        seen->check_begun = true;
    } else if (strncmp(line, "mgc-am ", 7) == 0 && mgc_parse_int(line + 7, 0, 255, &code)) {
        seen->am_done = true;
        seen->am_code = (int)code;
    } else if (strncmp(line, "mgc-time ", 9) == 0) {
        if (mgc_parse_int(line + 9, 1, INT64_MAX, &code))
            seen->launched_s = code;
    } else if (!seen->am_done) {
        mgc_buf_printf(&seen->said, "%s\n", line);
    }
}

/* Cut into lines; what passes the cap is dropped up to its end. */
static void feed(struct mgc_replay_seen *seen, struct mgc_buf *part, const char *data, size_t len,
    void (*take)(struct mgc_replay_seen *seen, const char *line))
{
    for (size_t i = 0; i < len; i++) {
        if (data[i] != '\n') {
            if (data[i] && data[i] != '\r')
                mgc_buf_putc(part, data[i]);
            continue;
        }
        take(seen, mgc_buf_text(part));
        mgc_buf_clear(part);
    }
}

void mgc_replay_seen_out(struct mgc_replay_seen *seen, const char *data, size_t len)
{
    feed(seen, &seen->out, data, len, take_log_line);
}

void mgc_replay_seen_broken(struct mgc_replay_seen *seen)
{
    mgc_buf_clear(&seen->out);
    mgc_buf_clear(&seen->err_line);
    if (!seen->check_done) {
        mgc_buf_clear(&seen->check);
        seen->check_begun = false;
    }
    seen->am_lost |= !seen->am_done;
}

void mgc_replay_seen_err(struct mgc_replay_seen *seen, const char *data, size_t len)
{
    feed(seen, &seen->err_line, data, len, take_err_line);
}
