/* run-as: run a command as an app's uid, in its directory. Set-uid root where uids are real. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "lab/knob/knob.h"
#include "lab/phone/commands/commands.h"
#include "lab/phone/control.h"
#include "lab/phone/ids.h"
#include "lab/phone/packages.h"

static int fail(const char *fmt, const char *value)
{
    fputs("run-as: ", stderr);
    fprintf(stderr, "%s%s\n", fmt, value);
    return 1;
}

enum { SLOW_MS = 20 };

/* Words as in Android's run-as.cpp. */
static const struct mgl_package *find_package(const char *name)
{
    const struct mgl_package *package = mgl_package_find(name);
    if (!package) {
        fail("unknown package: ", name);
        return NULL;
    }
    if (!package->debuggable) {
        fail("package not debuggable: ", name);
        return NULL;
    }
    return package;
}

/* Not from the environment, which the caller makes: from the maps of this user namespace. */
static bool become_app(const struct mgl_package *package)
{
    return mgl_identity_take(package->identity);
}

int mgl_command_run_as(int argc, char **argv)
{
    uid_t caller = getuid();
    if (mgl_ids_probe() && caller != MGL_UID_ROOT && caller != MGL_UID_SHELL)
        return fail("only 'shell' or 'root' users can run this program", "");
    if (argc < 2)
        return fail("usage: run-as <package-name> [--user <uid>] [<command>] [<args>]", "");
    const struct mgl_package *package = find_package(argv[1]);
    if (!package)
        return 1;
    int first = argc > 3 && strcmp(argv[2], "--user") == 0 ? 4 : 2;
    if (first == 4 && strcmp(argv[3], "0") != 0)
        return fail("invalid user ID: ", argv[3]);
    struct mgl_knob slow;
    if (mgl_knob_get("phone-slow-storage", &slow))
        mgc_sleep_ms(mgl_knob_number(&slow, SLOW_MS));
    if (!become_app(package))
        return fail("setresuid failed: ", strerror(errno));
    char home[256];
    snprintf(home, sizeof(home), "/data/user/0/%s", package->name);
    if (chdir(home) != 0) {
        fprintf(stderr, "run-as: couldn't chdir to %s: %s\n", home, strerror(errno));
        return 1;
    }
    if (first >= argc) {
        execl("/system/bin/sh", "-sh", (char *)NULL);
        return fail("exec failed: ", strerror(errno));
    }
    execvp(argv[first], argv + first);
    fprintf(stderr, "run-as: exec failed for %s: %s\n", argv[first], strerror(errno));
    return 1;
}
