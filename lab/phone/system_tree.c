#include "lab/phone/system_tree.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/path.h"
#include "common/plat/file.h"
#include "lab/phone/ids.h"
#include "lab/phone/mounts.h"
#include "lab/phone/names.h"
#include "lab/phone/packages.h"
#include "lab/phone/rooted.h"

#define TOYBOX "/usr/bin/toybox"
#define MKSH   "/usr/bin/mksh-static" /* starts in a third of the time of the dynamic one */

enum { PROGRAM_SIZE_MAX = 256 << 20, APPLETS_MIN = 50 };

static const char passwd_text[] = "root:x:0:0::/:/system/bin/sh\n"
                                  "system:x:1000:1000::/:/system/bin/sh\n"
                                  "shell:x:2000:2000::/:/system/bin/sh\n";

static const char group_text[] =
    "root:x:0:\nsystem:x:1000:\ninput:x:1004:\nlog:x:1007:\nadb:x:1011:\nsdcard_rw:x:1015:\n"
    "sdcard_r:x:1028:\nshell:x:2000:\nnet_bt_admin:x:3001:\nnet_bt:x:3002:\ninet:x:3003:\n"
    "readproc:x:3009:\neverybody:x:9997:\n";

/* Bind one host program as /system/bin/NAME. */
static bool bind_program(const char *source, const char *name, struct mgc_error *err)
{
    char target[128];
    snprintf(target, sizeof(target), "system/bin/%s", name);
    return mgl_make_file(target, NULL, 0, 0755, err) && mgl_bind(source, target, true, err);
}

static bool link_program(const char *program, const char *name, struct mgc_error *err)
{
    char target[128];
    snprintf(target, sizeof(target), "system/bin/%s", name);
    return mgl_make_link(program, target, err);
}

/* run-as must change its uid when the shell calls it, so it is a set-uid copy, not a link. */
static bool copy_run_as(const char *source, struct mgc_error *err)
{
    static const char target[] = "system/bin/run-as";
    struct mgc_buf data = {0};
    bool ok = mgc_file_read(source, PROGRAM_SIZE_MAX, &data, err) &&
              mgl_make_file(target, data.data, data.len, 0755, err);
    mgc_buf_destroy(&data);
    if (ok && mgl_ids_are_real() &&
        (chown(target, 0, MGL_UID_SHELL) != 0 || chmod(target, 04750) != 0))
        return mgc_error_errno(err, errno, "make '%s' set-uid", target);
    return ok;
}

/* Our commands win over applets of the same name: they are linked first. */
static bool make_commands(const struct mgl_options *options, struct mgc_error *err)
{
    char app[PATH_MAX], cmd[PATH_MAX];
    if (!mgc_path_join(app, sizeof(app), options->tools, "mgphone-app") ||
        !mgc_path_join(cmd, sizeof(cmd), options->tools, "mgphone-cmd"))
        return mgc_error_set(err, MGC_E_CONFIG, "the path '%s' is too long", options->tools);
    if (!bind_program(app, "mgphone-app", err) || !bind_program(cmd, "mgphone-cmd", err) ||
        !copy_run_as(cmd, err))
        return false;
    for (const char *const *name = mgl_command_names; *name; name++)
        if (!link_program("mgphone-cmd", *name, err))
            return false;
    return !options->flat || link_program("mgphone-cmd", "pidof", err);
}

/* toybox without arguments prints the names of its applets. */
static bool make_applets(const char *toybox, struct mgc_error *err)
{
    char command[PATH_MAX + 8], name[64];
    snprintf(command, sizeof(command), "exec '%s'", toybox);
    if (!bind_program(toybox, "toybox", err))
        return false;
    FILE *list = popen(command, "re");
    if (!list)
        return mgc_error_errno(err, errno, "run '%s'", toybox);
    bool ok = true;
    int count = 0;
    while (ok && fscanf(list, "%63s", name) == 1) {
        ok = strcmp(name, "su") == 0 || link_program("toybox", name, err); /* phones have none */
        count++;
    }
    int status = pclose(list);
    if (ok && (status != 0 || count < APPLETS_MIN))
        return mgc_error_set(err, MGC_E_UNSUPPORTED,
            "'%s' lists %d applets with wait status %d, a working toybox expected", toybox, count,
            status);
    return ok;
}

/* Users and groups: the fixed ones and u0_a123, u0_a124 ... for the apps. */
static bool make_users(struct mgc_error *err)
{
    struct mgc_buf users = {0}, groups = {0};
    mgc_buf_puts(&users, passwd_text);
    mgc_buf_puts(&groups, group_text);
    for (const struct mgl_package *package = mgl_packages; package->name; package++) {
        unsigned uid = mgl_package_uid(package), number = uid - 10000;
        if (!mgl_package_is_app(package))
            continue;
        mgc_buf_printf(&users, "u0_a%u:x:%u:%u::/data/user/0/%s:/system/bin/sh\n", number, uid, uid,
            package->name);
        mgc_buf_printf(&groups, "u0_a%u:x:%u:\nall_a%u:x:%u:\n", number, uid, number,
            MGL_GID_APP_SHARED + (unsigned)(package->identity - MGL_APP));
    }
    bool ok = mgl_make_file("system/etc/passwd", users.data, users.len, 0644, err) &&
              mgl_make_file("system/etc/group", groups.data, groups.len, 0644, err);
    mgc_buf_destroy(&users);
    mgc_buf_destroy(&groups);
    return ok;
}

static bool make_etc(struct mgc_error *err)
{
    static const char cache[] = "/etc/ld.so.cache";
    if (!mgl_make_dir("system/etc", 0755, err) || !make_users(err) ||
        !mgl_make_link("/system/etc", "etc", err))
        return false;
    if (access(cache, R_OK) != 0)
        return true;
    return mgl_make_file("system/etc/ld.so.cache", NULL, 0, 0644, err) &&
           mgl_bind(cache, "system/etc/ld.so.cache", true, err);
}

bool mgl_system_tree_make(const struct mgl_options *options, struct mgc_error *err)
{
    return mgl_make_dir("system/bin", 0755, err) && mgl_rooted_make_place(err) &&
           make_commands(options, err) &&
           bind_program(options->shell ? options->shell : MKSH, "sh", err) &&
           make_applets(options->toybox ? options->toybox : TOYBOX, err) && make_etc(err);
}
