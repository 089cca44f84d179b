#include "lab/knob/knob.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/parse.h"

void mgl_knob_parse(const char *text, struct mgl_knob *ret_knob)
{
    size_t len = strcspn(text, "\n");
    if (len >= MGL_KNOB_VALUE_MAX)
        len = MGL_KNOB_VALUE_MAX - 1;
    *ret_knob = (struct mgl_knob){0};
    memcpy(ret_knob->value, text, len);
    char *last = strrchr(ret_knob->value, ',');
    if (strcmp(last ? last + 1 : ret_knob->value, "once") == 0) {
        ret_knob->once = true;
        *(last ? last : ret_knob->value) = '\0';
    }
    if (!ret_knob->value[0])
        strcpy(ret_knob->value, "1");
}

int64_t mgl_knob_number(const struct mgl_knob *knob, int64_t bare)
{
    int64_t number;
    if (strcmp(knob->value, "1") == 0 || !mgc_parse_int(knob->value, 0, INT64_MAX, &number))
        return bare;
    return number;
}

bool mgl_knob_dir(char *ret_path, size_t size)
{
    const char *run = getenv("MGLAB_RUN");
    int len = snprintf(ret_path, size, "%s/faults", run && *run ? run : "/run/mglab");
    return len >= 0 && (size_t)len < size;
}

void mgl_knob_at(const char *address)
{
    const char *run = getenv("MGLAB_RUN");
    char path[PATH_MAX];
    int len = snprintf(path, sizeof(path), "%s/at/%s", run && *run ? run : "/run/mglab", address);
    if (len >= 0 && (size_t)len < sizeof(path) && access(path, F_OK) == 0)
        setenv("MGLAB_RUN", path, 1);
}

static bool knob_path(const char *name, char ret_path[PATH_MAX])
{
    char dir[PATH_MAX];
    if (!mgl_knob_dir(dir, sizeof(dir)))
        return false;
    int len = snprintf(ret_path, PATH_MAX, "%s/%s", dir, name);
    return len >= 0 && len < PATH_MAX;
}

bool mgl_knob_get(const char *name, struct mgl_knob *ret_knob)
{
    char path[PATH_MAX], text[MGL_KNOB_VALUE_MAX + 8];
    if (!knob_path(name, path))
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t len = read(fd, text, sizeof(text) - 1);
    close(fd);
    text[len > 0 ? len : 0] = '\0';
    mgl_knob_parse(text, ret_knob);
    return true;
}

bool mgl_knob_take(const char *name, const struct mgl_knob *knob)
{
    char path[PATH_MAX];
    return !knob->once || (knob_path(name, path) && unlink(path) == 0);
}

void mgl_knob_set(const char *name, const char *value)
{
    char path[PATH_MAX], draft[PATH_MAX], hidden[MGL_KNOB_VALUE_MAX];
    size_t len = strlen(value);
    snprintf(hidden, sizeof(hidden), ".%s", name);
    if (!knob_path(name, path) || !knob_path(hidden, draft))
        return;
    int fd = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0)
        return;
    bool ok = write(fd, value, len) == (ssize_t)len;
    close(fd);
    if (!ok || rename(draft, path) != 0)
        unlink(draft);
}

void mgl_knob_remove(const char *name)
{
    char path[PATH_MAX];
    if (knob_path(name, path))
        unlink(path);
}
