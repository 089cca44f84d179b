#include "coordinator/cmd/resume.h"

#include <stdio.h>
#include <string.h>

#include "common/plat/file.h"
#include "coordinator/cmd/exit_code.h"
#include "coordinator/merge/confirm.h"
#include "coordinator/plan/recorded.h"

static int tell_complete(const struct mgc_resume *resume)
{
    char report[MGC_PATH_MAX];
    printf("run '%s' is complete: nothing is left to do\n", resume->dir.run_id);
    if (mgc_path_join(report, sizeof(report), resume->dir.path, "REPORT.md") &&
        mgc_file_exists(report))
        printf("report: %s\n", report);
    mgc_results_drop_unconfirmed(&resume->restored->results);
    return mgc_results_exit_code(&resume->restored->results);
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
    for (size_t i = 0; i < kept; i++)
        fprintf(
            stderr, "mgcoord: run '%s' cannot be resumed: %s\n", resume->dir.run_id, list->text[i]);
    if (list->total > kept)
        fprintf(stderr, "mgcoord: and %zu more differences\n", list->total - kept);
    fprintf(stderr,
        "mgcoord: put that back as it was, or begin a new run; a plan file that was changed since "
        "stands in the run's directory: mgcoord run --resume %s %s/plan.yaml\n",
        resume->dir.run_id, resume->dir.path);
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
    return MGC_EXIT_USAGE;
}

static int load(const struct mgc_resume *resume, const struct mgc_plan_options *options,
    const char *plan, struct mgc_site *ret_site, struct mgc_plan *ret_plan)
{
    char own[MGC_PATH_MAX];
    struct mgc_error err = {0};
    struct mgc_recorded recorded = {0};
    struct mgc_plan_options again = *options;
    if ((!plan && !find_plan(resume, own, &err)) ||
        !mgc_recorded_read(json_object_get(resume->record, "settings"), &recorded, &err))
        return mgc_cmd_fail(&err);
    again.recorded = &recorded;
    again.run_id = resume->dir.run_id;
    int code = mgc_plan_options_load(&again, plan ? plan : own, ret_site, ret_plan);
    mgc_recorded_destroy(&recorded);
    return code == MGC_EXIT_OK ? check_match(resume, ret_site, ret_plan) : code;
}

/* Where the runs of this site are; the site itself is loaded once more, with what the run was told.
 */
static int open_run(
    const char *run, const struct mgc_plan_options *options, struct mgc_resume *ret_resume)
{
    struct mgc_site site;
    struct mgc_error err = {0};
    int code = mgc_site_options_load(options, &site);
    if (code != MGC_EXIT_OK)
        return code;
    bool ok = mgc_resume_open(ret_resume, site.results, run, &err);
    mgc_site_destroy(&site);
    return ok ? -1 : mgc_cmd_fail(&err);
}

int mgc_cmd_resume(const char *run, const struct mgc_plan_options *options, const char *plan,
    struct mgc_resume *ret_resume, struct mgc_site *ret_site, struct mgc_plan *ret_plan)
{
    int code = open_run(run, options, ret_resume);
    if (code >= 0)
        return code;
    code = mgc_resume_is_complete(ret_resume) ? tell_complete(ret_resume)
                                              : load(ret_resume, options, plan, ret_site, ret_plan);
    if (code >= 0)
        mgc_resume_close(ret_resume);
    return code;
}
