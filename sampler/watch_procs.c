#include "sampler/watch.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "sampler/proc.h"

enum {
    SLOWER = 10, /* once a process is there, new ones are no hurry */
    LOOK_MS = 50,
};

static void tell(struct mgd_procs *procs, enum mgc_device_proc_what what, const struct mgd_one *one,
    const char *cmdline)
{
    mgd_send(procs->session, &(struct mgc_device_msg){.type = MGC_DEVICE_PROC,
                                 .id = procs->id,
                                 .proc = {.what = (uint16_t)what,
                                     .pid = one->pid,
                                     .ppid = one->ppid,
                                     .uid = one->uid,
                                     .start_ticks = one->start_ticks,
                                     .mono_ns = mgc_mono_ns(),
                                     .comm = one->comm,
                                     .cmdline = cmdline}});
}

static struct mgd_one *find(struct mgd_procs *procs, uint32_t pid)
{
    for (size_t i = 0; i < procs->count; i++)
        if (procs->items[i].pid == pid)
            return &procs->items[i];
    return NULL;
}

/* The number may have gone to another process before the pidfd was open: what is read after it is
 * of the process that the pidfd holds, or that one has ended, which the pidfd then says. */
static void add(struct mgd_procs *procs, uint32_t pid, enum mgc_device_proc_what what)
{
    struct mgd_proc proc;
    int fd = mgd_pidfd((int)pid);
    if (procs->count == MGD_PROCS_MAX || !mgd_proc_read(pid, &proc)) {
        if (fd >= 0)
            close(fd);
        return;
    }
    struct mgd_one *one = &procs->items[procs->count++];
    *one = (struct mgd_one){.pid = pid,
        .ppid = proc.stat.ppid,
        .uid = proc.uid,
        .start_ticks = proc.stat.start_ticks,
        .fd = fd};
    snprintf(one->comm, sizeof(one->comm), "%s", proc.stat.comm);
    if (fd < 0)
        procs->next_look_ns = mgc_deadline_min(procs->next_look_ns, mgc_deadline_in_ms(LOOK_MS));
    tell(procs, what, one, proc.cmdline);
}

static void scan(struct mgd_procs *procs, enum mgc_device_proc_what what)
{
    DIR *dir = opendir("/proc");
    const struct dirent *entry;
    char argv0[512];
    while (dir && (entry = readdir(dir))) {
        char *end;
        unsigned long pid = strtoul(entry->d_name, &end, 10);
        if (pid == 0 || *end || pid == (unsigned long)getpid() || find(procs, (uint32_t)pid))
            continue;
        if (mgd_proc_argv0((uint32_t)pid, argv0, sizeof(argv0)) &&
            mgd_of_package(argv0, procs->package))
            add(procs, (uint32_t)pid, what);
    }
    if (dir)
        closedir(dir);
    procs->next_scan_ns = mgc_mono_ns() + procs->scan_ns * (procs->count ? SLOWER : 1);
}

static void ended(struct mgd_procs *procs, size_t index)
{
    struct mgd_one one = procs->items[index];
    procs->items[index] = procs->items[--procs->count];
    if (one.fd >= 0)
        close(one.fd);
    tell(procs, MGC_DEVICE_PROC_ENDED, &one, "");
    if (procs->package)
        procs->next_scan_ns = mgc_deadline_min(procs->next_scan_ns, mgc_mono_ns() + procs->scan_ns);
}

bool mgd_procs_open(struct mgd_procs *procs, struct mgd_session *session, uint32_t id,
    const char *package, uint32_t pid, int64_t scan_ns)
{
    *procs = (struct mgd_procs){.session = session,
        .id = id,
        .scan_ns = scan_ns,
        .next_scan_ns = MGC_NEVER,
        .next_look_ns = MGC_NEVER};
    if (pid)
        add(procs, pid, MGC_DEVICE_PROC_FOUND);
    if (!package[0])
        return true;
    procs->package = strdup(package);
    if (procs->package)
        scan(procs, MGC_DEVICE_PROC_FOUND);
    return procs->package;
}

size_t mgd_procs_fds(const struct mgd_procs *procs, struct pollfd *fds, size_t room)
{
    size_t used = 0;
    for (size_t i = 0; i < procs->count && used < room; i++)
        if (procs->items[i].fd >= 0)
            fds[used++] = (struct pollfd){procs->items[i].fd, POLLIN, 0};
    return used;
}

void mgd_procs_ready(struct mgd_procs *procs, const struct pollfd *fds, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        for (size_t i = 0; fds[k].revents && i < procs->count; i++) {
            if (procs->items[i].fd == fds[k].fd) {
                ended(procs, i);
                break;
            }
        }
    }
}

int64_t mgd_procs_due(const struct mgd_procs *procs)
{
    return mgc_deadline_min(procs->next_scan_ns, procs->next_look_ns);
}

/* A kernel without pidfd: is it still the one that we saw? */
static void look(struct mgd_procs *procs)
{
    struct mgd_proc proc;
    bool more = false;
    for (size_t i = procs->count; i-- > 0;) {
        const struct mgd_one *one = &procs->items[i];
        if (one->fd >= 0)
            continue;
        if (mgd_proc_read(one->pid, &proc) && proc.stat.start_ticks == one->start_ticks)
            more = true;
        else
            ended(procs, i);
    }
    procs->next_look_ns = more ? mgc_deadline_in_ms(LOOK_MS) : MGC_NEVER;
}

void mgd_procs_tick(struct mgd_procs *procs)
{
    if (mgc_deadline_past(procs->next_look_ns))
        look(procs);
    if (procs->package && mgc_deadline_past(procs->next_scan_ns))
        scan(procs, MGC_DEVICE_PROC_STARTED);
}

void mgd_procs_close(struct mgd_procs *procs)
{
    for (size_t i = 0; i < procs->count; i++)
        if (procs->items[i].fd >= 0)
            close(procs->items[i].fd);
    free(procs->package);
    *procs = (struct mgd_procs){0};
}
