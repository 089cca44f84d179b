/* The cells of a run that is resumed: whose verdict stands, and order among their directories. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/plat/file.h"
#include "coordinator/merge/replacement.h"
#include "coordinator/report/report.h"
#include "coordinator/session/resume.h"
#include "coordinator/store/manifest.h"
#include "coordinator/verify/reasons.h"

enum { SAKE_BYTES = 256 };

/* ---- looking ---- */

static int64_t retries_of(const struct mgc_resume *resume)
{
    const json_t *plan = json_object_get(resume->record, "plan");
    return json_integer_value(json_object_get(plan, "retries_per_cell"));
}

static bool is_damaged(const struct mgc_verdict *verdict)
{
    return strcmp(verdict->reason, mgc_reason_words(MGC_REASON_RECORD_DAMAGED)->name) == 0;
}

/* Incomplete is what was cut off, or what its proof never came for: those are measured again. */
static bool is_final(const struct mgc_verdict *verdict, int spent, int64_t retries)
{
    bool again = verdict->infrastructure && spent <= retries;
    return (verdict->state == MGC_VERDICT_MEASURED || verdict->state == MGC_VERDICT_FAILED ||
               verdict->state == MGC_VERDICT_INVALID) &&
           !again;
}

static bool verify_files(
    const struct mgc_run_dir *dir, const struct mgc_cell *cell, struct mgc_standing *standing)
{
    char path[MGC_PATH_MAX];
    struct mgc_error err = {0};
    bool known = standing->settled
                     ? mgc_path_join(path, sizeof(path), dir->path, cell->id)
                     : mgc_run_dir_attempt_path(dir, cell->id, standing->attempt, path, &err);
    if (known && mgc_manifest_verify(path, &err))
        return true;
    snprintf(standing->why, sizeof(standing->why), "%.250s", err.text);
    return false;
}

static bool is_settled(const struct mgc_run_dir *dir, const struct mgc_cell *cell)
{
    char path[MGC_PATH_MAX];
    return mgc_path_join(path, sizeof(path), dir->path, cell->id) && mgc_file_exists(path);
}

/* Its number where it is known and free: a copy of it below attempts/ would be in the way. */
static int settled_number(
    const struct mgc_run_dir *dir, const struct mgc_cell_result *result, int last)
{
    char path[MGC_PATH_MAX];
    bool is_free = !is_damaged(&result->verdict) && result->settled > 0 &&
                   mgc_run_dir_attempt_path(dir, result->cell->id, result->settled, path, NULL) &&
                   !mgc_file_exists(path);
    return is_free ? result->settled : last + 1;
}

/* It failed by what happened around it, and was settled to go again behind its reference: so it
 * does in this session (left_out.c), rather than alone in its old place. */
static bool is_to_be_replaced(const struct mgc_results *results, const struct mgc_cell *cell,
    const struct mgc_cell_result *result, const struct mgc_standing *standing)
{
    if (!results || !standing->settled)
        return false;
    struct mgc_cell_result row = *result;
    row.cell = cell; /* of the plan as it is now, which has the budget */
    return mgc_replacement_due(results, &row);
}

void mgc_resume_look(const struct mgc_resume *resume, const struct mgc_run_dir *dir,
    const struct mgc_cell *cell, const struct mgc_cell_result *result,
    const struct mgc_results *results, struct mgc_standing *ret_standing)
{
    struct mgc_standing standing = {.settled = result && is_settled(dir, cell)};
    struct mgc_tries tries;
    mgc_restore_tries(dir->path, cell->id, 0, &tries);
    standing.attempt = tries.own;
    standing.last = mgc_run_dir_last_attempt(dir, cell->id);
    standing.spent = result ? tries.failed : 0;
    if (standing.settled) {
        standing.attempt = settled_number(dir, result, standing.last);
        mgc_restore_tries(dir->path, cell->id, standing.attempt, &tries);
        standing.last = standing.attempt > standing.last ? standing.attempt : standing.last;
        standing.spent += result->verdict.infrastructure;
    }
    standing.made = tries.made;
    if (result && standing.attempt > 0) {
        if (is_damaged(&result->verdict))
            snprintf(standing.why, sizeof(standing.why), "%.250s", result->verdict.text);
        standing.kept = (is_final(&result->verdict, standing.spent, retries_of(resume)) ||
                            is_to_be_replaced(results, cell, result, &standing)) &&
                        verify_files(dir, cell, &standing);
    }
    *ret_standing = standing;
}

