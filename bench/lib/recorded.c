#include "bench/lib/recorded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/str.h"
#include "common/plat/file.h"
#include "coordinator/plan/build.h"
#include "coordinator/restore/parts.h"

/* ---- one cell ---- */

static bool take_artifact(const json_t *row, struct mgc_recorded_step *step)
{
    const char *name = mgc_restore_text(row, "name"), *hash = mgc_restore_text(row, "sha256");
    struct mgc_artifact *artifacts =
        realloc(step->artifacts, (step->artifact_count + 1) * sizeof(*artifacts));
    if (!artifacts)
        return false;
    step->artifacts = artifacts;
    struct mgc_artifact *artifact = &artifacts[step->artifact_count];
    *artifact = (struct mgc_artifact){.name = strdup(name ? name : ""),
        .size_bytes = (uint64_t)mgc_restore_int(row, "size_bytes", 0)};
    snprintf(artifact->sha256, sizeof(artifact->sha256), "%s", hash ? hash : "");
    snprintf(artifact->raw_sha256, sizeof(artifact->raw_sha256), "%s", hash ? hash : "");
    step->artifact_count += artifact->name != NULL;
    return artifact->name != NULL;
}

static bool take_artifacts(const json_t *manifest, struct mgc_recorded_step *step)
{
    const json_t *files = json_object_get(manifest, "files");
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(files); i++) {
        const json_t *row = json_array_get(files, i);
        const char *of = mgc_restore_text(row, "step");
        ok = !of || strcmp(of, step->id) != 0 || take_artifact(row, step);
    }
    return ok;
}

/* Steps that held for the whole run stand a second time, as they ended. */
static void take_step(const json_t *row, struct mgc_recorded_step *step)
{
    mgc_restore_fields(json_object_get(row, "ready"), &step->ready);
    mgc_restore_fields(json_object_get(row, "facts"), &step->facts);
    step->undo_done = mgc_restore_int(row, "undo_done", 0);
}

static bool take_steps(
    struct mgc_recorded_cell *cell, const json_t *verdict, const json_t *manifest)
{
    const json_t *steps = json_object_get(verdict, "steps");
    const json_t *holders = json_object_get(verdict, "holders");
    cell->steps = calloc(json_array_size(steps) + 1, sizeof(*cell->steps));
    bool ok = cell->steps != NULL;
    for (size_t i = 0; ok && i < json_array_size(steps); i++) {
        struct mgc_recorded_step *step = &cell->steps[cell->step_count++];
        const json_t *row = json_array_get(steps, i);
        ok = mgc_build_text(&step->id, mgc_restore_text(row, "step")) && step->id;
        if (ok)
            take_step(row, step);
        for (size_t h = 0; ok && h < json_array_size(holders); h++) {
            const char *id = mgc_restore_text(json_array_get(holders, h), "step");
            if (id && strcmp(id, step->id) == 0)
                take_step(json_array_get(holders, h), step);
        }
        ok = ok && take_artifacts(manifest, step);
    }
    return ok;
}

/* Of the only attempt there is. */
static bool find_dir(const char *run_dir, const char *id, char ret_dir[MGC_PATH_MAX])
{
    int len = snprintf(ret_dir, MGC_PATH_MAX, "%s/%s", run_dir, id);
    if (len > 0 && len < MGC_PATH_MAX && mgc_file_exists(ret_dir))
        return true;
    len = snprintf(ret_dir, MGC_PATH_MAX, "%s/attempts/%s/a1", run_dir, id);
    return len > 0 && len < MGC_PATH_MAX && mgc_file_exists(ret_dir);
}

static bool copy_file(
    const char *from_dir, const char *to_dir, const char *name, struct mgc_error *err)
{
    char from[MGC_PATH_MAX], to[MGC_PATH_MAX];
    struct mgc_buf data = {0};
    bool ok = (mgc_path_join(from, sizeof(from), from_dir, name) &&
                  mgc_path_join(to, sizeof(to), to_dir, name)) ||
              mgc_error_set(err, MGC_E_CONFIG, "'%s': path is too long", name);
    ok = ok && mgc_file_read(from, MGC_BUF_MAX_DEFAULT, &data, err) &&
         mgc_file_write(to, data.data, data.len, 0644, err);
    mgc_buf_destroy(&data);
    return ok;
}

