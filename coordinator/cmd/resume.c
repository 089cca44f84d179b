#include "coordinator/cmd/resume.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/plat/file.h"
#include "coordinator/cmd/exit_code.h"
#include "coordinator/merge/confirm.h"
#include "coordinator/plan/recorded.h"
#include "coordinator/report/fleet.h"
#include "coordinator/restore/fleet.h"

static void tell_complete(const struct mgc_run_dir *dir)
{
    char report[MGC_PATH_MAX];
    printf("run '%s' is complete: nothing is left to do\n", dir->run_id);
    if (mgc_path_join(report, sizeof(report), dir->path, "REPORT.md") && mgc_file_exists(report))
        printf("report: %s\n", report);
}

/* The file that the run was begun with may have gone since: then the copy in its directory. */
static bool find_plan(
    const struct mgc_resume *resume, char ret_plan[MGC_PATH_MAX], struct mgc_error *err)
{
    const json_t *settings = json_object_get(resume->record, "settings");
    if (!mgc_recorded_plan(settings, ret_plan, MGC_PATH_MAX))
        return mgc_error_set(err, MGC_E_CONFIG, "run.json does not say which plan it was");
    bool is_file = strchr(ret_plan, '/') || strstr(ret_plan, ".yaml") || strstr(ret_plan, ".yml");
    return !is_file || mgc_file_exists(ret_plan) ||
           mgc_path_join(ret_plan, MGC_PATH_MAX, resume->dir.path, "plan.yaml") ||
           mgc_error_set(err, MGC_E_CONFIG, "'%s': path is too long", resume->dir.path);
}

static void print_differences(const struct mgc_resume *resume, const struct mgc_problem_list *list)
{
    size_t kept = mgc_problem_count(list);
    const char *whole = resume->restored->plan.part_of;
    for (size_t i = 0; i < kept; i++)
        fprintf(
            stderr, "mgcoord: run '%s' cannot be resumed: %s\n", resume->dir.run_id, list->text[i]);
    if (list->total > kept)
        fprintf(stderr, "mgcoord: and %zu more differences\n", list->total - kept);
    fprintf(stderr,
        "mgcoord: put that back as it was, or begin a new run; a plan file that was changed since "
        "stands in the run's directory: mgcoord run --resume %s %s/plan.yaml\n",
        whole ? whole : resume->dir.run_id, resume->dir.path);
}

static int check_match(
    const struct mgc_resume *resume, struct mgc_site *site, struct mgc_plan *plan)
{
    struct mgc_problems problems = {0};
    mgc_resume_match(resume, site, plan, &problems);
    if (problems.errors.total == 0)
        return -1;
    print_differences(resume, &problems.errors);
    mgc_plan_destroy(plan);
    mgc_site_destroy(site);
    *plan = (struct mgc_plan){0};
    *site = (struct mgc_site){0};
    return MGC_EXIT_USAGE;
}

static int load(const struct mgc_resume *resume, const struct mgc_plan_options *options,
    const char *plan, struct mgc_site *ret_site, struct mgc_plan *ret_plan)
{
    char own[MGC_PATH_MAX];
    struct mgc_error err = {0};
    struct mgc_recorded recorded = {0};
    struct mgc_plan_options again = *options;
    const struct mgc_plan *before = &resume->restored->plan;
    if ((!plan && !find_plan(resume, own, &err)) ||
        !mgc_recorded_read(json_object_get(resume->record, "settings"), &recorded, &err))
        return mgc_cmd_fail(&err);
    again.recorded = &recorded;
    again.run_id = before->part_of ? before->part_of : before->run_id;
    again.phone = before->phone;
    int code = mgc_plan_options_load(&again, plan ? plan : own, ret_site, ret_plan);
    mgc_recorded_destroy(&recorded);
    return code == MGC_EXIT_OK ? check_match(resume, ret_site, ret_plan) : code;
}

/* ---- its phones ---- */

void mgc_resumed_close(struct mgc_resumed *resumed)
{
    for (size_t i = 0; i < resumed->count; i++)
        mgc_resume_close(&resumed->parts[i]);
    free(resumed->parts);
    free(resumed->done);
    mgc_phone_plans_destroy(&resumed->plans);
    mgc_run_dir_close(&resumed->dir);
    *resumed = (struct mgc_resumed){0};
}

static bool make_parts(struct mgc_resumed *resumed, size_t count, struct mgc_error *err)
{
    resumed->parts = calloc(count, sizeof(*resumed->parts));
    resumed->done = calloc(count, sizeof(*resumed->done));
    resumed->plans.items = calloc(count, sizeof(*resumed->plans.items));
    if (!resumed->parts || !resumed->done || !resumed->plans.items)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the run's phones");
    for (size_t i = 0; i < count; i++)
        resumed->parts[i].dir.lock = (struct mgc_lock)MGC_LOCK_INIT;
    resumed->count = resumed->plans.count = count;
    return true;
}

