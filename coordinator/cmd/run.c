/* mgcoord run PLAN, or --resume RUN: load, carry out, print the table, say where the report is. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/path.h"
#include "common/base/text.h"
#include "common/plat/file.h"
#include "common/plat/stop.h"
#include "coordinator/cmd/commands.h"
#include "coordinator/cmd/exit_code.h"
#include "coordinator/cmd/in_lab.h"
#include "coordinator/cmd/options.h"
#include "coordinator/cmd/plan_estimates.h"
#include "coordinator/cmd/resume.h"
#include "coordinator/cmd/screen.h"
#include "coordinator/night/notify.h"
#include "coordinator/night/skipped.h"
#include "coordinator/report/fleet.h"
#include "coordinator/report/report.h"
#include "coordinator/session/session.h"

struct run_options {
    struct mgc_plan_options plan;
    struct mgc_lab_options lab;
    const char *resume; /* NULL: a new run */
    bool quiet;
};

static const struct mgc_cli_option rows[] = {
    MGC_PLAN_OPTIONS(struct run_options, plan),
    {"resume", 0, "RUN",
        "go on with a run that was cut off: its id, its directory, or last; the plan is the run's",
        mgc_cli_string, offsetof(struct run_options, resume), NULL},
    {"lab", 0, NULL, "no hardware: build a lab on this machine and run in it", mgc_cli_flag,
        offsetof(struct run_options, lab.wanted), NULL},
    {"lab-state", 0, "DIR", "the lab's state directory (default: mglab's own)", mgc_cli_string,
        offsetof(struct run_options, lab.state), NULL},
    {"lab-link", 0, "PROFILE",
        "the lab's link to the phone: ethernet (default), fast-ethernet, wifi, bad-wifi, wan40 or "
        "none",
        mgc_cli_string, offsetof(struct run_options, lab.link), NULL},
    {"lab-phones", 0, "N", "phones of the lab, p1 to pN (default: one)", mgc_cli_string,
        offsetof(struct run_options, lab.phones), NULL},
    {"lab-pairs", 0, "M", "worker pairs of the lab for its phones (default: one)", mgc_cli_string,
        offsetof(struct run_options, lab.pairs), NULL},
    {"lab-loopback", 0, NULL, "a lab without networks of its own: no link, proxy and route",
        mgc_cli_flag, offsetof(struct run_options, lab.loopback), NULL},
    {"lab-fault", 0, "[PHONE.]NAME[=VALUE]",
        "set a fault of the lab from the start; may be repeated; mglab fault --help lists them",
        mgc_cli_list, offsetof(struct run_options, lab.faults), NULL},
    {"lab-frames-divisor", 0, "N", "traces with 1/N of their frames; said on the table",
        mgc_cli_string, offsetof(struct run_options, lab.frames_divisor), NULL},
    {"quiet", 'q', NULL, "no progress lines on stderr", mgc_cli_flag,
        offsetof(struct run_options, quiet), NULL},
    {0},
};

static const struct mgc_cli cli = {
    .program = "mgcoord run",
    .synopsis = "[options] PLAN [MODE] | --resume RUN",
    .summary = "Carry out a plan: a built-in one by name (crosshost, matrix, nightly, netbench), "
               "or a file. MODE is a "
               "part of the matrix: smoke, prep, openra, rd12, all, one or ssimonly.",
    .options = rows,
    .max_operands = 2,
    .notes = "From another terminal 'mgcoord watch' follows the run and 'mgcoord cancel' ends it.\n"
             "Exit codes: 0 all measured, 1 a gate of the plan failed, 2 usage, plan or site are "
             "wrong, 3 something was not measured as planned, 4 interrupted; with --lab also 125: "
             "the lab could not be built.",
};

/* Most of what happens is of interest only while it does; on a terminal the status line tells it.
 */
static bool is_important(const struct mgc_progress *event)
{
    switch (event->kind) {
    case MGC_PROGRESS_NOTE:
    case MGC_PROGRESS_WAITING:
    case MGC_PROGRESS_VERDICT:
        return true;
    case MGC_PROGRESS_END: /* a cell's is followed by its verdict */
        return event->state == MGC_STEP_FAILED && event->cell->kind != MGC_CELL_MEASURE;
    default:
        return false;
    }
}