static bool copy_files(
    const struct mgc_recorded_cell *cell, const char *from_dir, struct mgc_error *err)
{
    bool ok = mgc_dir_make(cell->dir, 0777, err);
    for (size_t s = 0; s < cell->step_count; s++) {
        const struct mgc_recorded_step *step = &cell->steps[s];
        for (size_t i = 0; ok && i < step->artifact_count; i++)
            ok = copy_file(from_dir, cell->dir, step->artifacts[i].name, err);
    }
    return ok;
}

static bool load_cell(struct mgc_recorded_cell *cell, const char *run_dir,
    const struct mgc_cell *from, struct mgc_error *err)
{
    char dir[MGC_PATH_MAX];
    if (!find_dir(run_dir, from->id, dir))
        return mgc_error_set(err, MGC_E_NOT_FOUND, "'%s' has no cell '%s'", run_dir, from->id);
    json_t *verdict = mgc_restore_json(dir, "verdict.json", err);
    json_t *manifest = verdict ? mgc_restore_json(dir, "manifest.json", err) : NULL;
    bool ok = manifest != NULL;
    cell->cell = (struct mgc_cell){.kind = from->kind, .mode = from->mode, .after = from->after};
    if (ok && (!mgc_build_text(&cell->cell.lane, from->lane) ||
                  !mgc_build_text(&cell->cell.workload, from->workload) ||
                  !mgc_build_text(&cell->cell.arm, from->arm) ||
                  !mgc_build_text(&cell->cell.expect.backend, from->expect.backend) ||
                  !take_steps(cell, verdict, manifest)))
        ok = mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a recorded cell");
    ok = ok && copy_files(cell, dir, err);
    json_decref(manifest);
    json_decref(verdict);
    return ok;
}

/* ---- all ---- */

bool mgc_recorded_load(
    struct mgc_recorded *recorded, const char *dir, const char *files_dir, struct mgc_error *err)
{
    struct mgc_restored *run = mgc_restore(dir, err);
    *recorded = (struct mgc_recorded){0};
    if (!run)
        return false;
    recorded->cells = calloc(run->plan.cell_count + 1, sizeof(*recorded->cells));
    bool ok = recorded->cells || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the cells");
    for (size_t i = 0; ok && i < run->plan.cell_count; i++) {
        struct mgc_recorded_cell *cell = &recorded->cells[recorded->count++];
        int len = snprintf(cell->dir, sizeof(cell->dir), "%s/%zu", files_dir, i);
        ok = (len > 0 && len < MGC_PATH_MAX) ||
             mgc_error_set(err, MGC_E_CONFIG, "'%s': path is too long", files_dir);
        ok = ok && load_cell(cell, dir, &run->plan.cells[i], err);
    }
    mgc_restored_free(run);
    return ok;
}

static void step_destroy(struct mgc_recorded_step *step)
{
    for (size_t i = 0; i < step->artifact_count; i++)
        free(step->artifacts[i].name);
    free(step->artifacts);
    free(step->id);
    mgc_fields_destroy(&step->ready);
    mgc_fields_destroy(&step->facts);
}

void mgc_recorded_destroy(struct mgc_recorded *recorded)
{
    if (!recorded)
        return;
    for (size_t i = 0; i < recorded->count; i++) {
        struct mgc_recorded_cell *cell = &recorded->cells[i];
        for (size_t s = 0; s < cell->step_count; s++)
            step_destroy(&cell->steps[s]);
        free(cell->steps);
        free(cell->cell.lane);
        free(cell->cell.workload);
        free(cell->cell.arm);
        free(cell->cell.expect.backend);
    }
    free(recorded->cells);
    *recorded = (struct mgc_recorded){0};
}

const struct mgc_recorded_cell *mgc_recorded_cell(
    const struct mgc_recorded *recorded, const struct mgc_cell *cell)
{
    for (size_t i = 0; i < recorded->count; i++) {
        const struct mgc_cell *own = &recorded->cells[i].cell;
        if (own->kind == cell->kind && own->mode == cell->mode && own->after == cell->after &&
            mgc_str_same(own->lane, cell->lane) && mgc_str_same(own->workload, cell->workload) &&
            mgc_str_same(own->arm, cell->arm) &&
            mgc_str_same(own->expect.backend, cell->expect.backend))
            return &recorded->cells[i];
    }
    return NULL;
}

const struct mgc_recorded_step *mgc_recorded_step(
    const struct mgc_recorded_cell *cell, const char *step_id)
{
    for (size_t i = 0; cell && i < cell->step_count; i++) {
        if (strcmp(cell->steps[i].id, step_id) == 0)
            return &cell->steps[i];
    }
    return NULL;
}
