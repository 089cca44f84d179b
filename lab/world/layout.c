#include "lab/world/layout.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/path.h"
#include "common/plat/file.h"
#include "common/plat/host.h"

/* Folders of a build directory that hold programs which the lab starts. */
static const char *const build_dirs[] = {
    "lab/world", "lab/link", "lab/phone", "lab/replay", "coordinator", "worker-host", "worker-wsl"};

static bool too_long(const char *what, struct mgc_error *err)
{
    return mgc_error_set(
        err, MGC_E_USAGE, "the %s path must be shorter than %d bytes", what, MGC_LAB_PATH_MAX);
}

/* Paths go into site.yaml and into log lines; and nothing at all would be the current directory. */
static bool check_path(const char *path, const char *what, struct mgc_error *err)
{
    if (!path[0])
        return mgc_error_set(err, MGC_E_USAGE, "the %s path is empty, expected a directory", what);
    for (const char *c = path; *c; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            return mgc_error_set(
                err, MGC_E_USAGE, "the %s path holds a control character, expected none", what);
    }
    return true;
}

static bool make_absolute(
    char ret_path[MGC_LAB_PATH_MAX], const char *path, const char *what, struct mgc_error *err)
{
    char cwd[MGC_LAB_PATH_MAX] = "";
    int len;
    if (!check_path(path, what, err))
        return false;
    if (path[0] != '/' && getcwd(cwd, sizeof cwd) == NULL)
        return mgc_error_errno(err, errno, "the current directory");
    len = snprintf(ret_path, MGC_LAB_PATH_MAX, "%s%s%s", cwd, path[0] == '/' ? "" : "/", path);
    return len < MGC_LAB_PATH_MAX || too_long(what, err);
}

static bool default_state(char ret_path[MGC_LAB_PATH_MAX], struct mgc_error *err)
{
    const char *base = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");
    int len;
    if (base != NULL && base[0] == '/')
        len = snprintf(ret_path, MGC_LAB_PATH_MAX, "%s/mglab/default", base);
    else if (home != NULL && home[0] == '/')
        len = snprintf(ret_path, MGC_LAB_PATH_MAX, "%s/.local/state/mglab/default", home);
    else
        return mgc_error_set(
            err, MGC_E_USAGE, "neither XDG_STATE_HOME nor HOME is set; give --state DIR");
    return len < MGC_LAB_PATH_MAX || too_long("state", err);
}

/* BUILD/lab/world/mglab -> BUILD; PREFIX/bin/mglab -> PREFIX/bin. */
static bool default_bin(char ret_path[MGC_LAB_PATH_MAX], struct mgc_error *err)
{
    static const char in_build[] = "/lab/world/";
    if (!mgc_host_program(ret_path, MGC_LAB_PATH_MAX, err))
        return false;
    char *end = strrchr(ret_path, '/') + 1;
    size_t dir_len = (size_t)(end - ret_path);
    if (dir_len > strlen(in_build) &&
        strncmp(end - strlen(in_build), in_build, strlen(in_build)) == 0)
        end -= strlen(in_build) - 1;
    end[-1] = '\0';
    return true;
}

/* The longest name below the state directory must leave room for what is put into it. */
enum { NAME_ROOM = 64 };

static bool fill_names(struct mgc_lab_layout *layout, struct mgc_error *err)
{
    const struct {
        char *path;
        const char *name;
    } rows[] = {{layout->fixtures, "fixtures"}, {layout->phone, "phone"}, {layout->keys, "keys"},
        {layout->enrol, "enrol"}, {layout->host, "host"}, {layout->wsl, "wsl"},
        {layout->locks, "locks"}, {layout->log, "log"}, {layout->results, "results"},
        {layout->site, "site.yaml"}, {layout->lab_json, "lab.json"}, {layout->lock, "lab.lock"},
        {layout->run, "run"}};
    if (strlen(layout->state) + NAME_ROOM >= MGC_LAB_PATH_MAX)
        return mgc_error_set(err, MGC_E_USAGE, "the state path must be shorter than %d bytes",
            MGC_LAB_PATH_MAX - NAME_ROOM);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!mgc_path_join(rows[i].path, MGC_LAB_PATH_MAX, layout->state, rows[i].name))
            return too_long("state", err);
    }
    return true;
}

bool mgc_lab_layout_fill(
    struct mgc_lab_layout *ret_layout, const char *state, const char *bin, struct mgc_error *err)
{
    struct mgc_lab_layout layout = {0};
    if (state == NULL ? !default_state(layout.state, err)
                      : !make_absolute(layout.state, state, "state", err))
        return false;
    if (bin == NULL ? !default_bin(layout.bin, err) : !make_absolute(layout.bin, bin, "bin", err))
        return false;
    if (!fill_names(&layout, err))
        return false;
    *ret_layout = layout;
    return true;
}

bool mgc_lab_layout_make(const struct mgc_lab_layout *layout, struct mgc_error *err)
{
    const char *const dirs[] = {layout->state, layout->fixtures, layout->phone, layout->enrol,
        layout->host, layout->wsl, layout->locks, layout->log, layout->results};
    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
        if (!mgc_dir_make(dirs[i], 0755, err))
            return false;
    }
    return true;
}

bool mgc_lab_layout_find(const struct mgc_lab_layout *layout, const char *name,
    char ret_path[MGC_LAB_PATH_MAX], struct mgc_error *err)
{
    if (mgc_path_join(ret_path, MGC_LAB_PATH_MAX, layout->bin, name) && access(ret_path, R_OK) == 0)
        return true;
    for (size_t i = 0; i < sizeof build_dirs / sizeof *build_dirs; i++) {
        int len =
            snprintf(ret_path, MGC_LAB_PATH_MAX, "%s/%s/%s", layout->bin, build_dirs[i], name);
        if (len < MGC_LAB_PATH_MAX && access(ret_path, R_OK) == 0)
            return true;
    }
    return mgc_error_set(
        err, MGC_E_NOT_FOUND, "no %s in %s; build it or give --bin DIR", name, layout->bin);
}