/* A phone with a name has a directory of its own, which the run's lock guards, too. */
static bool take_part(const struct mgc_run_dir *whole, const struct mgc_fleet_list *list,
    const char *phone, struct mgc_resume *ret_part, struct mgc_error *err)
{
    struct mgc_run_dir dir = {.lock = MGC_LOCK_INIT};
    int len = snprintf(dir.run_id, sizeof(dir.run_id), "%s-%s", list->run_id, phone);
    if (len >= (int)sizeof(dir.run_id) || !mgc_fleet_part(whole->path, phone, dir.path))
        return mgc_error_set(err, MGC_E_CONFIG, "'%s': path is too long", whole->path);
    return mgc_resume_take(ret_part, &dir, err) || mgc_error_prefix(err, "phone %s", phone);
}

static bool take_parts(struct mgc_resumed *resumed, struct mgc_error *err)
{
    struct mgc_fleet_list list = {0};
    if (!mgc_fleet_list_read(resumed->dir.path, &list, NULL))
        return make_parts(resumed, 1, err) &&
               mgc_resume_take(&resumed->parts[0], &resumed->dir, err);
    bool ok = strcmp(list.run_id, resumed->dir.run_id) == 0 ||
              mgc_error_set(err, MGC_E_USAGE,
                  "'%s' is the directory of run '%.100s': give it that name again",
                  resumed->dir.path, list.run_id);
    ok = ok && make_parts(resumed, list.count, err);
    for (size_t i = 0; ok && i < list.count; i++)
        ok = take_part(&resumed->dir, &list, list.phones[i], &resumed->parts[i], err);
    mgc_fleet_list_destroy(&list);
    return ok;
}

/* Where the runs of this site are; the site itself is loaded once more, with what the run was told.
 */
static int open_run(
    const char *run, const struct mgc_plan_options *options, struct mgc_resumed *resumed)
{
    struct mgc_site site;
    struct mgc_error err = {0};
    if (options->phones.count) {
        mgc_error_set(&err, MGC_E_USAGE,
            "--phone: a run that is resumed goes on with those of its phones that are not done");
        return mgc_cmd_fail(&err);
    }
    int code = mgc_site_options_load(options, &site);
    if (code != MGC_EXIT_OK)
        return code;
    bool ok = mgc_resume_root(&resumed->dir, site.results, run, &err);
    mgc_site_destroy(&site);
    ok = ok && take_parts(resumed, &err);
    return ok ? -1 : mgc_cmd_fail(&err);
}

/* -1: something is left to do. */
static int look_what_is_left(struct mgc_resumed *resumed)
{
    int worst = MGC_EXIT_OK;
    bool all = true;
    struct mgc_fleet_report report = {.count = resumed->count};
    struct mgc_fleet_row *rows = calloc(resumed->count, sizeof(*rows));
    for (size_t i = 0; i < resumed->count; i++) {
        struct mgc_results *results = &resumed->parts[i].restored->results;
        resumed->done[i] = mgc_resume_is_complete(&resumed->parts[i]);
        all = all && resumed->done[i];
        if (resumed->done[i])
            mgc_results_drop_unconfirmed(results);
        if (rows)
            rows[i].results = results;
    }
    report.rows = rows;
    worst = rows ? mgc_fleet_exit_code(&report) : MGC_EXIT_INFRASTRUCTURE;
    free(rows);
    if (!all)
        return -1;
    const struct mgc_run_dir *dir = resumed->dir.path[0] ? &resumed->dir : &resumed->parts[0].dir;
    tell_complete(dir);
    return worst;
}

int mgc_cmd_resume(const char *run, const struct mgc_plan_options *options, const char *plan,
    struct mgc_resumed *ret_resumed)
{
    *ret_resumed = (struct mgc_resumed){.dir.lock = MGC_LOCK_INIT};
    int code = open_run(run, options, ret_resumed);
    if (code < 0)
        code = look_what_is_left(ret_resumed);
    for (size_t i = 0; code < 0 && i < ret_resumed->count; i++) {
        struct mgc_phone_plan *one = &ret_resumed->plans.items[i];
        if (!ret_resumed->done[i])
            code = load(&ret_resumed->parts[i], options, plan, &one->site, &one->plan);
    }
    if (code >= 0)
        mgc_resumed_close(ret_resumed);
    return code;
}
