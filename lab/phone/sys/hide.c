#include "lab/phone/sys/hide.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lab/phone/sys/state.h"

#define HIDDEN MGL_SYS_HIDDEN "/node"

static bool check(const char *path, struct mgc_error *err)
{
    return (strncmp(path, "/sys/", 5) == 0 && path[5] && !strstr(path, "/..") &&
               strlen(path) < PATH_MAX) ||
           mgc_error_set(err, MGC_E_USAGE, "'%s' is no path below /sys", path);
}

bool mgl_sys_hide(const char *path, struct mgc_error *err)
{
    static char hidden[PATH_MAX]; /* where it was; "": nothing is hidden */
    if (hidden[0] && rename(HIDDEN, hidden) != 0)
        return mgc_error_errno(err, errno, "bring back '%s'", hidden);
    hidden[0] = '\0';
    if (!path)
        return true;
    if (!check(path, err))
        return false;
    if (rename(path, HIDDEN) != 0)
        return mgc_error_errno(err, errno, "hide '%s'", path);
    strcpy(hidden, path);
    return true;
}

bool mgl_sys_lock(const char *path, struct mgc_error *err)
{
    static char locked[PATH_MAX];
    static mode_t mode;
    struct stat st;
    if (locked[0] && chmod(locked, mode) != 0)
        return mgc_error_errno(err, errno, "unlock '%s'", locked);
    locked[0] = '\0';
    if (!path)
        return true;
    if (!check(path, err))
        return false;
    if (stat(path, &st) != 0 || chmod(path, 0) != 0)
        return mgc_error_errno(err, errno, "lock '%s'", path);
    strcpy(locked, path);
    mode = st.st_mode & 07777;
    return true;
}
