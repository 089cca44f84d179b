#include "lab/phone/root.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/hash.h"
#include "common/base/path.h"
#include "lab/phone/data_tree.h"
#include "lab/phone/ids.h"
#include "lab/phone/mounts.h"
#include "lab/phone/sys/tree.h"
#include "lab/phone/system_tree.h"

/* The new root is the current directory while it is being built, so targets are relative. */

/* The host's libraries under their own names; a merged /usr has links where others have folders. */
static bool bind_libraries(struct mgc_error *err)
{
    static const char *const dirs[] = {"/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libx32",
        "/lib", "/lib32", "/lib64", "/libx32"};
    for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
        const char *target = dirs[i] + 1;
        char link[PATH_MAX];
        struct stat st;
        if (lstat(dirs[i], &st) != 0)
            continue;
        if (!S_ISLNK(st.st_mode)) {
            if (!mgl_make_dir(target, 0755, err) || !mgl_bind(dirs[i], target, true, err))
                return false;
            continue;
        }
        ssize_t len = readlink(dirs[i], link, sizeof(link) - 1);
        if (len < 0)
            return mgc_error_errno(err, errno, "read the link '%s'", dirs[i]);
        link[len] = 0;
        if (!mgl_make_link(link, target, err))
            return false;
    }
    return true;
}

static bool make_dev(struct mgc_error *err)
{
    static const char *const nodes[] = {
        "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"};
    if (!mgl_make_dir("dev", 0755, err) || !mgl_mount("tmpfs", "dev", "tmpfs", 0, "mode=755", err))
        return false;
    for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++)
        if (!mgl_make_file(nodes[i] + 1, NULL, 0, 0666, err) ||
            !mgl_bind(nodes[i], nodes[i] + 1, false, err))
            return false;
    return mgl_make_link("/proc/self/fd", "dev/fd", err) &&
           mgl_make_link("fd/0", "dev/stdin", err) && mgl_make_link("fd/1", "dev/stdout", err) &&
           mgl_make_link("fd/2", "dev/stderr", err) && mgl_make_link("pts/ptmx", "dev/ptmx", err) &&
           mgl_make_dir("dev/socket", 0755, err) && mgl_make_dir("dev/pts", 0755, err) &&
           mgl_mount("devpts", "dev/pts", "devpts", MS_NOSUID | MS_NOEXEC,
               "newinstance,ptmxmode=0666,mode=620", err);
}

/* The kernel's own boot id is the host's: ours lies over it, in a file that a restart rewrites. */
bool mgl_root_new_boot_id(struct mgc_error *err)
{
    unsigned char id[16];
    char text[40];
    size_t len = 0;
    mgc_random_bytes(id, sizeof(id));
    for (size_t i = 0; i < sizeof(id); i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%02x",
            i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", id[i]);
    text[len++] = '\n';
    return mgl_make_file("dev/boot_id", text, len, 0444, err);
}

static bool hide_boot_id(struct mgc_error *err)
{
    return mgl_root_new_boot_id(err) &&
           mgl_bind("dev/boot_id", "proc/sys/kernel/random/boot_id", true, err);
}

/* As Android: an app sees its own processes only, the shell (group readproc) all. */
static bool make_proc(struct mgc_error *err)
{
    char data[64];
    snprintf(data, sizeof(data), "hidepid=2,gid=%d", MGL_GID_READPROC);
    return mgl_make_dir("proc", 0555, err) &&
           mgl_mount("proc", "proc", "proc", MS_NOSUID | MS_NOEXEC | MS_NODEV,
               mgl_ids_are_real() ? data : NULL, err);
}

static bool bind_run(const struct mgl_options *options, struct mgc_error *err)
{
    const char *source = options->run_dir ? options->run_dir : "/run/mglab";
    if (!mgl_make_dir("run/mglab", 0755, err))
        return false;
    if (!options->run_dir && access(source, F_OK) != 0)
        return true;
    return mgl_bind(source, "run/mglab", false, err);
}

/* Afterwards the old root is gone from this namespace, and ours cannot be written to. */
static bool pivot(struct mgc_error *err)
{
    if (syscall(SYS_pivot_root, ".", ".") != 0)
        return mgc_error_errno(err, errno, "change to the phone's root");
    if (umount2(".", MNT_DETACH) != 0 || chdir("/") != 0)
        return mgc_error_errno(err, errno, "leave the host's root");
    if (mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) != 0)
        return mgc_error_errno(err, errno, "make the phone's root read-only");
    return true;
}

static bool enter_empty_root(const char *data, struct mgc_error *err)
{
    char root[PATH_MAX];
    if (!mgc_path_join(root, sizeof(root), data, "root"))
        return mgc_error_set(err, MGC_E_CONFIG, "the path '%s' is too long", data);
    if (!mgl_make_dir(root, 0755, err) || !mgl_mount("tmpfs", root, "tmpfs", 0, "mode=755", err))
        return false;
    return chdir(root) == 0 || mgc_error_errno(err, errno, "enter '%s'", root);
}

bool mgl_root_build(const struct mgl_options *options, struct mgc_error *err)
{
    umask(0);
    bool ok = mgl_data_tree_make(options, err) && enter_empty_root(options->data, err) &&
              bind_libraries(err) && make_dev(err) && make_proc(err) && hide_boot_id(err) &&
              mgl_sys_tree_make(err) && bind_run(options, err) &&
              mgl_data_tree_bind(options, err) && mgl_system_tree_make(options, err);
    umask(022);
    return ok;
}

bool mgl_root_enter(const struct mgl_options *options, struct mgc_error *err)
{
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        return mgc_error_errno(err, errno, "make the phone's mounts private");
    return mgl_root_build(options, err) && pivot(err);
}
