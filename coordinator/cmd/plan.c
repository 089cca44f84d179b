/* mgcoord plan show|check|schema: everything about a plan except running it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/plat/file.h"
#include "coordinator/cmd/commands.h"
#include "coordinator/cmd/exit_code.h"
#include "coordinator/cmd/hosts_table.h"
#include "coordinator/cmd/options.h"
#include "coordinator/cmd/plan_estimates.h"
#include "coordinator/night/notify.h"
#include "coordinator/night/retention.h"
#include "coordinator/plan/plan_json.h"
#include "coordinator/plan/plan_text.h"
#include "coordinator/plan/schedule.h"

struct plan_options {
    struct mgc_plan_options plan;
    bool all;
    bool json;
};

/* A full disk or a closed pipe is a failure, too. */
static int finish_output(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return MGC_EXIT_OK;
    fprintf(stderr, "mgcoord: could not write the output\n");
    return MGC_EXIT_INFRASTRUCTURE;
}

static int print_buf(struct mgc_buf *out)
{
    bool ok = mgc_buf_ok(out);
    if (ok)
        fputs(mgc_buf_text(out), stdout);
    mgc_buf_destroy(out);
    if (!ok) {
        fprintf(stderr, "mgcoord: no memory for the output\n");
        return MGC_EXIT_INFRASTRUCTURE;
    }
    return finish_output();
}

/* ---- show ---------------------------------------------------------------------------------- */

/* Only where the plan says that runs go. */
static void print_retention(
    const struct mgc_site *site, const struct mgc_plan *plan, struct mgc_buf *out)
{
    struct mgc_retention retention;
    struct mgc_old_runs runs = {0};
    struct mgc_error err = {0};
    size_t over = 0;
    if (!mgc_retention_read(&site->settings, &retention))
        return;
    mgc_buf_puts(out, "\nOld runs that would go after this one\n\n");
    if (!mgc_retention_look(site->results, plan->name, plan->run_id, &retention, &runs, &err)) {
        mgc_buf_printf(out, "  not known: %s\n", err.text);
        return;
    }
    for (size_t i = 0; i < runs.count; i++) {
        const struct mgc_old_run *run = &runs.items[i];
        bool kept = run->kept != MGC_KEPT_NOT;
        if (run->goes)
            mgc_buf_printf(out, "  %s%s%s\n", run->run_id, kept ? " stays: " : "",
                kept ? mgc_kept_text(run->kept) : "");
        over += run->goes;
    }
    mgc_buf_puts(out, over ? "" : "  none\n");
    if (retention.drop_attempts)
        mgc_buf_puts(out, "  of the others, attempts that were superseded\n");
    mgc_old_runs_destroy(&runs);
}

struct shown {
    const struct mgc_site *site;
    const struct mgc_plan *plan;
    struct mgc_estimates *estimates; /* owned */
    struct mgc_schedule schedule;    /* owned */
};

static int print_text(const struct shown *shown, bool all)
{
    struct mgc_buf out = {0};
    const struct mgc_site *site = shown->site;
    const struct mgc_plan *plan = shown->plan;
    const char *summary = mgc_setting_text(mgc_settings_get(&site->settings, "summary"));
    mgc_buf_printf(&out, "Plan %s on %s (%s)%s%s\n", plan->name, site->name, site->file,
        summary ? ": " : "", summary ? summary : "");
    mgc_buf_puts(&out, "Nothing is run.\n\nSettings, and where they come from\n\n");
    mgc_settings_print(&site->settings, &out);
    mgc_buf_puts(&out, "\nSchedule\n\n");
    mgc_plan_print_schedule(plan, shown->estimates, &out);
    mgc_buf_puts(&out, "\nParts, each begun as a whole or not at all\n\n");
    mgc_schedule_print(&shown->schedule, plan, &out);
    mgc_buf_puts(&out, all ? "\nSteps\n\n" : "\nSteps (of the first cell of each kind)\n\n");
    mgc_plan_print_steps(plan, all, &out);
    print_retention(site, plan, &out);
    return print_buf(&out);
}

static int print_json(const struct shown *shown)
{
    json_t *doc = json_pack("{s:s, s:o, s:o, s:o}", "site", shown->site->name, "settings",
        mgc_settings_to_json(&shown->site->settings), "plan", mgc_plan_to_json(shown->plan),
        "estimate", mgc_schedule_to_json(&shown->schedule, shown->plan, shown->estimates));
    char *text = doc ? json_dumps(doc, JSON_INDENT(2)) : NULL;
    json_decref(doc);
    if (!text) {
        fprintf(stderr, "mgcoord: no memory for the output\n");
        return MGC_EXIT_INFRASTRUCTURE;
    }
    puts(text);
    free(text);
    return finish_output();
}

