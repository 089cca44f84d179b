/* PROCS: the processes of a package, once. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#include "common/base/clock.h"
#include "common/device/errnum.h"
#include "sampler/proc.h"
#include "sampler/session.h"

static void tell(struct mgd_session *session, uint32_t id, const struct mgd_proc *proc)
{
    mgd_send(session, &(struct mgc_device_msg){.type = MGC_DEVICE_PROC,
                          .id = id,
                          .proc = {.what = MGC_DEVICE_PROC_FOUND,
                              .pid = proc->pid,
                              .ppid = proc->stat.ppid,
                              .uid = proc->uid,
                              .start_ticks = proc->stat.start_ticks,
                              .mono_ns = mgc_mono_ns(),
                              .comm = proc->stat.comm,
                              .cmdline = proc->cmdline}});
}

void mgd_start_procs(struct mgd_session *session, const struct mgc_device_msg *msg)
{
    DIR *dir = opendir("/proc");
    const struct dirent *entry;
    char argv0[512];
    if (!dir) {
        mgd_failed(session, msg->id, mgc_device_errnum_code(errno), errno, "/proc");
        return;
    }
    while ((entry = readdir(dir))) {
        struct mgd_proc proc;
        char *end;
        unsigned long pid = strtoul(entry->d_name, &end, 10);
        if (pid == 0 || *end || !mgd_proc_argv0((uint32_t)pid, argv0, sizeof(argv0)))
            continue;
        if ((!msg->procs.package[0] || mgd_of_package(argv0, msg->procs.package)) &&
            mgd_proc_read((uint32_t)pid, &proc))
            tell(session, msg->id, &proc);
    }
    closedir(dir);
    mgd_done(session, msg->id);
}