static void show_progress(void *user, const char *phone, const struct mgc_progress *event,
    const struct mgc_status *status)
{
    char line[2048];
    const char *text = event ? event->text : NULL;
    if (phone && text) {
        snprintf(line, sizeof(line), "%s: %s", phone, text);
        text = line;
    }
    mgc_screen_event(user, text, event && is_important(event), status);
}

/* What came of a run, of one phone or of all of them. */
struct outcome {
    const struct mgc_phone_plans *plans;
    struct mgc_session_result *results; /* one per phone */
    struct mgc_fleet_row *rows;         /* likewise; owned */
    struct mgc_fleet_report report;
    char dir[MGC_PATH_MAX];
};

static bool is_named(const struct outcome *outcome)
{
    return outcome->report.rows[0].phone;
}

static bool put_table(const struct outcome *outcome, struct mgc_buf *out, struct mgc_error *err)
{
    return is_named(outcome)
               ? mgc_fleet_table(&outcome->report, out, err)
               : mgc_report_table(outcome->rows[0].results, mgc_screen_columns(stdout), out, err);
}

/* A report that could not be written was told of already; then the line names what there is. */
static bool print_results(const struct outcome *outcome, struct mgc_error *err)
{
    struct mgc_buf table = {0};
    char report[MGC_PATH_MAX];
    uint64_t bytes;
    const char *dir = outcome->dir;
    bool written =
        mgc_path_join(report, sizeof(report), dir, "REPORT.md") &&
        mgc_file_size(report, &bytes, NULL); /* whole or not at all: renamed into place */
    const char *what = written ? "report" : "no report; the run's files";
    const char *where = written ? report : dir;
    bool ok = put_table(outcome, &table, err);
    if (ok)
        ok = (printf("\n%s\n%s: %s\n", mgc_buf_text(&table), what, where) >= 0 &&
                 fflush(stdout) == 0) ||
             mgc_error_errno(err, errno, "print the table (%s: %s)", what, where);
    mgc_buf_destroy(&table);
    return ok;
}

/* Whatever came of it; what becomes of the command is told, and changes nothing. */
static void notify(const struct mgc_site *site, const struct mgc_notification *notification)
{
    struct mgc_error err = {0};
    if (!mgc_notify(&site->settings, notification, &err))
        fprintf(stderr, "mgcoord: %s\n", err.text);
}

static void notify_end(const struct mgc_site *site, const struct outcome *outcome, int exit_code)
{
    char report[MGC_PATH_MAX];
    struct mgc_buf sentence = {0};
    bool written =
        mgc_path_join(report, sizeof(report), outcome->dir, "REPORT.md") && mgc_file_exists(report);
    if (is_named(outcome))
        mgc_fleet_sentence(&outcome->report, &sentence, NULL);
    else
        mgc_report_sentence(outcome->rows[0].results, &sentence, NULL);
    struct mgc_notification notification = {
        .run_id = outcome->report.run_id,
        .dir = outcome->dir,
        .report = written ? report : NULL,
        .summary = mgc_buf_text(&sentence),
        .exit_code = exit_code,
    };
    notify(site, &notification);
    mgc_buf_destroy(&sentence);
}

/* Such a run has no directory that could say so. */
static void record_not_run(const struct mgc_site *site, const struct mgc_plan *plan,
    const struct mgc_error *why, int exit_code)
{
    struct mgc_error err = {0};
    struct mgc_skipped skipped = {.wall_ns = mgc_wall_ns(),
        .plan = plan->name,
        .run_id = plan->part_of ? plan->part_of : plan->run_id,
        .exit_code = exit_code,
        .why = why->text};
    if (!mgc_skipped_record(site->results, &skipped, &err))
        fprintf(stderr, "mgcoord: %s\n", err.text);
}

/* Nobody looks at night: a bench that is taken, or a full disk, is news as well. */
static int notify_not_run(
    const struct mgc_site *site, const struct mgc_plan *plan, const struct mgc_error *why)
{
    int code = mgc_cmd_fail(why);
    struct mgc_buf sentence = {0};
    record_not_run(site, plan, why, code);
    mgc_buf_printf(&sentence, "%s was not carried out: %s", plan->name, why->text);
    struct mgc_notification notification = {
        .run_id = plan->part_of ? plan->part_of : plan->run_id,
        .summary = mgc_buf_text(&sentence),
        .exit_code = code,
    };
    notify(site, &notification);
    mgc_buf_destroy(&sentence);
    return code;
}

