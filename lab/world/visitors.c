#include "lab/world/visitors.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int mgc_lab_stat_parent(const char *text)
{
    int parent;
    const char *end = strrchr(text, ')'); /* a name may hold anything, also this */
    return end != NULL && sscanf(end, ") %*c %d", &parent) == 1 ? parent : -1;
}

bool mgc_lab_environ_visits(const char *block, size_t len, const char *state)
{
    static const char mark[] = MGC_LAB_VISITOR "=", home[] = "MGLAB_STATE=";
    bool marked = false, here = false;
    for (size_t at = 0; at < len; at += strnlen(block + at, len - at) + 1) {
        const char *entry = block + at;
        size_t entry_len = strnlen(entry, len - at);
        marked |= entry_len >= strlen(mark) && memcmp(entry, mark, strlen(mark)) == 0;
        here |= entry_len == strlen(home) + strlen(state) &&
                memcmp(entry, home, strlen(home)) == 0 &&
                memcmp(entry + strlen(home), state, strlen(state)) == 0;
    }
    return marked && here;
}

static size_t read_file(const char *pid, const char *name, char *ret_text, size_t size)
{
    char path[300];
    snprintf(path, sizeof path, "/proc/%s/%s", pid, name);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0; /* it has just ended, or is somebody else's */
    size_t len = fread(ret_text, 1, size - 1, file);
    fclose(file);
    ret_text[len] = '\0';
    return len;
}

static bool joined(const char *pid, const char *state)
{
    char text[512];
    return atoi(pid) > 1 && read_file(pid, "stat", text, sizeof text) > 0 &&
           mgc_lab_stat_parent(text) == 0;
}

static bool marked(const char *pid, const char *state)
{
    static char text[65536];
    size_t len = atoi(pid) > 1 ? read_file(pid, "environ", text, sizeof text) : 0;
    return mgc_lab_environ_visits(text, len, state);
}

static bool any(bool (*is_visitor)(const char *pid, const char *state), const char *state)
{
    bool found = false;
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    while (proc != NULL && !found && (entry = readdir(proc)) != NULL)
        found = is_visitor(entry->d_name, state);
    if (proc != NULL)
        closedir(proc);
    return found;
}

bool mgc_lab_has_visitors(void)
{
    return any(joined, "");
}

/* Its parents lead out of the lab, not to the lab's first process. */
static bool is_led_outside(int pid)
{
    char text[512], name[16];
    while (pid > 1) {
        snprintf(name, sizeof name, "%d", pid);
        if (read_file(name, "stat", text, sizeof text) == 0)
            return false;
        pid = mgc_lab_stat_parent(text);
    }
    return pid == 0;
}

/* Hangup, too: a shell that somebody sits at takes no notice of SIGTERM. */
static bool ask(int pidfd)
{
    return syscall(SYS_pidfd_send_signal, pidfd, SIGTERM, NULL, 0) == 0 &&
           syscall(SYS_pidfd_send_signal, pidfd, SIGHUP, NULL, 0) == 0;
}

size_t mgc_lab_ask_visitors(int *ret_fds, size_t max)
{
    size_t count = 0;
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    while (proc != NULL && count < max && (entry = readdir(proc)) != NULL) {
        int pid = atoi(entry->d_name);
        int fd = pid > 1 && is_led_outside(pid) ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
        if (fd >= 0 && ask(fd))
            ret_fds[count++] = fd;
        else if (fd >= 0)
            close(fd);
    }
    if (proc != NULL)
        closedir(proc);
    return count;
}

bool mgc_lab_has_local_visitors(const char *state)
{
    return any(marked, state);
}
