/* mgcoord compare A B: two runs, by id, by directory, or last, last-1. */
#include <stdlib.h>
#include <string.h>

#include "common/plat/file.h"
#include "coordinator/cmd/commands.h"
#include "coordinator/cmd/exit_code.h"
#include "coordinator/cmd/history_file.h"
#include "coordinator/history/history.h"
#include "coordinator/history/print.h"
#include "coordinator/restore/restore.h"

struct compare_options {
    struct mgc_history_place place;
    bool json;
};

struct side {
    struct mgc_history_run run;
    struct mgc_history_cells cells;
};

static void side_destroy(struct side *side)
{
    mgc_history_run_destroy(&side->run);
    mgc_history_cells_destroy(&side->cells);
}

static bool load(
    struct mgc_history *history, const char *name, struct side *ret_side, struct mgc_error *err)
{
    const struct mgc_history_filter all = {0};
    return mgc_history_find(history, name, &ret_side->run, err) &&
           mgc_history_cells(history, &ret_side->run, &all, &ret_side->cells, err);
}

static bool load_known(
    const char *root, const char *name, struct side *ret_side, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_history *history =
        mgc_history_path(root, path, err) ? mgc_history_open(path, MGC_HISTORY_READ, err) : NULL;
    bool ok = history && load(history, name, ret_side, err);
    mgc_history_close(history);
    return ok;
}

/* A directory goes through a history in memory, so that both come the same way. It is the only run
 * there, and an old one has no time: it is found by what it was called. */
static bool load_dir(const char *dir, struct side *ret_side, struct mgc_error *err)
{
    const struct mgc_history_filter all = {0};
    struct mgc_restored *restored = mgc_restore(dir, err);
    struct mgc_history *history =
        restored ? mgc_history_open(MGC_HISTORY_IN_MEMORY, MGC_HISTORY_WRITE, err) : NULL;
    bool ok = history && mgc_history_record(history, &restored->results, dir,
                             restored->old_layout ? MGC_ORIGIN_OLD : MGC_ORIGIN_IMPORT, NULL, err);
    ok = ok && mgc_history_only(history, &ret_side->run, err) &&
         mgc_history_cells(history, &ret_side->run, &all, &ret_side->cells, err);
    mgc_history_close(history);
    mgc_restored_free(restored);
    return ok;
}

static bool is_dir(const char *name)
{
    return strchr(name, '/') || (strncmp(name, "last", 4) != 0 && mgc_file_exists(name));
}

static bool load_side(
    const char *root, const char *name, struct side *ret_side, struct mgc_error *err)
{
    return is_dir(name) ? load_dir(name, ret_side, err) : load_known(root, name, ret_side, err);
}

/* Other nights on A's device, for the floor. Two directories alone have none. */
static bool load_past(const char *root, const struct side *a, const struct side *b,
    struct mgc_past *ret_past, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_history_run from = a->run; /* its texts are borrowed */
    from.start_wall_ns = INT64_MAX;       /* nights after A show the floor as well */
    *ret_past = (struct mgc_past){0};
    if (!root[0] || !a->run.serial)
        return true;
    if (!mgc_history_path(root, path, err))
        return false;
    if (!mgc_file_exists(path)) /* A and B are directories */
        return true;
    struct mgc_history *history = mgc_history_open(path, MGC_HISTORY_READ, err);
    bool ok = history && mgc_past_load(history, &from, &b->run, &a->cells, ret_past, err);
    mgc_history_close(history);
    return ok;
}

static bool compare(
    const struct compare_options *options, const char *root, char **names, struct mgc_error *err)
{
    struct side a = {0}, b = {0};
    struct mgc_past past = {0};
    struct mgc_run_arm *arms = NULL;
    struct mgc_buf text = {0};
    size_t count = 0;
    bool ok = load_side(root, names[0], &a, err) && load_side(root, names[1], &b, err) &&
              load_past(root, &a, &b, &past, err) &&
              mgc_runs_compare(&a.cells, &b.cells, &past, &arms, &count, err);
    struct mgc_run_pair pair = {.a = &a.run, .b = &b.run, .arms = arms, .count = count};
    if (ok && !options->json)
        mgc_run_pair_print(&pair, &text);
    ok = ok && mgc_history_output(&text, options->json ? mgc_run_pair_to_json(&pair) : NULL, err);
    free(arms);
    mgc_past_destroy(&past);
    side_destroy(&a);
    side_destroy(&b);
    mgc_buf_destroy(&text);
    return ok;
}

/* Two directories need no history. */
static int find_root(
    const struct compare_options *options, char **names, char ret_root[MGC_PATH_MAX])
{
    ret_root[0] = '\0';
    return is_dir(names[0]) && is_dir(names[1]) ? MGC_EXIT_OK
                                                : mgc_history_root(&options->place, ret_root);
}

int mgc_cmd_compare(int argc, char **argv)
{
    static const struct mgc_cli_option rows[] = {
        {"json", 'j', NULL, "as JSON", mgc_cli_flag, offsetof(struct compare_options, json), NULL},
        MGC_HISTORY_OPTIONS(struct compare_options, place),
        {0},
    };
    static const struct mgc_cli cli = {.program = "mgcoord compare",
        .synopsis = "[options] A B",
        .summary = "Hold run B against run A, arm by arm: difference, interval, method, and what "
                   "may be concluded; or the first fact that forbids the comparison.",
        .options = rows,
        .min_operands = 2,
        .max_operands = 2,
        .notes = "A and B: a run's id, its directory, last, or last-N (N runs before the last)."};
    struct compare_options options = {0};
    struct mgc_error err = {0};
    char root[MGC_PATH_MAX];
    char **operands;
    int count, code = mgc_cmd_parse(&cli, argc, argv, &options, &operands, &count);
    if (code >= 0)
        return code;
    code = find_root(&options, operands, root);
    if (code != MGC_EXIT_OK)
        return code;
    if (compare(&options, root, operands, &err))
        return MGC_EXIT_OK;
    if (err.code == MGC_E_NOT_FOUND)
        err.code = MGC_E_USAGE;
    return mgc_cmd_fail(&err);
}
