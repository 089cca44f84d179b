#include "lab/phone/flat.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "common/base/path.h"
#include "common/plat/file.h"
#include "common/plat/host.h"
#include "lab/phone/identity.h"
#include "lab/phone/ids.h"
#include "lab/phone/mounts.h"
#include "lab/phone/root.h"
#include "lab/phone/spawn.h"

enum { ARGS_MAX = 2 * MGL_MOUNTS_MAX + 24 };

static bool build(const struct mgl_options *options, struct mgl_mount_list *list,
    char ret_root[PATH_MAX], struct mgc_error *err)
{
    static char self[PATH_MAX];
    if (!mgc_path_join(ret_root, PATH_MAX, options->data, "root"))
        return mgc_error_set(err, MGC_E_CONFIG, "the path '%s' is too long", options->data);
    mgl_ids_set_real(false);
    mgl_mounts_record(list);
    return mgc_host_program(self, sizeof(self), err) && mgc_dir_remove(ret_root, err) &&
           mgl_root_build(options, err) &&
           mgl_make_file(&MGL_IDS_ONE_MARK[1], NULL, 0, 0444, err) &&
           mgl_make_file("system/bin/mgphone", NULL, 0, 0755, err) &&
           mgl_bind(self, "system/bin/mgphone", true, err);
}

static void add_inside(const char **argv, size_t *count, const struct mgl_phone *phone)
{
    static char fd[16], journal[16];
    snprintf(fd, sizeof(fd), "%d", phone->listener);
    snprintf(journal, sizeof(journal), "%d", phone->journal_fd);
    const char *const words[] = {"/system/bin/mgphone", "--inside-fd", fd, "--journal-fd", journal,
        "--data", "/data", "--listen", phone->options->listen, "--latency",
        phone->options->latency ? phone->options->latency : "none", "--serialno",
        phone->options->serialno ? phone->options->serialno : MGL_SERIALNO};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        argv[(*count)++] = words[i];
    argv[*count] = NULL;
}

/* Only returns when something failed. */
static void become_proot(
    const struct mgl_phone *phone, const struct mgl_mount_list *list, const char *root)
{
    const char *argv[ARGS_MAX] = {"proot", "-r", root, "-w", "/"};
    size_t count = 5;
    for (size_t i = 0; i < list->count; i++) {
        argv[count++] = "-b";
        argv[count++] = list->items[i];
    }
    add_inside(argv, &count, phone);
    unsetenv("MGLAB_RUN"); /* a directory of the host; ours is bound to its usual place */
    fcntl(phone->listener, F_SETFD, 0);
    fcntl(phone->journal_fd, F_SETFD, 0);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execvp("proot", (char *const *)argv);
    fprintf(stderr,
        "mgphone: starting proot: %s; the package proot is needed where namespaces "
        "cannot be made\n",
        strerror(errno));
}

pid_t mgl_flat_start(struct mgl_phone *phone, struct mgc_error *err)
{
    static struct mgl_mount_list list;
    char root[PATH_MAX];
    if (!build(phone->options, &list, root, err))
        return -1;
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent)
            become_proot(phone, &list, root);
        _exit(127);
    }
    if (pid < 0)
        mgc_error_errno(err, errno, "fork for proot");
    return pid;
}

/* proot itself ignores SIGTERM; its only child is the phone. */
void mgl_flat_end(pid_t proot)
{
    char path[64];
    int child = 0;
    snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)proot, (int)proot);
    FILE *file = fopen(path, "re");
    if (file && fscanf(file, "%d", &child) == 1)
        kill(child, SIGTERM);
    else
        kill(proot, SIGKILL); /* there is no phone yet */
    if (file)
        fclose(file);
}

void mgl_flat_clean(const struct mgl_options *options)
{
    char root[PATH_MAX];
    if (mgc_path_join(root, sizeof(root), options->data, "root"))
        mgc_dir_remove(root, NULL);
}

void mgl_flat_settle(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    mgl_mounts_forbid();
    mgl_spawn_tie();
}