/* The same plan for each: one of them stands for all, after who they are. */
static void print_phones(const struct mgc_phone_plans *plans)
{
    printf("The same on each of %zu phones, side by side:\n\n", plans->count);
    for (size_t i = 0; i < plans->count; i++) {
        const struct mgc_phone_plan *one = &plans->items[i];
        const char *host = one->plan.workers[MGC_ROLE_HOST], *wsl = one->plan.workers[MGC_ROLE_WSL];
        printf("  %s  %s%s%s%s%s\n", one->plan.phone, one->site.phone.serial,
            host ? "  host: " : "", host ? host : "", wsl ? "  wsl: " : "", wsl ? wsl : "");
    }
    printf("\nHere is %s; --phone NAME shows another one.\n\n", plans->items[0].plan.phone);
}

static int show_plan(const struct plan_options *options, const struct mgc_phone_plan *one)
{
    struct mgc_error err = {0};
    struct shown shown = {.site = &one->site, .plan = &one->plan};
    int code;
    shown.estimates = mgc_cmd_estimates(shown.site, shown.plan);
    if (!shown.estimates)
        mgc_error_set(&err, MGC_E_NO_MEMORY, "no memory for the estimates");
    if (!shown.estimates ||
        !mgc_schedule_make(shown.plan, shown.estimates, mgc_wall_ns(), &shown.schedule, &err))
        code = mgc_cmd_fail(&err);
    else
        code = options->json ? print_json(&shown) : print_text(&shown, options->all);
    mgc_schedule_destroy(&shown.schedule);
    mgc_estimates_free(shown.estimates);
    return code;
}

/* With several phones a list of what one alone would be. */
static int print_json_list(const struct plan_options *options, const struct mgc_phone_plans *plans)
{
    for (size_t i = 0; i < plans->count; i++) {
        printf("%s", i ? ",\n" : "[\n");
        int code = show_plan(options, &plans->items[i]);
        if (code != MGC_EXIT_OK)
            return code;
    }
    puts("]");
    return finish_output();
}

static int show_phones(const struct plan_options *options, const struct mgc_phone_plans *plans)
{
    if (options->json && plans->count > 1)
        return print_json_list(options, plans);
    if (plans->count > 1)
        print_phones(plans);
    return show_plan(options, &plans->items[0]);
}

static int show(int argc, char **argv)
{
    static const struct mgc_cli_option rows[] = {
        MGC_PLAN_OPTIONS(struct plan_options, plan),
        {"all-steps", 'a', NULL, "steps of every cell", mgc_cli_flag,
            offsetof(struct plan_options, all)},
        {"json", 'j', NULL, "as JSON, with every step", mgc_cli_flag,
            offsetof(struct plan_options, json)},
        {0},
    };
    static const struct mgc_cli cli = {.program = "mgcoord plan show",
        .synopsis = "[options] PLAN [MODE]",
        .summary = "Print the cells and steps that a plan makes on this bench, an estimate, and "
                   "where every value comes from. Nothing is run.",
        .options = rows,
        .min_operands = 1,
        .max_operands = 2,
        .notes = "PLAN is a built-in plan (crosshost, matrix, nightly, netbench) or a file "
                 "(./my-plan.yaml)."};
    struct plan_options options = {0};
    char **operands;
    int count, exit_code = mgc_cmd_parse(&cli, argc, argv, &options, &operands, &count);
    if (exit_code >= 0)
        return exit_code;
    struct mgc_phone_plans plans;
    options.plan.mode = count > 1 ? operands[1] : NULL;
    exit_code = mgc_plan_options_load_all(&options.plan, operands[0], &plans);
    if (exit_code != MGC_EXIT_OK)
        return exit_code;
    exit_code = show_phones(&options, &plans);
    mgc_phone_plans_destroy(&plans);
    return exit_code;
}

/* ---- check --------------------------------------------------------------------------------- */

static void warn_absent(const struct mgc_site *site, const char *key)
{
    const struct mgc_setting *setting = mgc_settings_get(&site->settings, key);
    if (setting && !mgc_file_exists(setting->text))
        fprintf(stderr,
            "mgcoord: warning: %s: %s: '%s' is not on this machine; if the WSL worker runs "
            "elsewhere, it is looked for there\n",
            setting->origin, key, setting->text);
}

/* These files are the WSL worker's, which may be another machine: it checks them, here they are
 * only worth a warning. */
static void warn_files(const struct mgc_site *site)
{
    static const char *const names[] = {"trace", "golden"};
    char key[MGC_KEY_PATH_MAX];
    warn_absent(site, "replay.client");
    warn_absent(site, "replay.library");
    for (size_t i = 0; i < site->workload_count; i++) {
        for (size_t n = 0; n < 2; n++) {
            snprintf(key, sizeof(key), "workloads.%s.%s", site->workloads[i].name, names[n]);
            warn_absent(site, key);
        }
    }
}