/* A site file that mgcoord would not find by itself has to be named there, too. */
static void tell_how_to_follow(const struct run_options *options, const struct mgc_site *site)
{
    if (!options->quiet && site->file && getenv("MGCOORD_SITE"))
        fprintf(stderr, "mgcoord: from another terminal: mgcoord watch --site %s\n", site->file);
}

/* The phones that the session is given; of a run that is resumed those that are done, too. */
static struct mgc_session_phone *phones_of(
    const struct mgc_phone_plans *plans, const struct mgc_resumed *resumed)
{
    struct mgc_session_phone *phones = calloc(plans->count, sizeof(*phones));
    for (size_t i = 0; phones && i < plans->count; i++) {
        const struct mgc_phone_plan *one = &plans->items[i];
        phones[i] = (struct mgc_session_phone){.site = &one->site, .plan = &one->plan};
        if (!resumed)
            continue;
        struct mgc_restored *restored = resumed->parts[i].restored;
        phones[i].resume = resumed->done[i] ? NULL : &resumed->parts[i];
        phones[i].done = resumed->done[i] ? &restored->results : NULL;
        phones[i].plan = resumed->done[i] ? &restored->plan : &one->plan;
    }
    return phones;
}

static bool make_report(struct outcome *outcome, const struct mgc_session_phone *phones)
{
    size_t count = outcome->plans->count;
    const struct mgc_plan *first = phones[0].plan;
    outcome->rows = calloc(count, sizeof(*outcome->rows));
    for (size_t i = 0; outcome->rows && i < count; i++) {
        const struct mgc_session_result *result = &outcome->results[i];
        outcome->rows[i] = (struct mgc_fleet_row){
            .phone = phones[i].plan->phone,
            .dir = result->dir + (first->phone ? strlen(outcome->dir) + 1 : 0),
            .results = phones[i].done        ? phones[i].done
                       : result->has_results ? &result->results
                                             : NULL,
            .refused = result->error.text,
        };
    }
    outcome->report = (struct mgc_fleet_report){
        .run_id = first->part_of ? first->part_of : first->run_id,
        .plan = first->name,
        .rows = outcome->rows,
        .count = count,
    };
    return outcome->rows;
}

/* What was measured is shown also when a report file could not be written. */
static int show_outcome(
    const struct outcome *outcome, const struct mgc_site *site, const struct mgc_error *not_written)
{
    struct mgc_error err = *not_written;
    int code = mgc_fleet_exit_code(&outcome->report), failed = MGC_EXIT_OK;
    for (size_t i = 0; is_named(outcome) && i < outcome->report.count; i++) {
        const struct mgc_session_result *result = &outcome->results[i];
        if (result->has_results && result->error.code != MGC_OK)
            failed = mgc_cmd_fail(&result->error);
    }
    if (err.code != MGC_OK)
        failed = mgc_cmd_fail(&err);
    if (!print_results(outcome, &err))
        failed = mgc_cmd_fail(&err);
    if (code == MGC_EXIT_OK && failed != MGC_EXIT_OK)
        code = MGC_EXIT_INFRASTRUCTURE;
    notify_end(site, outcome, code);
    return code;
}

static const struct mgc_site *any_site(const struct mgc_session_phone *phones)
{
    while (phones->done)
        phones++;
    return phones->site;
}

static int run_session(const struct run_options *options, const struct mgc_session_phone *phones,
    struct mgc_run_dir *dir, struct mgc_stop *stop, struct outcome *outcome)
{
    struct mgc_error err = {0};
    struct mgc_screen screen = {0};
    const struct mgc_site *site = any_site(phones);
    struct mgc_session_config config = {
        .phones = phones,
        .phone_count = outcome->plans->count,
        .dir = dir,
        .stop = stop,
        .progress = options->quiet ? NULL : show_progress,
        .user = &screen,
    };
    tell_how_to_follow(options, site);
    if (!mgc_notify_check(&site->settings, &err))
        fprintf(stderr, "mgcoord: warning: %s\n", err.text);
    err = (struct mgc_error){0};
    mgc_screen_open(&screen, stderr, !options->quiet && mgc_screen_is_terminal(stderr));
    bool done =
        mgc_session_run(&config, outcome->results, outcome->dir, sizeof(outcome->dir), &err);
    mgc_screen_close(&screen);
    if (!done)
        return notify_not_run(site, phones[0].plan, &err);
    if (!make_report(outcome, phones)) {
        mgc_error_set(&err, MGC_E_NO_MEMORY, "no memory for the results");
        return mgc_cmd_fail(&err);
    }
    return show_outcome(outcome, site, &err);
}

