#include "coordinator/session/resume.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/plat/file.h"
#include "coordinator/session/match.h"
#include "coordinator/session/record.h"

enum { RECORD_MAX = 64 * 1024 * 1024 };

/* ---- which run ---- */

static bool has_record(const char *results, const char *id)
{
    char path[MGC_PATH_MAX];
    int len = snprintf(path, sizeof(path), "%s/%s/run.json", results, id);
    return len > 0 && len < (int)sizeof(path) && mgc_file_exists(path);
}

/* Ids begin with the UTC stamp of the start. */
static bool find_last(const char *results, char ret_id[MGC_RUN_ID_SIZE], struct mgc_error *err)
{
    struct mgc_dir_names names = {0};
    if (!mgc_dir_list(results, &names, err))
        return false;
    size_t i = names.count;
    while (i > 0 && !(isdigit((unsigned char)names.names[i - 1][0]) &&
                        strlen(names.names[i - 1]) < MGC_RUN_ID_SIZE &&
                        has_record(results, names.names[i - 1])))
        i--;
    if (i > 0)
        snprintf(ret_id, MGC_RUN_ID_SIZE, "%s", names.names[i - 1]);
    mgc_dir_names_destroy(&names);
    return i > 0 || mgc_error_set(err, MGC_E_USAGE, "there is no run in '%s'", results);
}

static bool is_same_dir(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && S_ISDIR(first.st_mode) &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

static bool find_directory(
    const char *results, const char *run, char ret_id[MGC_RUN_ID_SIZE], struct mgc_error *err)
{
    char whole[MGC_PATH_MAX], *resolved = realpath(run, NULL);
    if (!resolved)
        return mgc_error_set(err, MGC_E_USAGE, "there is no run's directory '%s'", run);
    int len = snprintf(whole, sizeof(whole), "%s", resolved);
    free(resolved);
    char *slash = strrchr(whole, '/');
    if (len >= (int)sizeof(whole) || !slash[1] || strlen(slash + 1) >= MGC_RUN_ID_SIZE)
        return mgc_error_set(err, MGC_E_USAGE, "'%s' is no run's directory", run);
    *slash = '\0';
    snprintf(ret_id, MGC_RUN_ID_SIZE, "%s", slash + 1);
    if (is_same_dir(whole[0] ? whole : "/", results))
        return true;
    return mgc_error_set(err, MGC_E_USAGE,
        "'%s' is not in the results directory of this site, '%s': name its site with --site, or "
        "add --set results=%s",
        run, results, whole);
}

static bool find(
    const char *results, const char *run, char ret_id[MGC_RUN_ID_SIZE], struct mgc_error *err)
{
    if (strcmp(run, "last") == 0)
        return find_last(results, ret_id, err);
    if (strchr(run, '/') || strcmp(run, ".") == 0)
        return find_directory(results, run, ret_id, err);
    if (strlen(run) >= MGC_RUN_ID_SIZE || strcmp(run, "..") == 0 || !*run)
        return mgc_error_set(
            err, MGC_E_USAGE, "'%.100s' is no run: expected a run id, its directory, or last", run);
    snprintf(ret_id, MGC_RUN_ID_SIZE, "%s", run);
    return has_record(results, run) || mgc_error_set(err, MGC_E_USAGE,
                                           "there is no run '%s' in '%s', or it was killed before "
                                           "it had written its run.json",
                                           run, results);
}

/* ---- opening it ---- */

static json_t *read_record(const struct mgc_run_dir *dir, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf text = {0};
    json_t *record = NULL;
    if (!mgc_path_join(path, sizeof(path), dir->path, "run.json"))
        mgc_error_set(err, MGC_E_CONFIG, "'%s': path is too long", dir->path);
    else if (mgc_file_read(path, RECORD_MAX, &text, err))
        record = mgc_json_parse(text.data, text.len, RECORD_MAX, err);
    mgc_buf_destroy(&text);
    if (!record)
        mgc_error_prefix(err, "run.json");
    return record;
}

/* A directory that was given another name would get files that say otherwise. */
static bool check_id(const struct mgc_resume *resume, struct mgc_error *err)
{
    const char *id = resume->restored->plan.run_id;
    if (resume->restored->old_layout)
        return mgc_error_set(err, MGC_E_USAGE,
            "'%s' is a run of an old script: those cannot be resumed", resume->dir.path);
    return strcmp(id, resume->dir.run_id) == 0 ||
           mgc_error_set(err, MGC_E_USAGE,
               "'%s' is the directory of run '%.100s': give it that name again", resume->dir.path,
               id);
}

bool mgc_resume_root(
    struct mgc_run_dir *dir, const char *results, const char *run, struct mgc_error *err)
{
    char id[MGC_RUN_ID_SIZE];
    *dir = (struct mgc_run_dir){.lock = MGC_LOCK_INIT};
    return find(results, run, id, err) && mgc_run_dir_open(dir, results, id, err);
}

bool mgc_resume_open(
    struct mgc_resume *resume, const char *results, const char *run, struct mgc_error *err)
{
    struct mgc_run_dir dir;
    *resume = (struct mgc_resume){.dir.lock = MGC_LOCK_INIT};
    return mgc_resume_root(&dir, results, run, err) && mgc_resume_take(resume, &dir, err);
}

bool mgc_resume_take(struct mgc_resume *resume, struct mgc_run_dir *dir, struct mgc_error *err)
{
    *resume = (struct mgc_resume){.dir = *dir};
    *dir = (struct mgc_run_dir){.lock = MGC_LOCK_INIT};
    resume->restored = mgc_restore(resume->dir.path, err);
    if (!resume->restored && err && err->code == MGC_E_NOT_FOUND)
        err->code = MGC_E_USAGE;
    resume->record = resume->restored ? read_record(&resume->dir, err) : NULL;
    if (resume->record && check_id(resume, err))
        return true;
    mgc_resume_close(resume);
    return false;
}

void mgc_resume_close(struct mgc_resume *resume)
{
    if (!resume)
        return;
    mgc_restored_free(resume->restored);
    json_decref(resume->record);
    mgc_run_dir_close(&resume->dir);
    *resume = (struct mgc_resume){.dir.lock = MGC_LOCK_INIT};
}

/* ---- what is left, and whether it is the same ---- */

static bool is_left_out(const struct mgc_results *results, const struct mgc_cell_result *cell)
{
    const struct mgc_cell_result *cause;
    return cell->verdict.state == MGC_VERDICT_SKIPPED &&
           ((cell->cell->confirm && cell->attempts == 0) ||
               mgc_results_left_out(results, cell->cell, &cause));
}

bool mgc_resume_is_complete(const struct mgc_resume *resume)
{
    const struct mgc_results *results = &resume->restored->results;
    if (!resume->restored->finished || results->interrupted || results->stopped_reason)
        return false;
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell_result *cell = &results->cells[i];
        struct mgc_standing standing;
        mgc_resume_look(resume, &resume->dir, cell->cell, cell, NULL, &standing);
        if (!standing.kept && !is_left_out(results, cell))
            return false;
    }
    return true;
}

void mgc_resume_match(const struct mgc_resume *resume, const struct mgc_site *site,
    const struct mgc_plan *plan, struct mgc_problems *problems)
{
    json_t *present = mgc_record_new(site, plan);
    mgc_match_records(resume->record, present, problems);
    json_decref(present);
}
