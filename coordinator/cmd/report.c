/* mgcoord report DIR: a run's directory once more, from what is stored in it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/path.h"
#include "common/plat/file.h"
#include "coordinator/cmd/commands.h"
#include "coordinator/cmd/exit_code.h"
#include "coordinator/cmd/options.h"
#include "coordinator/cmd/report_fleet.h"
#include "coordinator/cmd/screen.h"
#include "coordinator/control/client.h"
#include "coordinator/merge/confirm.h"
#include "coordinator/report/report.h"
#include "coordinator/restore/restore.h"

struct report_options {
    bool markdown, json, junit, csv, dry;
};

static bool table(const struct mgc_results *results, struct mgc_buf *out, struct mgc_error *err)
{
    return mgc_report_table(results, mgc_screen_columns(stdout), out, err);
}

static bool print(const struct mgc_results *results, mgc_report_form *form, struct mgc_error *err)
{
    struct mgc_buf text = {0};
    bool ok = form(results, &text, err);
    if (ok && (fwrite(text.data, 1, text.len, stdout) != text.len || fflush(stdout) != 0))
        ok = mgc_error_errno(err, errno, "print the report");
    mgc_buf_destroy(&text);
    return ok;
}

/* Is it the run that is on in the directory above? Its files are then its own to write. */
static bool is_on(const char *dir, const char *run_id)
{
    char above[MGC_PATH_MAX];
    struct mgc_control_client run;
    struct mgc_error err = {0};
    if (!mgc_path_join(above, sizeof(above), dir, ".."))
        return false;
    bool found = mgc_control_open(&run, above, &err) || err.code == MGC_E_LOST;
    bool same = found && strcmp(run.run.run_id, run_id) == 0;
    mgc_control_close(&run);
    return same;
}

/* One of several phones stands two directories below the run's lock. */
static bool is_part_on(const char *dir, const struct mgc_restored *restored)
{
    char whole[MGC_PATH_MAX];
    if (!restored->plan.part_of)
        return is_on(dir, restored->plan.run_id);
    return mgc_path_join(whole, sizeof(whole), dir, "../..") &&
           is_on(whole, restored->plan.part_of);
}

static void tell_on(void)
{
    fprintf(stderr, "mgcoord: this run is still on; here is what it has stored so far\n");
}

static bool report(const struct report_options *options, const char *dir,
    struct mgc_restored *restored, struct mgc_error *err)
{
    const struct mgc_results *results = &restored->results;
    bool on = !restored->finished && !restored->old_layout && is_part_on(dir, restored);
    if (on) {
        tell_on();
        mgc_restored_is_on(restored);
    }
    if (!on && !options->dry && !restored->old_layout && !mgc_report_write(results, dir, err))
        return mgc_error_prefix(err, "write the report (--dry only shows it)");
    mgc_report_form *form = options->json       ? mgc_report_summary_json
                            : options->junit    ? mgc_report_junit
                            : options->csv      ? mgc_report_cells_csv
                            : options->markdown ? mgc_report_markdown
                                                : table;
    return print(results, form, err);
}

/* ---- several phones ---- */

static bool print_fleet(
    const struct mgc_fleet_report *report, mgc_fleet_form *form, struct mgc_error *err)
{
    struct mgc_buf text = {0};
    bool ok = form(report, &text, err);
    if (ok && (fwrite(text.data, 1, text.len, stdout) != text.len || fflush(stdout) != 0))
        ok = mgc_error_errno(err, errno, "print the report");
    mgc_buf_destroy(&text);
    return ok;
}

static bool report_fleet(const struct report_options *options, const char *dir,
    const struct mgc_fleet_list *list, struct mgc_error *err)
{
    struct mgc_fleet_restored restored;
    bool on = is_on(dir, list->run_id);
    if (options->csv)
        return mgc_error_set(err, MGC_E_USAGE,
            "--csv: each phone of this run has a cells.csv of its own, in %s/phones/NAME", dir);
    if (!mgc_fleet_restore(&restored, dir, on, err))
        return false;
    if (on)
        tell_on();
    mgc_fleet_form *form = options->json       ? mgc_fleet_json
                           : options->junit    ? mgc_fleet_junit
                           : options->markdown ? mgc_fleet_markdown
                                               : mgc_fleet_table;
    bool ok = on || options->dry || mgc_fleet_restored_write(&restored, dir, err) ||
              mgc_error_prefix(err, "write the report (--dry only shows it)");
    ok = ok && print_fleet(&restored.report, form, err);
    mgc_fleet_restored_destroy(&restored);
    return ok;
}

/* ---- the command ---- */

static bool report_one(const struct report_options *options, const char *dir, struct mgc_error *err)
{
    struct mgc_restored *restored = mgc_restore(dir, err);
    if (!restored && err->code == MGC_E_NOT_FOUND)
        err->code = MGC_E_USAGE;
    if (restored)
        mgc_results_drop_unconfirmed(&restored->results);
    bool ok = restored && report(options, dir, restored, err);
    mgc_restored_free(restored);
    return ok;
}

static bool report_any(const struct report_options *options, char *dir, struct mgc_error *err)
{
    struct mgc_fleet_list list;
    size_t len = strlen(dir);
    while (len > 1 && dir[len - 1] == '/')
        dir[--len] = '\0';
    if (!mgc_fleet_list_read(dir, &list, NULL))
        return report_one(options, dir, err);
    bool ok = report_fleet(options, dir, &list, err);
    mgc_fleet_list_destroy(&list);
    return ok;
}

int mgc_cmd_report(int argc, char **argv)
{
    static const struct mgc_cli_option rows[] = {
        {"markdown", 'm', NULL, "print REPORT.md, with every column, instead of the table",
            mgc_cli_flag, offsetof(struct report_options, markdown)},
        {"json", 'j', NULL, "print summary.json instead of the table", mgc_cli_flag,
            offsetof(struct report_options, json)},
        {"junit", 0, NULL, "print junit.xml instead of the table", mgc_cli_flag,
            offsetof(struct report_options, junit)},
        {"csv", 0, NULL, "print cells.csv instead of the table", mgc_cli_flag,
            offsetof(struct report_options, csv)},
        {"dry", 'n', NULL, "write nothing into the directory", mgc_cli_flag,
            offsetof(struct report_options, dry)},
        {0},
    };
    static const struct mgc_cli cli = {.program = "mgcoord report",
        .synopsis = "[options] DIR",
        .summary =
            "Read a run's directory, also one whose run was killed, write its REPORT.md, "
            "summary.json, junit.xml and cells.csv anew and print the table. A directory that "
            "crosshost_accept.sh "
            "wrote (the one with ssim-* and bench-*, or the one above), or run_matrix.sh, or "
            "matrix_p14.sh (its TAG), is shown, not written to. Of a run on several phones: those "
            "of "
            "each phone, and those of all.",
        .options = rows,
        .min_operands = 1,
        .max_operands = 1};
    struct report_options options = {0};
    struct mgc_error err = {0};
    char **operands;
    int count, exit_code = mgc_cmd_parse(&cli, argc, argv, &options, &operands, &count);
    if (exit_code >= 0)
        return exit_code;
    return report_any(&options, operands[0], &err) ? MGC_EXIT_OK : mgc_cmd_fail(&err);
}