/* ---- putting in order ---- */

/* Whose sake an attempt was made for; NULL: its own, as far as is known. */
static char *read_sake(const char *attempt, struct mgc_buf *text)
{
    char path[MGC_PATH_MAX];
    bool there = mgc_path_join(path, sizeof(path), attempt, MGC_SAKE_FILE) && mgc_file_exists(path);
    return there && mgc_file_read(path, SAKE_BYTES, text, NULL) && text->len
               ? (char *)mgc_buf_text(text)
               : NULL;
}

/* A verdict for an attempt whose own is not there or not true; no step of it is known. */
static bool write_verdict(const struct mgc_cell *cell, int number, const char *path,
    const struct mgc_verdict *verdict, struct mgc_error *err)
{
    struct mgc_cell bare = *cell;
    struct mgc_buf sake_id = {0};
    struct mgc_cell sake = {.id = read_sake(path, &sake_id)};
    struct mgc_attempt attempt = {.cell = &bare, .number = number, .sake = sake.id ? &sake : NULL};
    struct mgc_buf text = {0};
    char file[MGC_PATH_MAX];
    bare.step_count = 0;
    bool ok = mgc_report_verdict_json(&attempt, verdict, NULL, &text, err) &&
              (mgc_path_join(file, sizeof(file), path, "verdict.json") ||
                  mgc_error_set(err, MGC_E_CONFIG, "'%s': path is too long", path)) &&
              mgc_file_write(file, text.data, text.len, 0644, err);
    mgc_buf_destroy(&text);
    mgc_buf_destroy(&sake_id);
    return ok;
}

static bool put_aside_verdict(const char *path, struct mgc_error *err)
{
    char file[MGC_PATH_MAX], aside[MGC_PATH_MAX];
    if (!mgc_path_join(file, sizeof(file), path, "verdict.json") ||
        !mgc_path_join(aside, sizeof(aside), path, "verdict.json.damaged"))
        return mgc_error_set(err, MGC_E_CONFIG, "'%s': path is too long", path);
    return !mgc_file_exists(file) || mgc_file_rename(file, aside, err);
}

static bool mark_damaged(const struct mgc_run_dir *dir, const struct mgc_cell *cell,
    const struct mgc_standing *standing, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_verdict verdict = {0};
    mgc_reason_set(&verdict, MGC_REASON_RECORD_DAMAGED,
        "found when the run was resumed, and measured again: %s", standing->why);
    bool ok = mgc_run_dir_attempt_path(dir, cell->id, standing->attempt, path, err) &&
              put_aside_verdict(path, err) &&
              write_verdict(cell, standing->attempt, path, &verdict, err);
    mgc_verdict_destroy(&verdict);
    return ok;
}

static bool mark_cut_off(
    const struct mgc_run_dir *dir, const struct mgc_cell *cell, int number, struct mgc_error *err)
{
    char path[MGC_PATH_MAX], file[MGC_PATH_MAX];
    struct mgc_verdict verdict = {0};
    if (!mgc_run_dir_attempt_path(dir, cell->id, number, path, err))
        return false;
    if (!mgc_file_exists(path) ||
        (mgc_path_join(file, sizeof(file), path, "verdict.json") && mgc_file_exists(file)))
        return true;
    mgc_reason_set(&verdict, MGC_REASON_RUN_ENDED,
        "the coordinator ended while attempt %d was on; the run was resumed later", number);
    bool ok = write_verdict(cell, number, path, &verdict, err);
    mgc_verdict_destroy(&verdict);
    return ok;
}

static bool put_in_order(const struct mgc_run_dir *dir, const struct mgc_cell *cell,
    const struct mgc_standing *standing, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    bool ok = true;
    if (standing->kept && !standing->settled)
        ok = mgc_run_dir_settle(dir, cell->id, standing->attempt, path, err);
    else if (!standing->kept && standing->settled)
        ok = mgc_run_dir_unsettle(dir, cell->id, standing->attempt, path, err);
    if (ok && !standing->kept && standing->why[0])
        ok = mark_damaged(dir, cell, standing, err);
    for (int number = 1; ok && number <= standing->last; number++)
        ok = mark_cut_off(dir, cell, number, err);
    return ok;
}

