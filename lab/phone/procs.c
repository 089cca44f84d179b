#include "lab/phone/procs.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/parse.h"

enum { PROCS_MAX = 4096, ROUNDS_MAX = 20, KILL_WAIT_MS = 2000, ENVIRON_MAX = 64 * 1024 };

struct proc {
    pid_t pid, parent;
    uint64_t start_ticks; /* with the pid: names one process for good */
    bool zombie;
    bool ours;
};

struct table {
    struct proc procs[PROCS_MAX];
    size_t count;
};

bool mgl_procs_environ_has(const char *block, size_t len, const char *key, const char *value)
{
    size_t key_len = strlen(key), value_len = strlen(value);
    for (size_t at = 0; at < len;) {
        size_t entry_len = strnlen(block + at, len - at);
        if (entry_len == key_len + 1 + value_len && memcmp(block + at, key, key_len) == 0 &&
            block[at + key_len] == '=' && memcmp(block + at + key_len + 1, value, value_len) == 0)
            return true;
        at += entry_len + 1;
    }
    return false;
}

static ssize_t read_proc_file(pid_t pid, const char *name, char *data, size_t size)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t total = 0, got;
    while ((size_t)total < size && (got = read(fd, data + total, size - (size_t)total)) > 0)
        total += got;
    close(fd);
    return total;
}

static bool has_mark(pid_t pid, const char *mark)
{
    static char block[ENVIRON_MAX];
    ssize_t len = read_proc_file(pid, "environ", block, sizeof(block));
    return len > 0 && mgl_procs_environ_has(block, (size_t)len, MGL_APP_MARKER, mark);
}

/* "PID (NAME) STATE PPID ... STARTTIME ..." (fields 3, 4 and 22 of proc(5)); the name may hold
 * anything, so look from its last bracket on. */
static bool read_stat(pid_t pid, struct proc *ret_proc)
{
    char text[1024];
    ssize_t len = read_proc_file(pid, "stat", text, sizeof(text) - 1);
    if (len <= 0)
        return false;
    text[len] = 0;
    const char *end = strrchr(text, ')');
    char state;
    int parent;
    unsigned long long start;
    if (!end || sscanf(end + 1,
                    " %c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
                    &state, &parent, &start) != 3)
        return false;
    *ret_proc = (struct proc){
        .pid = pid, .parent = parent, .start_ticks = start, .zombie = state == 'Z' || state == 'X'};
    return true;
}

bool mgl_procs_descends(pid_t pid, pid_t root)
{
    struct proc proc;
    for (int depth = 0; depth < PROCS_MAX && pid > 1 && pid != root; depth++)
        pid = read_stat(pid, &proc) ? proc.parent : 0;
    return pid == root;
}

static void read_table(struct table *table, const char *mark)
{
    table->count = 0;
    DIR *dir = opendir("/proc");
    const struct dirent *entry;
    while (dir && table->count < PROCS_MAX && (entry = readdir(dir))) {
        int64_t pid;
        struct proc *proc = &table->procs[table->count];
        if (!mgc_parse_int(entry->d_name, 2, INT32_MAX, &pid) || !read_stat((pid_t)pid, proc))
            continue;
        proc->ours = has_mark(proc->pid, mark);
        table->count++;
    }
    if (dir)
        closedir(dir);
}

static bool is_ours(const struct table *table, pid_t pid)
{
    for (size_t i = 0; i < table->count; i++)
        if (table->procs[i].pid == pid)
            return table->procs[i].ours;
    return false;
}

/* Children of ours are ours, to any depth. */
static void mark_descendants(struct table *table, const pid_t *roots, size_t root_count)
{
    for (size_t i = 0; i < table->count; i++)
        for (size_t k = 0; k < root_count; k++)
            if (table->procs[i].pid == roots[k])
                table->procs[i].ours = true;
    bool changed = true;
    while (changed) {
        changed = false;
        for (size_t i = 0; i < table->count; i++) {
            struct proc *proc = &table->procs[i];
            if (proc->ours || !is_ours(table, proc->parent))
                continue;
            proc->ours = true;
            changed = true;
        }
    }
}

static bool in_list(const pid_t *list, size_t count, pid_t pid)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == pid)
            return true;
    return false;
}

/* By pidfd: once it is open the number cannot come to mean another process. Between the scan and
 * the opening it can, so the start time is looked at again. */
static void kill_and_wait(const struct proc *proc, int64_t deadline_ns)
{
    struct proc now;
    int fd = (int)syscall(SYS_pidfd_open, proc->pid, 0);
    if (fd < 0)
        return;
    if (read_stat(proc->pid, &now) && now.start_ticks == proc->start_ticks) {
        syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        poll(&wait, 1, mgc_deadline_poll_ms(deadline_ns));
    }
    close(fd);
}

/* One look at the table: kill what is ours; the roots only once nothing else is left, because
 * while they live, orphans stay below them. Returns how many were found alive. */
static size_t kill_round(
    const char *mark, const pid_t *roots, size_t root_count, bool kill_roots, int64_t deadline_ns)
{
    static struct table table;
    size_t found = 0;
    read_table(&table, mark);
    mark_descendants(&table, roots, root_count);
    for (size_t i = 0; i < table.count; i++) {
        const struct proc *proc = &table.procs[i];
        if (!proc->ours || proc->zombie || (!kill_roots && in_list(roots, root_count, proc->pid)))
            continue;
        kill_and_wait(proc, deadline_ns);
        found++;
    }
    return found;
}

bool mgl_procs_kill_app(const char *mark, const pid_t *roots, size_t root_count)
{
    int64_t deadline_ns = mgc_deadline_in_ms(KILL_WAIT_MS);
    /* Android kills all at one stroke: none may see another's end and act on it. */
    for (size_t i = 0; i < root_count; i++)
        kill(roots[i], SIGSTOP);
    for (int step = 0; step < 2; step++) {
        int rounds = 0;
        while (kill_round(mark, roots, root_count, step == 1, deadline_ns) > 0)
            if (++rounds == ROUNDS_MAX || mgc_deadline_past(deadline_ns))
                return false;
    }
    return true;
}

bool mgl_procs_kill_below(void)
{
    int64_t deadline_ns = mgc_deadline_in_ms(KILL_WAIT_MS);
    const pid_t self = getpid();
    while (kill_round("", &self, 1, false, deadline_ns) > 0)
        if (mgc_deadline_past(deadline_ns))
            return false;
    return true;
}