static int carry_out(const struct run_options *options, const struct mgc_phone_plans *plans,
    struct mgc_resumed *resumed, struct mgc_stop *stop)
{
    struct mgc_error err = {0};
    struct mgc_run_dir *dir = NULL;
    struct mgc_session_phone *phones = phones_of(plans, resumed);
    struct outcome outcome = {
        .plans = plans, .results = calloc(plans->count, sizeof(*outcome.results))};
    int code;
    if (resumed)
        dir = resumed->dir.path[0] ? &resumed->dir : &resumed->parts[0].dir;
    if (phones && outcome.results) {
        code = run_session(options, phones, dir, stop, &outcome);
    } else {
        mgc_error_set(&err, MGC_E_NO_MEMORY, "no memory for the run");
        code = mgc_cmd_fail(&err);
    }
    for (size_t i = 0; outcome.results && i < plans->count; i++)
        mgc_session_result_destroy(&outcome.results[i]);
    free(outcome.results);
    free(outcome.rows);
    free(phones);
    return code;
}

/* Parsing moves the operands to the front; who hands the command line on needs it as it came. */
static char **copy_of(int argc, char **argv)
{
    char **copy = calloc((size_t)argc + 1, sizeof(*copy));
    if (copy)
        memcpy(copy, argv, (size_t)argc * sizeof(*copy));
    return copy;
}

static int run_in_lab(const struct run_options *options, int argc, char **argv)
{
    struct mgc_error err = {0};
    if (options->plan.site) {
        mgc_error_set(&err, MGC_E_USAGE,
            "--lab makes a site file of its own: leave --site out, and change what it says with "
            "--set KEY=VALUE");
        return mgc_cmd_fail(&err);
    }
    if (argv)
        return mgc_run_in_lab(&options->lab, argc, argv);
    mgc_error_set(&err, MGC_E_NO_MEMORY, "no memory for the command line");
    return mgc_cmd_fail(&err);
}

static int run(const struct run_options *options, const char *plan_name)
{
    struct mgc_phone_plans plans = {0};
    struct mgc_resumed resumed = {0};
    struct mgc_error err = {0};
    int code;
    /* First of all: a Ctrl-C while plan and site are read interrupts the run that they lead to. */
    struct mgc_stop *stop = mgc_stop_on_signals(&err);
    if (!stop)
        return mgc_cmd_fail(&err);
    if (options->resume) {
        code = mgc_cmd_resume(options->resume, &options->plan, plan_name, &resumed);
        if (code >= 0)
            return code;
        code = carry_out(options, &resumed.plans, &resumed, stop);
        mgc_resumed_close(&resumed);
        return code;
    }
    code = mgc_plan_options_load_all(&options->plan, plan_name, &plans);
    if (code == MGC_EXIT_OK)
        code = mgc_cmd_check_budget(&plans);
    if (code == MGC_EXIT_OK)
        code = carry_out(options, &plans, NULL, stop);
    mgc_phone_plans_destroy(&plans);
    return code;
}

static int no_plan(void)
{
    struct mgc_error err = {0};
    mgc_error_set(
        &err, MGC_E_USAGE, "expected %s, got 0 operands; see %s --help", cli.synopsis, cli.program);
    return mgc_cmd_fail(&err);
}

int mgc_cmd_run(int argc, char **argv)
{
    struct run_options options = {0};
    char **operands;
    int count;
    char **given = copy_of(argc, argv);
    int code = mgc_cmd_parse(&cli, argc, argv, &options, &operands, &count);
    if (code < 0 && count == 0 && !options.resume)
        code = no_plan();
    if (code < 0 && options.lab.wanted)
        code = run_in_lab(&options, argc, given);
    free(given);
    if (code >= 0)
        return code;
    options.plan.mode = count > 1 ? operands[1] : NULL;
    return run(&options, count > 0 ? operands[0] : NULL);
}