static bool take(struct mgc_cell_result *from, struct mgc_cell_result *to, struct mgc_error *err)
{
    to->dir = strdup(to->cell->id);
    if (!to->dir)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for cell '%s'", to->cell->id);
    to->verdict = from->verdict;
    from->verdict = (struct mgc_verdict){0};
    to->release = from->release;
    to->duration_ns = from->duration_ns;
    to->session = from->session;
    to->start_wall_ns = from->start_wall_ns;
    to->end_wall_ns = from->end_wall_ns;
    return true;
}

static bool resume_cell(struct mgc_resume *resume, const struct mgc_run_dir *dir,
    const struct mgc_results *results, const struct mgc_cell *cell, struct mgc_cell_result *from,
    struct mgc_cell_result *to, struct mgc_standing *ret_standing, struct mgc_error *err)
{
    mgc_resume_look(resume, dir, cell, from, results, ret_standing);
    if (!put_in_order(dir, cell, ret_standing, err))
        return mgc_error_prefix(err, "%s", cell->id);
    if (to)
        to->attempts = ret_standing->made;
    if (to)
        to->replaced = from->replaced;
    if (to && ret_standing->kept)
        to->settled = ret_standing->attempt;
    return !ret_standing->kept || take(from, to, err);
}

/* What cells that went again are held against; both plans have the same cells in the same places.
 */
static bool resume_besides(const struct mgc_results *stored, struct mgc_results *results,
    const struct mgc_standing *standings, struct mgc_error *err)
{
    const struct mgc_plan *plan = results->plan;
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell_result *from = &stored->cells[i];
        struct mgc_cell_result *to = &results->cells[i];
        if (!from->beside_attempt || !standings[to->cell - plan->cells].kept)
            continue;
        const struct mgc_cell *reference =
            from->beside_cell ? &plan->cells[from->beside_cell - stored->plan->cells] : NULL;
        if (!mgc_replacement_stand(to, reference, from->beside_attempt, &from->beside))
            return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for cell '%s'", to->cell->id);
    }
    return true;
}

/* ---- brackets ---- */

static bool is_block_kept(const struct mgc_plan *plan, const struct mgc_standing *standings,
    const struct mgc_cell *bracket)
{
    size_t first, end = mgc_plan_block(plan, bracket, &first);
    for (size_t i = first; i < end; i++) {
        const struct mgc_cell *cell = &plan->cells[i];
        bool may_be_left_out = cell->confirm && standings[i].last == 0;
        if (cell->kind == MGC_CELL_MEASURE && !standings[i].kept && !may_be_left_out)
            return false;
    }
    return true;
}

/* A block of which anything is measured again is looked at again, before and after. */
static void resume_brackets(
    struct mgc_results *stored, struct mgc_results *results, struct mgc_standing *standings)
{
    const struct mgc_plan *plan = results->plan;
    for (size_t i = 0; i < results->bracket_count && i < stored->bracket_count; i++) {
        struct mgc_bracket_result *from = &stored->brackets[i], *to = &results->brackets[i];
        if (strcmp(from->cell->id, to->cell->id) != 0 || !mgc_verdict_is_named(&from->verdict) ||
            !is_block_kept(plan, standings, to->cell))
            continue;
        standings[to->cell - plan->cells].kept = true;
        to->verdict = from->verdict;
        to->wall_ns = from->wall_ns;
        from->verdict = (struct mgc_verdict){0};
    }
}

bool mgc_resume_cells(struct mgc_resume *resume, const struct mgc_run_dir *dir,
    struct mgc_results *results, struct mgc_standing *ret_standings, struct mgc_error *err)
{
    struct mgc_results *stored = &resume->restored->results;
    const struct mgc_plan *plan = results->plan;
    size_t at = 0;
    results->replaced = stored->replaced; /* the budget is the run's, not the session's */
    for (size_t i = 0; i < plan->cell_count; i++) {
        bool measured = plan->cells[i].kind == MGC_CELL_MEASURE;
        if (measured &&
            (at >= stored->count || strcmp(stored->cells[at].cell->id, plan->cells[i].id) != 0))
            return mgc_error_set(err, MGC_E_CONFIG,
                "run.json has no cell '%s' at its place of the plan", plan->cells[i].id);
        if (!resume_cell(resume, dir, results, &plan->cells[i],
                measured ? &stored->cells[at] : NULL, measured ? &results->cells[at] : NULL,
                &ret_standings[i], err))
            return false;
        at += measured;
    }
    resume_brackets(stored, results, ret_standings);
    return resume_besides(stored, results, ret_standings, err);
}
