/* A directory of run_matrix.sh (WORKLOAD/ARM-rREP) or of matrix_p14.sh (WORKLOAD/BACKEND/ARM-rN);
 * contract sections 3.1 and 3.3. They kept no device state, no builds and no proof that a log was
 * read to its end, so nothing in it can be proved as our runs are; what is there is judged. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/parse.h"
#include "common/plat/file.h"
#include "coordinator/legacy/legacy.h"
#include "coordinator/legacy/parse.h"
#include "coordinator/plan/bench.h"
#include "coordinator/plan/build.h"
#include "coordinator/restore/parts.h"

enum { CELLS_MAX = 2000 };

/* ---- finding them --------------------------------------------------------------------------- */

/* "tcp@p14-r2" into arm and rep ("2", "ssim"); M14's dev is a monolith of another build. */
static bool parse_name(const char *text, struct mgc_old_cell *ret_cell)
{
    const char *end = NULL;
    for (const char *at = text; (at = strstr(at, "-r")); at += 2)
        end = at;
    size_t len = end ? (size_t)(end - text) : 0;
    if (len == 0 || len >= sizeof(ret_cell->arm))
        return false;
    memcpy(ret_cell->arm, text, len);
    ret_cell->arm[len] = '\0';
    if (strcmp(ret_cell->arm, "dev") == 0)
        snprintf(ret_cell->arm, sizeof(ret_cell->arm), "monolith@dev");
    ret_cell->ssim = strcmp(end + 2, "ssim") == 0;
    ret_cell->rep = 1;
    return mgc_bench_arm(mgc_bench_built_in(), ret_cell->arm) &&
           (ret_cell->ssim || mgc_parse_int(end + 2, 0, 1000000, &ret_cell->rep));
}

struct search {
    mgc_old_cell_fn *fn;
    void *user;
    size_t found;
    bool ok;
};

/* The names below one directory; NULL for what is none. */
static void take_cells(const char *root, const char *below, const char *workload,
    const char *backend, struct search *search)
{
    char path[MGC_PATH_MAX];
    struct mgc_dir_names names = {0};
    if (!mgc_path_join(path, sizeof(path), root, below) || !mgc_dir_list(path, &names, NULL))
        return;
    for (size_t i = 0; search->ok && i < names.count && search->found < CELLS_MAX; i++) {
        struct mgc_old_cell cell = {.workload = workload, .backend = backend};
        if (!parse_name(names.names[i], &cell) ||
            !mgc_path_join(cell.id, sizeof(cell.id), below, names.names[i]))
            continue;
        search->found++;
        search->ok = search->fn(search->user, &cell);
    }
    mgc_dir_names_destroy(&names);
}

static void take_workload(const char *root, const char *workload, struct search *search)
{
    char path[MGC_PATH_MAX], below[MGC_PATH_MAX];
    struct mgc_dir_names names = {0};
    take_cells(root, workload, workload, NULL, search);
    if (!mgc_path_join(path, sizeof(path), root, workload) || !mgc_dir_list(path, &names, NULL))
        return;
    for (size_t i = 0; search->ok && i < names.count; i++) {
        if (strncmp(names.names[i], "Direct", 6) == 0 &&
            mgc_path_join(below, sizeof(below), workload, names.names[i]))
            take_cells(root, below, workload, names.names[i], search);
    }
    mgc_dir_names_destroy(&names);
}

static bool is_workload(const char *name)
{
    static const char *const others[] = {"bsl", "fcl"}; /* of matrix_p14.sh only */
    return mgc_bench_workload(mgc_bench_built_in(), name) || strcmp(name, others[0]) == 0 ||
           strcmp(name, others[1]) == 0;
}

bool mgc_old_cells_visit(const char *dir, mgc_old_cell_fn *fn, void *user)
{
    struct search search = {.fn = fn, .user = user, .ok = true};
    struct mgc_dir_names names = {0};
    if (!mgc_dir_list(dir, &names, NULL))
        return false;
    for (size_t i = 0; search.ok && i < names.count; i++) {
        if (is_workload(names.names[i]))
            take_workload(dir, names.names[i], &search);
    }
    mgc_dir_names_destroy(&names);
    return search.ok && search.found;
}

