#include "coordinator/night/trash.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/path.h"
#include "common/json/json.h"
#include "common/plat/file.h"

enum { RUN_JSON_MAX = 64 * 1024 * 1024 };

#define DIGITS "0123456789"

bool mgc_trash_is_run_id(const char *name)
{
    return strspn(name, DIGITS) == 8 && name[8] == 'T' && strspn(name + 9, DIGITS) == 6 &&
           name[15] == 'Z' && name[16] == '-' && name[17] && !strchr(name, '/') &&
           strlen(name) < 128;
}

static bool too_long(const char *results, struct mgc_error *err)
{
    return mgc_error_set(err, MGC_E_CONFIG, "'%s': path is too long", results);
}

/* A link in its place would lead the removal to somebody else's files. */
static bool is_ours(const char *trash, bool *ret_there, struct mgc_error *err)
{
    struct stat st;
    *ret_there = lstat(trash, &st) == 0;
    return !*ret_there || S_ISDIR(st.st_mode) ||
           mgc_error_set(err, MGC_E_EXISTS, "'%s' is no directory", trash);
}

static bool open_trash(const char *results, char ret_path[MGC_PATH_MAX], bool make, bool *ret_there,
    struct mgc_error *err)
{
    if (!mgc_path_join(ret_path, MGC_PATH_MAX, results, ".trash"))
        return too_long(results, err);
    return is_ours(ret_path, ret_there, err) &&
           (*ret_there || !make || mgc_dir_make(ret_path, 0777, err));
}

bool mgc_trash_empty(const char *results, struct mgc_error *err)
{
    char trash[MGC_PATH_MAX], path[MGC_PATH_MAX];
    struct mgc_dir_names names = {0};
    bool there;
    if (!open_trash(results, trash, false, &there, err))
        return false;
    bool ok = !there || mgc_dir_list(trash, &names, err);
    for (size_t i = 0; ok && i < names.count; i++) {
        if (mgc_trash_is_run_id(names.names[i]))
            ok = (mgc_path_join(path, sizeof(path), trash, names.names[i]) ||
                     too_long(trash, err)) &&
                 mgc_dir_remove(path, err);
    }
    mgc_dir_names_destroy(&names);
    return ok;
}

/* `name` is what it is called in the trash, where two of one name cannot lie. */
static bool throw_away(
    const char *results, const char *from, const char *name, struct mgc_error *err)
{
    char trash[MGC_PATH_MAX], to[MGC_PATH_MAX];
    bool there;
    if (!open_trash(results, trash, true, &there, err))
        return false;
    if (!mgc_path_join(to, sizeof(to), trash, name))
        return too_long(trash, err);
    return mgc_dir_remove(to, err) && mgc_file_rename(from, to, err) && mgc_dir_remove(to, err);
}

bool mgc_trash_run(const char *results, const char *run_id, struct mgc_error *err)
{
    char from[MGC_PATH_MAX];
    if (!mgc_path_join(from, sizeof(from), results, run_id))
        return too_long(results, err);
    return throw_away(results, from, run_id, err);
}

/* ---- attempts ---- */

static json_t *cells_of(const char *run_dir, json_t **ret_doc, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf text = {0};
    *ret_doc = NULL;
    if (!mgc_path_join(path, sizeof(path), run_dir, "run.json"))
        too_long(run_dir, err);
    else if (mgc_file_read(path, RUN_JSON_MAX, &text, err))
        *ret_doc = mgc_json_parse(text.data, text.len, RUN_JSON_MAX, err);
    mgc_buf_destroy(&text);
    return json_object_get(json_object_get(*ret_doc, "plan"), "cells");
}

/* A folder without an attempt in it would only look like one that went astray. */
static void remove_empty_parents(char *path, const char *stop)
{
    do {
        *strrchr(path, '/') = '\0';
    } while (strlen(path) > strlen(stop) && rmdir(path) == 0);
}

static bool was_made_for_another(const char *attempt)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf text = {0};
    json_t *doc = NULL;
    if (mgc_path_join(path, sizeof(path), attempt, "verdict.json") &&
        mgc_file_read(path, RUN_JSON_MAX, &text, NULL))
        doc = mgc_json_parse(text.data, text.len, RUN_JSON_MAX, NULL);
    bool was = json_object_get(doc, "for_the_sake_of") != NULL;
    json_decref(doc);
    mgc_buf_destroy(&text);
    return was;
}

/* A cell that was measured again is held against one of these attempts. */
static bool is_needed(const char *attempts)
{
    struct mgc_dir_names names = {0};
    char path[MGC_PATH_MAX];
    bool needed = false;
    if (!mgc_dir_list(attempts, &names, NULL))
        return true;
    for (size_t i = 0; !needed && i < names.count; i++)
        needed = !mgc_path_join(path, sizeof(path), attempts, names.names[i]) ||
                 was_made_for_another(path);
    mgc_dir_names_destroy(&names);
    return needed;
}

/* True, *ret_went false, where there is nothing to do. */
static bool drop_cell(const char *results, const char *run_dir, const char *run_id,
    const char *cell_id, size_t number, bool *ret_went, struct mgc_error *err)
{
    char settled[MGC_PATH_MAX], attempts[MGC_PATH_MAX], from[MGC_PATH_MAX], name[192];
    *ret_went = false;
    if (!mgc_path_is_safe(cell_id))
        return true; /* of no plan of ours */
    if (!mgc_path_join(settled, sizeof(settled), run_dir, cell_id) ||
        !mgc_path_join(attempts, sizeof(attempts), run_dir, "attempts") ||
        !mgc_path_join(from, sizeof(from), attempts, cell_id))
        return too_long(run_dir, err);
    if (!mgc_file_exists(settled) || !mgc_file_exists(from) || is_needed(from))
        return true;
    snprintf(name, sizeof(name), "%s.attempts-%zu", run_id, number);
    *ret_went = throw_away(results, from, name, err);
    if (*ret_went)
        remove_empty_parents(from, attempts);
    return *ret_went;
}

bool mgc_trash_attempts(
    const char *results, const char *run_id, size_t *ret_count, struct mgc_error *err)
{
    char run_dir[MGC_PATH_MAX];
    json_t *doc;
    bool ok = true, went;
    *ret_count = 0;
    if (!mgc_path_join(run_dir, sizeof(run_dir), results, run_id))
        return too_long(results, err);
    const json_t *cells = cells_of(run_dir, &doc, err);
    ok = doc != NULL;
    for (size_t i = 0; ok && i < json_array_size(cells); i++) {
        const char *id = json_string_value(json_object_get(json_array_get(cells, i), "id"));
        if (!id)
            continue;
        ok = drop_cell(results, run_dir, run_id, id, i, &went, err);
        *ret_count += went;
    }
    json_decref(doc);
    return ok;
}
