#include "coordinator/store/run_note.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/parse.h"
#include "common/plat/file.h"

enum { NOTE_MAX = MGC_PATH_MAX + 512 };

/* The rest of a line that begins with `key` and a blank, if it fits. */
static void take(const char *line, size_t len, const char *key, char *ret_value, size_t value_size)
{
    size_t key_len = strlen(key);
    if (len < key_len + 2 || strncmp(line, key, key_len) != 0 || line[key_len] != ' ')
        return;
    len -= key_len + 1;
    if (len >= value_size || memchr(line, '\0', len))
        return;
    memcpy(ret_value, line + key_len + 1, len);
    ret_value[len] = '\0';
}

static bool take_pid(const char *line, size_t len, long *ret_pid)
{
    char digits[24];
    int64_t pid;
    if (len == 0 || len >= sizeof(digits))
        return false;
    memcpy(digits, line, len);
    digits[len] = '\0';
    if (strlen(digits) != len || !mgc_parse_int(digits, 1, INT_MAX, &pid))
        return false;
    *ret_pid = (long)pid;
    return true;
}

bool mgc_run_note_parse(const char *text, size_t len, struct mgc_run_note *ret_note)
{
    *ret_note = (struct mgc_run_note){0};
    for (size_t at = 0; at < len;) {
        const char *line = text + at;
        const char *end = memchr(line, '\n', len - at);
        size_t line_len = end ? (size_t)(end - line) : len - at;
        if (at == 0 && !take_pid(line, line_len, &ret_note->pid))
            return false;
        take(line, line_len, "run", ret_note->run_id, sizeof(ret_note->run_id));
        take(line, line_len, "socket", ret_note->socket, sizeof(ret_note->socket));
        at += line_len + 1;
    }
    return ret_note->pid != 0;
}

bool mgc_run_note_read(const char *path, struct mgc_run_note *ret_note)
{
    struct mgc_buf text = {0};
    *ret_note = (struct mgc_run_note){0};
    bool ok = mgc_file_read(path, NOTE_MAX, &text, NULL) &&
              mgc_run_note_parse(mgc_buf_text(&text), text.len, ret_note);
    mgc_buf_destroy(&text);
    return ok;
}

bool mgc_run_user_dir(char ret_dir[MGC_PATH_MAX])
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    int len = runtime && runtime[0] == '/'
                  ? snprintf(ret_dir, MGC_PATH_MAX, "%s/mgcoord", runtime)
                  : snprintf(ret_dir, MGC_PATH_MAX, "/tmp/mgcoord-%lu", (unsigned long)geteuid());
    return len > 0 && len < MGC_PATH_MAX;
}

/* Whatever way the two are spelled: the earlier run may have had another working directory. */
static bool is_same_place(const char *a, const char *b)
{
    struct stat first, second;
    return lstat(a, &first) == 0 && lstat(b, &second) == 0 && S_ISSOCK(first.st_mode) &&
           first.st_uid == geteuid() && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

void mgc_run_note_clean(const struct mgc_run_note *note, const char *results)
{
    char path[MGC_PATH_MAX], dir[MGC_PATH_MAX];
    if (!note->socket[0] || !note->run_id[0] || strchr(note->run_id, '/') ||
        strcmp(note->run_id, "..") == 0)
        return;
    int len = snprintf(path, sizeof(path), "%s/%s/control.sock", results, note->run_id);
    if (len > 0 && len < (int)sizeof(path) && is_same_place(note->socket, path))
        unlink(path);
    if (!mgc_run_user_dir(dir))
        return;
    len = snprintf(path, sizeof(path), "%s/%s.sock", dir, note->run_id);
    if (len > 0 && len < (int)sizeof(path) && is_same_place(note->socket, path))
        unlink(path);
}

void mgc_run_note_name(const struct mgc_run_note *note, char *ret_text, size_t size)
{
    if (note->run_id[0])
        snprintf(ret_text, size, "run '%s' (process %ld)", note->run_id, note->pid);
    else
        snprintf(ret_text, size, "process %ld", note->pid);
}
