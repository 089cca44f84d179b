/* Settings in, plan out: which lanes, which cells, in which order. Pure. */
#ifndef MGC_PLAN_EXPAND_H
#define MGC_PLAN_EXPAND_H

#include "coordinator/plan/lane.h"

struct mgc_expand_ids { /* random in life, fixed in tests; borrowed for the call */
    const char *run_id; /* a phone with a name has an id of its own, made of this */
    const char *token;  /* used when the settings name none */
};

/* Checks what several settings have to do with each other; with problems nothing is made and
 * false is returned without err. False with err: no memory. */
bool mgc_expand(const struct mgc_site *site, const struct mgc_bench *bench,
    const struct mgc_expand_ids *ids, struct mgc_plan *ret_plan, struct mgc_problems *problems,
    struct mgc_error *err);

/* Upper bound for one execution of a cell, and what it takes as a rule in published runs (0: not
 * known). */
int64_t mgc_cell_budget_ms(const struct mgc_cell *cell);
int64_t mgc_cell_typical_ms(const struct mgc_site *site, const struct mgc_cell *cell);

#endif
