#include "lab/world/visitors.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int mgc_lab_stat_parent(const char *text)
{
    int parent;
    const char *end = strrchr(text, ')'); /* a name may hold anything, also this */
    return end != NULL && sscanf(end, ") %*c %d", &parent) == 1 ? parent : -1;
}

static bool is_visitor(const char *name)
{
    char path[64], text[512];
    int pid = atoi(name);
    if (pid <= 1)
        return false;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false; /* it has just ended */
    size_t len = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[len] = '\0';
    return mgc_lab_stat_parent(text) == 0;
}

bool mgc_lab_has_visitors(void)
{
    bool found = false;
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    while (proc != NULL && !found && (entry = readdir(proc)) != NULL)
        found = is_visitor(entry->d_name);
    if (proc != NULL)
        closedir(proc);
    return found;
}
