#include "coordinator/plan/build.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool mgc_build_lists(const char *list, const char *name)
{
    size_t len = strlen(name);
    for (const char *at = list; *at; at += strcspn(at, ",")) {
        at += *at == ',';
        if (strcspn(at, ",") == len && strncmp(at, name, len) == 0)
            return true;
    }
    return false;
}

bool mgc_build_text(char **ret_text, const char *text)
{
    *ret_text = text ? strdup(text) : NULL;
    return !text || *ret_text;
}

/* Room for one more, in powers of two. */
static bool grow(struct mgc_plan *plan)
{
    size_t count = plan->cell_count;
    if (count & (count - 1))
        return true;
    struct mgc_cell *cells = realloc(plan->cells, (count ? count * 2 : 1) * sizeof(*cells));
    if (!cells)
        return false;
    plan->cells = cells;
    return true;
}

struct mgc_cell *mgc_build_cell(
    struct mgc_plan *plan, enum mgc_cell_kind kind, const char *lane, const char *id_fmt, ...)
{
    char id[256];
    va_list args;
    va_start(args, id_fmt);
    int len = vsnprintf(id, sizeof(id), id_fmt, args);
    va_end(args);
    if (len < 0 || (size_t)len >= sizeof(id) || !grow(plan))
        return NULL;
    struct mgc_cell *cell = &plan->cells[plan->cell_count++];
    *cell = (struct mgc_cell){.kind = kind};
    cell->steps = calloc(MGC_BUILD_STEPS_MAX, sizeof(*cell->steps));
    bool ok = cell->steps && mgc_build_text(&cell->id, id) && mgc_build_text(&cell->lane, lane);
    return ok ? cell : NULL;
}

static size_t step_index(const struct mgc_cell *cell, const char *id)
{
    for (size_t i = 0; i < cell->step_count; i++) {
        if (strcmp(cell->steps[i].id, id) == 0)
            return i;
    }
    return cell->step_count;
}

bool mgc_build_has_step(const struct mgc_cell *cell, const char *id)
{
    return step_index(cell, id) < cell->step_count;
}

struct mgc_step *mgc_build_find(struct mgc_cell *cell, const char *id)
{
    size_t at = step_index(cell, id);
    return at < cell->step_count ? &cell->steps[at] : NULL;
}

struct mgc_step *mgc_build_step(struct mgc_cell *cell, const char *id, const char *kind,
    enum mgc_role role, int64_t deadline_ms)
{
    assert(step_index(cell, id) == cell->step_count);
    if (cell->step_count == MGC_BUILD_STEPS_MAX)
        return NULL;
    char *id_copy = strdup(id), *kind_copy = strdup(kind);
    if (!id_copy || !kind_copy) {
        free(id_copy);
        free(kind_copy);
        return NULL;
    }
    struct mgc_step *step = &cell->steps[cell->step_count++];
    step->id = id_copy;
    step->kind = kind_copy;
    step->role = role;
    step->deadline_ms = deadline_ms;
    return step;
}

void mgc_build_hold(struct mgc_step *step, int64_t ready_ms)
{
    step->holds = true;
    step->ready_ms = ready_ms;
}

bool mgc_build_dep(
    struct mgc_cell *cell, struct mgc_step *step, const char *id, enum mgc_dep_kind kind)
{
    size_t index = step_index(cell, id);
    assert(index < (size_t)(step - cell->steps)); /* only backwards: the graph has no cycle */
    if (step->dep_count == MGC_STEP_DEPS_MAX)
        return false;
    step->deps[step->dep_count++] = (struct mgc_dep){index, kind};
    return true;
}
