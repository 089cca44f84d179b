#include "coordinator/store/run_dir.h"

#include <stdio.h>
#include <string.h>

bool mgc_run_dir_open(
    struct mgc_run_dir *dir, const char *results, const char *run_id, struct mgc_error *err)
{
    *dir = (struct mgc_run_dir){.lock = MGC_LOCK_INIT};
    char lock_path[MGC_PATH_MAX];
    if (!mgc_path_join(dir->path, sizeof(dir->path), results, run_id) ||
        !mgc_path_join(lock_path, sizeof(lock_path), results, "mgcoord.lock"))
        return mgc_error_set(
            err, MGC_E_CONFIG, "results directory '%s': path is too long", results);
    if (!mgc_dir_make(results, 0777, err))
        return mgc_error_prefix(err, "results directory");
    if (!mgc_lock_take(&dir->lock, lock_path, err))
        return mgc_error_prefix(err, "another run uses results directory '%s'", results);
    if (mgc_file_exists(dir->path)) {
        mgc_error_set(err, MGC_E_EXISTS, "run directory '%s' is there already", dir->path);
    } else if (mgc_dir_make(dir->path, 0777, err)) {
        return true;
    }
    mgc_run_dir_close(dir);
    return false;
}

void mgc_run_dir_close(struct mgc_run_dir *dir)
{
    if (!dir || !dir->path[0])
        return;
    mgc_lock_release(&dir->lock);
    dir->path[0] = '\0';
}

static bool attempt_path(const struct mgc_run_dir *dir, const char *cell_id, int number,
    char ret_path[MGC_PATH_MAX], struct mgc_error *err)
{
    int len = snprintf(ret_path, MGC_PATH_MAX, "%s/attempts/%s/a%d", dir->path, cell_id, number);
    if (len < 0 || len >= MGC_PATH_MAX)
        return mgc_error_set(err, MGC_E_CONFIG, "cell '%s': path is too long", cell_id);
    return true;
}

bool mgc_run_dir_attempt(const struct mgc_run_dir *dir, const char *cell_id, int number,
    char ret_path[MGC_PATH_MAX], struct mgc_error *err)
{
    if (!attempt_path(dir, cell_id, number, ret_path, err))
        return false;
    if (mgc_file_exists(ret_path))
        return mgc_error_set(
            err, MGC_E_EXISTS, "attempt directory '%s' is there already", ret_path);
    return mgc_dir_make(ret_path, 0777, err);
}

bool mgc_run_dir_settle(const struct mgc_run_dir *dir, const char *cell_id, int number,
    char ret_path[MGC_PATH_MAX], struct mgc_error *err)
{
    char from[MGC_PATH_MAX], parent[MGC_PATH_MAX];
    if (!attempt_path(dir, cell_id, number, from, err))
        return false;
    if (!mgc_path_join(ret_path, MGC_PATH_MAX, dir->path, cell_id))
        return mgc_error_set(err, MGC_E_CONFIG, "cell '%s': path is too long", cell_id);
    if (mgc_file_exists(ret_path))
        return mgc_error_set(err, MGC_E_EXISTS, "cell directory '%s' is there already", ret_path);
    snprintf(parent, sizeof(parent), "%s", ret_path);
    *strrchr(parent, '/') = '\0';
    return mgc_dir_make(parent, 0777, err) && mgc_file_rename(from, ret_path, err);
}

bool mgc_run_dir_write(const struct mgc_run_dir *dir, const char *name, const void *data,
    size_t len, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    if (!mgc_path_join(path, sizeof(path), dir->path, name))
        return mgc_error_set(err, MGC_E_CONFIG, "'%s': path is too long", name);
    return mgc_file_write(path, data, len, 0644, err);
}
