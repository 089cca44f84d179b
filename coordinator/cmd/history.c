/* mgcoord history: what was measured so far; mgcoord history import DIR...: run directories into
 * it. */
#include <stdio.h>
#include <string.h>

#include "common/plat/file.h"
#include "coordinator/cmd/commands.h"
#include "coordinator/cmd/exit_code.h"
#include "coordinator/cmd/history_file.h"
#include "coordinator/history/history.h"
#include "coordinator/history/print.h"
#include "coordinator/merge/confirm.h"
#include "coordinator/restore/fleet.h"

/* ---- import ---- */

static bool import_one(struct mgc_history *history, const char *dir, struct mgc_error *err)
{
    bool added;
    struct mgc_restored *restored = mgc_restore(dir, err);
    if (!restored)
        return false;
    mgc_results_drop_unconfirmed(&restored->results);
    bool old = restored->old_layout;
    bool ok = mgc_history_record(
        history, &restored->results, dir, old ? MGC_ORIGIN_OLD : MGC_ORIGIN_IMPORT, &added, err);
    if (ok)
        printf("%s: %s%s\n", dir,
            added ? "is in the history now" : "was there already, from the run itself",
            old                  ? ", as a directory of the old scripts"
            : restored->finished ? ""
                                 : ", as a run that did not come to its end");
    mgc_restored_free(restored);
    return ok;
}

/* Of a run on several phones each is a run of its own. */
static bool import_any(struct mgc_history *history, const char *dir, struct mgc_error *err)
{
    struct mgc_fleet_list list;
    char part[MGC_PATH_MAX];
    bool ok = true;
    if (!mgc_fleet_list_read(dir, &list, NULL))
        return import_one(history, dir, err);
    for (size_t i = 0; i < list.count; i++) {
        struct mgc_error why = {0};
        if ((mgc_fleet_part(dir, list.phones[i], part) ||
                mgc_error_set(&why, MGC_E_CONFIG, "'%s': path is too long", dir)) &&
            import_one(history, part, &why))
            continue;
        if (ok)
            *err = why;
        ok = false;
    }
    mgc_fleet_list_destroy(&list);
    return ok;
}

/* One that cannot be read does not keep the others out. */
static int import_all(const char *root, char **dirs, int count)
{
    struct mgc_error err = {0};
    char path[MGC_PATH_MAX], note[MGC_ERROR_TEXT_MAX];
    int failed = MGC_EXIT_OK;
    if (!mgc_history_path(root, path, &err) || !mgc_dir_make(root, 0755, &err))
        return mgc_cmd_fail(&err);
    struct mgc_history *history = mgc_history_open_or_renew(path, note, &err);
    if (!history)
        return mgc_cmd_fail(&err);
    if (note[0])
        fprintf(stderr, "mgcoord: %s\n", note);
    for (int i = 0; i < count; i++) {
        mgc_error_clear(&err);
        if (import_any(history, dirs[i], &err))
            continue;
        if (err.code == MGC_E_NOT_FOUND)
            err.code = MGC_E_USAGE;
        int code = mgc_cmd_fail(&err);
        failed = failed == MGC_EXIT_OK ? code : failed;
    }
    mgc_history_close(history);
    return failed;
}

struct import_options {
    struct mgc_history_place place;
};

static int import(int argc, char **argv)
{
    static const struct mgc_cli_option rows[] = {
        MGC_HISTORY_OPTIONS(struct import_options, place), {0}};
    static const struct mgc_cli cli = {.program = "mgcoord history import",
        .synopsis = "[options] DIR...",
        .summary = "Bring runs into the history from their directories, also those that were "
                   "killed and those that the old scripts wrote. A run that is there already is "
                   "not there twice.",
        .options = rows,
        .min_operands = 1,
        .max_operands = -1};
    struct import_options options = {0};
    char root[MGC_PATH_MAX];
    char **operands;
    int count, code = mgc_cmd_parse(&cli, argc, argv, &options, &operands, &count);
    if (code >= 0)
        return code;
    code = mgc_history_root(&options.place, root);
    return code == MGC_EXIT_OK ? import_all(root, operands, count) : code;
}

/* ---- show ---- */

struct history_options {
    struct mgc_history_place place;
    const char *device, *workload, *arm;
    int64_t last;
    bool json;
};

static bool show(const struct history_options *options, const char *path, struct mgc_error *err)
{
    struct mgc_history_filter filter = {.device = options->device,
        .workload = options->workload,
        .arm = options->arm,
        .last = (size_t)options->last};
    struct mgc_nights nights = {0};
    struct mgc_buf text = {0};
    struct mgc_history *history = mgc_history_open(path, MGC_HISTORY_READ, err);
    bool ok = history && mgc_nights_load(history, &filter, &nights, err) &&
              mgc_nights_judge(history, &nights, err);
    mgc_history_close(history);
    if (ok && !options->json)
        mgc_nights_print(&nights, &text);
    ok = ok && mgc_history_output(&text, options->json ? mgc_nights_to_json(&nights) : NULL, err);
    mgc_nights_destroy(&nights);
    mgc_buf_destroy(&text);
    return ok;
}

int mgc_cmd_history(int argc, char **argv)
{
    static const struct mgc_cli_range last_range = {0, 1000000};
    static const struct mgc_cli_option rows[] = {
        {"device", 'd', "D", "only this phone: its serial, or its model", mgc_cli_string,
            offsetof(struct history_options, device), NULL},
        {"workload", 'w', "W", "only this workload", mgc_cli_string,
            offsetof(struct history_options, workload), NULL},
        {"arm", 'A', "A", "only this arm", mgc_cli_string, offsetof(struct history_options, arm),
            NULL},
        {"last", 'l', "N", "so many runs of each arm (default 10; 0: all)", mgc_cli_int,
            offsetof(struct history_options, last), &last_range},
        {"json", 'j', NULL, "as JSON", mgc_cli_flag, offsetof(struct history_options, json), NULL},
        MGC_HISTORY_OPTIONS(struct history_options, place),
        {0},
    };
    static const struct mgc_cli cli = {.program = "mgcoord history",
        .synopsis = "[options] | import DIR...",
        .summary = "What was measured so far, by phone, workload and arm, a line per run: how many "
                   "cells were measured, median, spread, builds, whether anything but time changed "
                   "since the run before, and what the gate says of the last run.",
        .options = rows,
        .notes = "'mgcoord history import --help': run directories into the history."};
    struct history_options options = {.last = 10};
    struct mgc_error err = {0};
    char root[MGC_PATH_MAX], path[MGC_PATH_MAX];
    char **operands;
    if (argc > 1 && strcmp(argv[1], "import") == 0)
        return import(argc - 1, argv + 1);
    int count, code = mgc_cmd_parse(&cli, argc, argv, &options, &operands, &count);
    if (code >= 0)
        return code;
    code = mgc_history_root(&options.place, root);
    if (code != MGC_EXIT_OK)
        return code;
    return mgc_history_path(root, path, &err) && show(&options, path, &err) ? MGC_EXIT_OK
                                                                            : mgc_cmd_fail(&err);
}
