#include "common/plat/unix/procfs.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
