#include "common/plat/unix/procfs.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/path.h"

enum { ENVIRON_MAX = 1 << 20 };

bool mgc_procfs_stat_parse(const char *text, struct mgc_procfs_stat *ret_stat)
{
    const char *rest = strrchr(text, ')');
    if (!rest)
        return false;
    struct mgc_procfs_stat stat;
    /* 3 state, 4 ppid, 5 pgrp, 6-21 (sixteen fields), 22 starttime */
    int got = sscanf(rest + 1,
        " %c %*d %" SCNd64 " %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
        "%" SCNu64,
        &stat.state, &stat.group, &stat.start_ticks);
    if (got != 3)
        return false;
    *ret_stat = stat;
    return true;
}

bool mgc_procfs_stat_read(int64_t pid, struct mgc_procfs_stat *ret_stat)
{
    char path[64], text[1024];
    snprintf(path, sizeof(path), "/proc/%" PRId64 "/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t got = read(fd, text, sizeof(text) - 1); /* one read is one snapshot */
    close(fd);
    if (got <= 0)
        return false;
    text[got] = '\0';
    return mgc_procfs_stat_parse(text, ret_stat);
}

static bool is_dead(char state)
{
    return state == 'Z' || state == 'X' || state == 'x';
}

size_t mgc_procfs_group_members(int64_t group, int64_t *ret_pids, size_t max)
{
    DIR *dir = opendir("/proc");
    if (!dir)
        return 0;
    size_t count = 0;
    struct dirent *entry;
    while (count < max && (entry = readdir(dir))) {
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        int64_t pid = strtoll(entry->d_name, NULL, 10);
        struct mgc_procfs_stat stat;
        if (mgc_procfs_stat_read(pid, &stat) && stat.group == group && !is_dead(stat.state))
            ret_pids[count++] = pid;
    }
    closedir(dir);
    return count;
}

static bool has_value(const char *block, size_t len, const char *value)
{
    size_t value_len = strlen(value);
    for (size_t at = 0; at < len;) {
        size_t entry_len = strnlen(block + at, len - at);
        const char *equals = memchr(block + at, '=', entry_len);
        if (equals && (size_t)(block + at + entry_len - equals - 1) == value_len &&
            memcmp(equals + 1, value, value_len) == 0)
            return true;
        at += entry_len + 1;
    }
    return false;
}

static bool environ_has_value(int64_t pid, const char *value)
{
    char path[64], chunk[4096];
    struct mgc_buf block;
    ssize_t got;
    mgc_buf_init(&block, ENVIRON_MAX);
    snprintf(path, sizeof(path), "/proc/%" PRId64 "/environ", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && (got = read(fd, chunk, sizeof(chunk))) > 0)
        if (!mgc_buf_append(&block, chunk, (size_t)got))
            break;
    if (fd >= 0)
        close(fd);
    bool found = block.len > 0 && has_value(mgc_buf_text(&block), block.len, value);
    mgc_buf_destroy(&block);
    return found;
}

bool mgc_procfs_uses_dir(int64_t pid, const char *dir)
{
    char path[64], cwd[MGC_PATH_MAX];
    snprintf(path, sizeof(path), "/proc/%" PRId64 "/cwd", pid);
    ssize_t len = readlink(path, cwd, sizeof(cwd) - 1);
    size_t dir_len = strlen(dir);
    if (len > 0 && (size_t)len >= dir_len && memcmp(cwd, dir, dir_len) == 0 &&
        ((size_t)len == dir_len || cwd[dir_len] == '/'))
        return true;
    return environ_has_value(pid, dir);
}
