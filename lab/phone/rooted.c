#include "lab/phone/rooted.h"

#include <errno.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/plat/file.h"
#include "lab/phone/ids.h"
#include "lab/phone/mounts.h"

#define SU "/system/xbin/su"

enum { PROGRAM_SIZE_MAX = 256 << 20 };

/* A file system of its own: the rest of the root is read-only. */
bool mgl_rooted_make_place(struct mgc_error *err)
{
    return mgl_make_dir("system/xbin", 0755, err) &&
           mgl_mount("tmpfs", "system/xbin", "tmpfs", MS_NODEV, "mode=755", err);
}

/* A set-uid copy, as run-as: for root and the shell. */
bool mgl_rooted_set(bool rooted, struct mgc_error *err)
{
    struct mgc_buf data = {0};
    if (!rooted)
        return mgc_file_remove(SU, err);
    bool ok = mgc_file_read("/system/bin/mgphone-cmd", PROGRAM_SIZE_MAX, &data, err) &&
              mgl_make_file(SU, data.data, data.len, 0755, err);
    mgc_buf_destroy(&data);
    if (ok && mgl_ids_are_real() &&
        (chown(SU, MGL_UID_ROOT, MGL_UID_SHELL) != 0 || chmod(SU, 04750) != 0))
        return mgc_error_errno(err, errno, "make '%s' set-uid", SU);
    return ok;
}
