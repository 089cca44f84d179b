/* Private namespaces for a whole test program. Call it first in main, before there are threads. */
#ifndef MGC_TESTS_LIB_NAMESPACE_H
#define MGC_TESTS_LIB_NAMESPACE_H

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

enum { CHECK_SKIP = 77 }; /* meson's exit code for a skipped test */

static inline bool namespace_put(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        close(fd);
    return ok;
}

/* Become root of new user, mount and network namespaces. False with a printed reason where the
 * system does not allow it: return CHECK_SKIP then. */
static inline bool namespace_enter(void)
{
    char uid[64], gid[64];
    snprintf(uid, sizeof(uid), "0 %ld 1\n", (long)geteuid());
    snprintf(gid, sizeof(gid), "0 %ld 1\n", (long)getegid());
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET) != 0) {
        printf("1..0 # SKIP cannot make user, mount and network namespaces: %s\n", strerror(errno));
        return false;
    }
    namespace_put("/proc/self/setgroups", "deny");
    if (!namespace_put("/proc/self/uid_map", uid) || !namespace_put("/proc/self/gid_map", gid) ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) {
        printf("1..0 # SKIP cannot become root of the new namespaces: %s\n", strerror(errno));
        return false;
    }
    return true;
}

#endif
