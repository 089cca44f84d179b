/* su of a rooted phone: "su", "su -c COMMAND" (Magisk), "su 0 COMMAND" (AOSP). Set-uid root where
 * uids are real. */
#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "lab/phone/commands/commands.h"
#include "lab/phone/ids.h"

static int fail(const char *what, const char *value)
{
    fprintf(stderr, "su: %s%s\n", what, value);
    return 1;
}

/* By number or name; false: there is no such user here. */
static bool find_user(const char *name, enum mgl_identity *ret_identity)
{
    if (strcmp(name, "0") == 0 || strcmp(name, "root") == 0)
        *ret_identity = MGL_ROOT;
    else if (strcmp(name, "2000") == 0 || strcmp(name, "shell") == 0)
        *ret_identity = MGL_SHELL;
    else
        return false;
    return true;
}

static bool become(enum mgl_identity identity)
{
    if (!mgl_ids_probe())
        return true; /* everybody is root already */
    if (identity == MGL_SHELL)
        return mgl_identity_take(MGL_SHELL);
    return setgroups(0, NULL) == 0 && setresgid(0, 0, 0) == 0 && setresuid(0, 0, 0) == 0;
}

/* All words after -c are one command, as its own shell would have got them. */
static int run_line(int argc, char **argv)
{
    struct mgc_buf line = {0};
    for (int i = 0; i < argc; i++)
        mgc_buf_printf(&line, "%s%s", i ? " " : "", argv[i]);
    execl("/system/bin/sh", "sh", "-c", mgc_buf_text(&line), (char *)NULL);
    return fail("cannot run a shell: ", strerror(errno));
}

int mgl_command_su(int argc, char **argv)
{
    enum mgl_identity identity = MGL_ROOT;
    uid_t caller = getuid();
    int at = 1;
    if (mgl_ids_probe() && caller != MGL_UID_ROOT && caller != MGL_UID_SHELL)
        return fail("not allowed", "");
    if (at < argc && argv[at][0] != '-') {
        if (!find_user(argv[at], &identity))
            return fail("invalid uid/gid: ", argv[at]);
        at++;
    }
    bool line = at < argc && strcmp(argv[at], "-c") == 0;
    if (at < argc && argv[at][0] == '-' && !line)
        return fail("invalid option: ", argv[at]);
    if (line && at + 1 == argc)
        return fail("option requires an argument: ", "-c");
    if (!become(identity))
        return fail("permission denied: ", strerror(errno));
    if (line)
        return run_line(argc - at - 1, argv + at + 1);
    if (at == argc) {
        execl("/system/bin/sh", "sh", (char *)NULL);
        return fail("cannot run a shell: ", strerror(errno));
    }
    execvp(argv[at], argv + at);
    fprintf(stderr, "su: exec failed for %s: %s\n", argv[at], strerror(errno));
    return 127;
}
