/* Puts a plan together, cell by cell and step by step; only for expand.c and the lanes.
 *
 * Every function says false or NULL only when memory runs out or a fixed size is passed; whoever
 * builds destroys the plan then.
 */
#ifndef MGC_PLAN_BUILD_H
#define MGC_PLAN_BUILD_H

#include "coordinator/plan/plan.h"

enum { MGC_BUILD_STEPS_MAX = 32 };

/* The pointer is good until the next cell is added. */
struct mgc_cell *mgc_build_cell(struct mgc_plan *plan, enum mgc_cell_kind kind, const char *lane,
    const char *id_fmt, ...) __attribute__((format(printf, 4, 5)));
/* The pointer is good as long as the cell. `id` is unique in the cell. */
struct mgc_step *mgc_build_step(struct mgc_cell *cell, const char *id, const char *kind,
    enum mgc_role role, int64_t deadline_ms);
/* NULL: it has none of that id. */
struct mgc_step *mgc_build_find(struct mgc_cell *cell, const char *id);
bool mgc_build_has_step(const struct mgc_cell *cell, const char *id);
/* `step` waits for the one called `id`, which was added before. */
/* It holds, and has to be ready after at most so long. */
void mgc_build_hold(struct mgc_step *step, int64_t ready_ms);
bool mgc_build_dep(
    struct mgc_cell *cell, struct mgc_step *step, const char *id, enum mgc_dep_kind kind);
/* Is the name one of the list, with commas between? */
bool mgc_build_lists(const char *list, const char *name);
/* Copy a text into a field that is NULL so far; a NULL text is fine. */
bool mgc_build_text(char **ret_text, const char *text);

#endif