/* Whether the workers of the site may connect. */
static void warn_keys(const struct mgc_site *site)
{
    struct mgc_keyring keys;
    struct mgc_hosts hosts;
    struct mgc_error err = {0};
    struct mgc_buf advice = {0};
    if (!mgc_keyring_load(site->keys, &keys, &err)) {
        fprintf(stderr, "mgcoord: warning: %s; next: mgcoord keys init --keys %s\n", err.text,
            site->keys);
        return;
    }
    if (mgc_hosts_init(&hosts, site, &keys, NULL))
        mgc_hosts_advise(&hosts, true, &advice);
    char *rest = NULL;
    for (char *line = advice.len ? strtok_r(advice.data, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest))
        fprintf(stderr, "mgcoord: warning: %s\n", line);
    mgc_buf_destroy(&advice);
    mgc_hosts_destroy(&hosts);
    mgc_keyring_destroy(&keys);
}

static void warn_notify(const struct mgc_site *site)
{
    struct mgc_error err = {0};
    if (!mgc_notify_check(&site->settings, &err))
        fprintf(stderr, "mgcoord: warning: %s\n", err.text);
}

static int check_plans(const struct plan_options *options, const struct mgc_phone_plans *plans)
{
    const struct mgc_site *site = &plans->items[0].site;
    const struct mgc_plan *plan = &plans->items[0].plan;
    struct mgc_site whole = {0};
    char phones[48] = "";
    warn_files(site);
    if (mgc_site_options_try(&options->plan, &whole)) /* with the workers of all phones */
        warn_keys(&whole);
    mgc_site_destroy(&whole);
    warn_notify(site);
    int exit_code = mgc_cmd_check_budget(plans);
    if (exit_code != MGC_EXIT_OK)
        return exit_code;
    size_t measured = 0;
    for (size_t i = 0; i < plan->cell_count; i++)
        measured += plan->cells[i].kind == MGC_CELL_MEASURE;
    if (plans->count > 1)
        snprintf(phones, sizeof(phones), " on each of %zu phones", plans->count);
    printf("plan %s on %s (%s): %zu cell%s%s, nothing wrong\n", plan->name, site->name, site->file,
        measured, measured == 1 ? "" : "s", phones);
    return finish_output();
}

static int check(int argc, char **argv)
{
    static const struct mgc_cli_option rows[] = {
        MGC_PLAN_OPTIONS(struct plan_options, plan),
        {0},
    };
    static const struct mgc_cli cli = {.program = "mgcoord plan check",
        .synopsis = "[options] PLAN [MODE]",
        .summary = "Check a plan and the site. Prints everything that is wrong, by file and line.",
        .options = rows,
        .min_operands = 1,
        .max_operands = 2};
    struct plan_options options = {0};
    char **operands;
    int count, exit_code = mgc_cmd_parse(&cli, argc, argv, &options, &operands, &count);
    if (exit_code >= 0)
        return exit_code;
    struct mgc_phone_plans plans;
    options.plan.mode = count > 1 ? operands[1] : NULL;
    exit_code = mgc_plan_options_load_all(&options.plan, operands[0], &plans);
    if (exit_code != MGC_EXIT_OK)
        return exit_code;
    exit_code = check_plans(&options, &plans);
    mgc_phone_plans_destroy(&plans);
    return exit_code;
}

/* ---- schema -------------------------------------------------------------------------------- */

static int schema(int argc, char **argv)
{
    static const struct mgc_cli cli = {.program = "mgcoord plan schema",
        .synopsis = "[site|plan]",
        .summary = "Print every key of site.yaml or of plan files, as docs/site-format.md and "
                   "docs/plan-format.md have them.",
        .max_operands = 1};
    char **operands;
    int count, exit_code = mgc_cmd_parse(&cli, argc, argv, NULL, &operands, &count);
    if (exit_code >= 0)
        return exit_code;
    static const struct mgc_schema *const schemas[] = {&mgc_schema_site, &mgc_schema_plan};
    struct mgc_buf out = {0};
    for (size_t i = 0; i < 2; i++) {
        if (count == 1 && strcmp(operands[0], schemas[i]->name) != 0)
            continue;
        if (out.len)
            mgc_buf_putc(&out, '\n');
        mgc_schema_print(schemas[i], &out);
    }
    if (out.len)
        return print_buf(&out);
    fprintf(stderr, "mgcoord: no schema is called '%s', expected site or plan\n", operands[0]);
    return MGC_EXIT_USAGE;
}

int mgc_cmd_plan(int argc, char **argv)
{
    static const struct mgc_cli_command commands[] = {
        {"show", "cells, steps, estimate, and the source of every value; runs nothing", show},
        {"check", "everything that is wrong with a plan and the site", check},
        {"schema", "the keys of site.yaml and of plan files", schema},
        {0},
    };
    return mgc_cli_dispatch("mgcoord plan", "Look at plans.", MGC_VERSION, commands, argc, argv);
}
