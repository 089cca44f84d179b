#include "common/plat/host.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/plat/file.h"

static void read_boot_id(char *ret_text, size_t size)
{
    struct mgc_buf buf = {0};
    ret_text[0] = '\0';
    if (mgc_file_read("/proc/sys/kernel/random/boot_id", 128, &buf, NULL)) {
        const char *text = mgc_buf_text(&buf);
        snprintf(ret_text, size, "%.*s", (int)strcspn(text, " \r\n"), text);
    }
    mgc_buf_destroy(&buf);
}

bool mgc_host_read(struct mgc_host *ret_host, struct mgc_error *err)
{
    struct utsname names;
    if (uname(&names) != 0)
        return mgc_error_errno(err, errno, "read the host's name and system");
    struct mgc_host host = {0};
    /* A longer name is cut: these are labels. */
    snprintf(host.name, sizeof(host.name), "%.63s", names.nodename);
    snprintf(host.os, sizeof(host.os), "%.60s %.60s", names.sysname, names.release);
    snprintf(host.arch, sizeof(host.arch), "%.31s", names.machine);
    read_boot_id(host.boot_id, sizeof(host.boot_id));
    host.cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
    host.memory_bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    *ret_host = host;
    return true;
}

/* Two decimals, by proc(5); glibc's own function asks the kernel in another way. */
bool mgc_host_load(double *ret_load, struct mgc_error *err)
{
    struct mgc_buf buf = {0};
    long whole;
    unsigned hundredths;
    bool ok = mgc_file_read("/proc/loadavg", 128, &buf, err);
    if (ok && sscanf(mgc_buf_text(&buf), "%8ld.%2u", &whole, &hundredths) != 2)
        ok = mgc_error_set(err, MGC_E_PROTOCOL, "/proc/loadavg says \"%.40s\"", mgc_buf_text(&buf));
    if (ok)
        *ret_load = (double)whole + hundredths / 100.0;
    mgc_buf_destroy(&buf);
    return ok;
}

static bool put_path(
    char *ret_path, unsigned long size, struct mgc_error *err, const char *dir, const char *below)
{
    int len = snprintf(ret_path, size, "%s%s", dir, below);
    if (len < 0 || (unsigned long)len >= size)
        return mgc_error_set(err, MGC_E_FAILED, "state directory '%.80s...' is too long", dir);
    return true;
}

bool mgc_host_state_dir(char *ret_path, unsigned long size, struct mgc_error *err)
{
    const char *state = getenv("XDG_STATE_HOME");
    if (state && state[0] == '/') /* the specification says to ignore relative paths */
        return put_path(ret_path, size, err, state, "/mgcoord");
    if (geteuid() == 0)
        return put_path(ret_path, size, err, "/var/lib", "/mgcoord");
    const char *home = getenv("HOME");
    char text[4096];
    struct passwd entry, *found = NULL;
    if (!home && getpwuid_r(geteuid(), &entry, text, sizeof(text), &found) == 0 && found)
        home = found->pw_dir;
    if (!home || home[0] != '/')
        return mgc_error_set(err, MGC_E_NOT_FOUND,
            "no home directory: set HOME or XDG_STATE_HOME to an absolute path");
    return put_path(ret_path, size, err, home, "/.local/state/mgcoord");
}

/* Sticky, so that nobody removes another's lock file and makes a second one of that name. */
static bool is_usable(const char *dir)
{
    struct stat st;
    if (mkdir(dir, 01777) == 0)
        chmod(dir, 01777); /* whatever the umask says */
    return lstat(dir, &st) == 0 && S_ISDIR(st.st_mode) && access(dir, W_OK | X_OK) == 0;
}

bool mgc_host_lock_dir(char *ret_path, unsigned long size, struct mgc_error *err)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    if (!put_path(ret_path, size, err, "/run/lock", "/mgcoord"))
        return false;
    if (is_usable(ret_path))
        return true;
    if (!runtime || runtime[0] != '/')
        return mgc_error_set(err, MGC_E_DENIED,
            "'%s' cannot be written to and XDG_RUNTIME_DIR is not set: no place for locks",
            ret_path);
    return put_path(ret_path, size, err, runtime, "/mgcoord") &&
           (is_usable(ret_path) || mgc_error_set(err, MGC_E_DENIED,
                                       "'%s' cannot be written to: no place for locks", ret_path));
}

bool mgc_host_program(char *ret_path, unsigned long size, struct mgc_error *err)
{
    ssize_t len = readlink("/proc/self/exe", ret_path, size);
    if (len < 0)
        return mgc_error_errno(err, errno, "find the running program (/proc/self/exe)");
    if ((unsigned long)len >= size)
        return mgc_error_set(err, MGC_E_FAILED, "path of the running program is too long");
    ret_path[len] = '\0';
    return true;
}
