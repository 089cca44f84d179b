#include "coordinator/store/run_dir.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/parse.h"
#include "coordinator/store/run_note.h"

static bool name_holder(const char *results, const char *lock_path, struct mgc_error *err)
{
    struct mgc_run_note note;
    char who[MGC_RUN_ID_SIZE + 64];
    if (!mgc_run_note_read(lock_path, &note))
        return mgc_error_prefix(err, "another run uses results directory '%s'", results);
    mgc_run_note_name(&note, who, sizeof(who));
    return mgc_error_set(err, MGC_E_BUSY,
        "%s uses results directory '%s': wait for its end, or end it with `mgcoord cancel`", who,
        results);
}

static bool take_lock(struct mgc_run_dir *dir, const char *results, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_error why = {0};
    if (!mgc_path_join(path, sizeof(path), results, MGC_RUN_LOCK))
        return mgc_error_set(
            err, MGC_E_CONFIG, "results directory '%s': path is too long", results);
    struct mgc_run_note last;
    bool killed = mgc_run_note_read(path, &last);
    if (mgc_lock_take(&dir->lock, path, &why)) {
        if (killed)
            mgc_run_note_clean(&last, results); /* nobody else could take it away */
        return true;
    }
    if (err)
        *err = why;
    return why.code == MGC_E_BUSY ? name_holder(results, path, err)
                                  : mgc_error_prefix(err, "results directory");
}

bool mgc_run_dir_open(
    struct mgc_run_dir *dir, const char *results, const char *run_id, struct mgc_error *err)
{
    *dir = (struct mgc_run_dir){.lock = MGC_LOCK_INIT};
    snprintf(dir->run_id, sizeof(dir->run_id), "%s", run_id);
    if (!mgc_path_join(dir->path, sizeof(dir->path), results, run_id))
        return mgc_error_set(
            err, MGC_E_CONFIG, "results directory '%s': path is too long", results);
    if (!mgc_dir_make(results, 0777, err))
        mgc_error_prefix(err, "results directory");
    else if (take_lock(dir, results, err) && mgc_run_dir_announce(dir, NULL, err))
        return true;
    mgc_run_dir_close(dir);
    return false;
}

bool mgc_run_dir_announce(const struct mgc_run_dir *dir, const char *socket, struct mgc_error *err)
{
    struct mgc_buf note = {0};
    mgc_buf_printf(&note, "run %s\n", dir->run_id);
    if (socket)
        mgc_buf_printf(&note, "socket %s\n", socket);
    bool ok = mgc_lock_note(&dir->lock, mgc_buf_text(&note), err);
    mgc_buf_destroy(&note);
    return ok;
}

bool mgc_run_dir_make(const struct mgc_run_dir *dir, struct mgc_error *err)
{
    if (mgc_file_exists(dir->path))
        return mgc_error_set(err, MGC_E_EXISTS, "run directory '%s' is there already", dir->path);
    return mgc_dir_make(dir->path, 0777, err);
}

void mgc_run_dir_close(struct mgc_run_dir *dir)
{
    if (!dir || !dir->path[0])
        return;
    if (dir->lock.handle >= 0)
        mgc_lock_note(&dir->lock, "", NULL);
    mgc_lock_release(&dir->lock);
    dir->path[0] = '\0';
}

bool mgc_run_dir_attempt_path(const struct mgc_run_dir *dir, const char *cell_id, int number,
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
    if (!mgc_run_dir_attempt_path(dir, cell_id, number, ret_path, err))
        return false;
    if (mgc_file_exists(ret_path))
        return mgc_error_set(
            err, MGC_E_EXISTS, "attempt directory '%s' is there already", ret_path);
    return mgc_dir_make(ret_path, 0777, err);
}

/* attempts/CELL/ without an attempt in it would only look like one that went astray. */
static void remove_empty_parents(const struct mgc_run_dir *dir, char *path)
{
    size_t stop = strlen(dir->path);
    for (;;) {
        *strrchr(path, '/') = '\0';
        if (strlen(path) <= stop || rmdir(path) != 0)
            return;
    }
}

bool mgc_run_dir_settle(const struct mgc_run_dir *dir, const char *cell_id, int number,
    char ret_path[MGC_PATH_MAX], struct mgc_error *err)
{
    char from[MGC_PATH_MAX], parent[MGC_PATH_MAX];
    if (!mgc_run_dir_attempt_path(dir, cell_id, number, from, err))
        return false;
    if (!mgc_path_join(ret_path, MGC_PATH_MAX, dir->path, cell_id))
        return mgc_error_set(err, MGC_E_CONFIG, "cell '%s': path is too long", cell_id);
    if (mgc_file_exists(ret_path))
        return mgc_error_set(err, MGC_E_EXISTS, "cell directory '%s' is there already", ret_path);
    snprintf(parent, sizeof(parent), "%s", ret_path);
    *strrchr(parent, '/') = '\0';
    if (!mgc_dir_make(parent, 0777, err) || !mgc_file_rename(from, ret_path, err))
        return false;
    remove_empty_parents(dir, from);
    return true;
}

bool mgc_run_dir_unsettle(const struct mgc_run_dir *dir, const char *cell_id, int number,
    char ret_path[MGC_PATH_MAX], struct mgc_error *err)
{
    char from[MGC_PATH_MAX], parent[MGC_PATH_MAX];
    if (!mgc_run_dir_attempt_path(dir, cell_id, number, ret_path, err))
        return false;
    if (!mgc_path_join(from, sizeof(from), dir->path, cell_id))
        return mgc_error_set(err, MGC_E_CONFIG, "cell '%s': path is too long", cell_id);
    if (mgc_file_exists(ret_path))
        return mgc_error_set(
            err, MGC_E_EXISTS, "attempt directory '%s' is there already", ret_path);
    snprintf(parent, sizeof(parent), "%s", ret_path);
    *strrchr(parent, '/') = '\0';
    return mgc_dir_make(parent, 0777, err) && mgc_file_rename(from, ret_path, err);
}

static int attempt_number(const char *name)
{
    int64_t number;
    return name[0] == 'a' && mgc_parse_int(name + 1, 1, INT_MAX, &number) ? (int)number : 0;
}

int mgc_run_dir_last_attempt(const struct mgc_run_dir *dir, const char *cell_id)
{
    char path[MGC_PATH_MAX];
    struct mgc_dir_names names = {0};
    int last = 0;
    if (!mgc_run_dir_attempt_path(dir, cell_id, 1, path, NULL))
        return 0;
    *strrchr(path, '/') = '\0';
    if (!mgc_dir_list(path, &names, NULL))
        return 0;
    for (size_t i = 0; i < names.count; i++) {
        int number = attempt_number(names.names[i]);
        last = number > last ? number : last;
    }
    mgc_dir_names_destroy(&names);
    return last;
}

bool mgc_run_dir_write(const struct mgc_run_dir *dir, const char *name, const void *data,
    size_t len, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    if (!mgc_path_join(path, sizeof(path), dir->path, name))
        return mgc_error_set(err, MGC_E_CONFIG, "'%s': path is too long", name);
    return mgc_file_write(path, data, len, 0644, err);
}