static bool any_cell(void *user, const struct mgc_old_cell *cell)
{
    (void)user;
    return cell != NULL;
}

bool mgc_restore_is_old_matrix(const char *dir)
{
    return mgc_old_cells_visit(dir, any_cell, NULL);
}

/* ---- the plan that it would have been ------------------------------------------------------- */

static bool add_cell(void *user, const struct mgc_old_cell *old)
{
    struct mgc_plan *plan = user;
    const struct mgc_bench_workload *workload =
        mgc_bench_workload(mgc_bench_built_in(), old->workload);
    struct mgc_cell *cell = mgc_build_cell(plan, MGC_CELL_MEASURE, "matrix", "%s", old->id);
    if (!cell || !mgc_build_text(&cell->workload, old->workload) ||
        !mgc_build_text(&cell->arm, old->arm) ||
        !mgc_build_text(&cell->expect.backend, old->backend) ||
        !mgc_build_step(cell, "server", "host.server", MGC_ROLE_HOST, 1) ||
        !mgc_build_step(cell, "replay", "host.replay", MGC_ROLE_HOST, 1))
        return false;
    const struct mgc_bench_arm *arm = mgc_bench_arm(mgc_bench_built_in(), old->arm);
    cell->rep = old->rep;
    cell->mode = old->ssim ? MGC_MODE_SSIM : MGC_MODE_BENCHMARK;
    cell->steps[0].best_effort = true; /* its end was not kept */
    if (arm && arm->server && !mgc_build_text(&cell->expect.endpoint, "127.0.0.1:40613"))
        return false;
    if (!workload)
        return true;
    cell->expect.frames = old->ssim ? 0 : workload->frames;
    cell->expect.width = workload->width;
    cell->expect.height = workload->height;
    cell->expect.ssim_threshold = old->ssim ? workload->ssim_threshold : 0;
    return true;
}

static void footnotes(struct mgc_restored *restored, bool p14)
{
    static const char *const texts[] = {
        "it kept no device state, no builds and no proof that its logs are whole: its cells can be "
        "seen to be wrong, but not proved right, so there are no aggregates and no comparisons",
        "Fatal lines are counted in the whole logs that are there, lines of counters without their "
        "banner, and a line that stands in several logs once; of the largest record the larger "
        "value of the two roles stands; a duration of the old script also holds its own waits",
    };
    mgc_results_note(
        &restored->results, "read from a directory of %s", p14 ? "matrix_p14.sh" : "run_matrix.sh");
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        mgc_results_note(&restored->results, "%s", texts[i]);
}

/* ---- all of it ------------------------------------------------------------------------------ */

static bool has_backends(const struct mgc_plan *plan)
{
    for (size_t i = 0; i < plan->cell_count; i++) {
        if (plan->cells[i].expect.backend)
            return true;
    }
    return false;
}

bool mgc_restore_old_matrix(struct mgc_restored *restored, const char *dir, struct mgc_error *err)
{
    struct mgc_results *results = &restored->results;
    struct mgc_plan *plan = &restored->plan;
    restored->old_layout = true;
    if (!mgc_old_cells_visit(dir, add_cell, plan) ||
        !mgc_build_text(&plan->run_id, mgc_path_base(dir)) ||
        !mgc_build_text(&plan->name, has_backends(plan) ? "matrix_p14.sh" : "run_matrix.sh") ||
        !mgc_results_init(results, plan, err))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the results");
    results->tool_build = strdup(plan->name);
    footnotes(restored, has_backends(plan));
    for (size_t i = 0; i < results->count; i++)
        mgc_old_cell_judge(restored, dir, &results->cells[i]);
    mgc_old_summary_compare(restored, dir);
    return true;
}
