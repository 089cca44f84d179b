#include "coordinator/history/nights.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/str.h"
#include "coordinator/history/night_link.h"

const char *mgc_inputs_name(enum mgc_inputs inputs)
{
    static const char *const names[] = {
        [MGC_INPUTS_FIRST] = "first",
        [MGC_INPUTS_UNCHANGED] = "unchanged",
        [MGC_INPUTS_CHANGED] = "changed",
        [MGC_INPUTS_UNKNOWN] = "unknown",
        [MGC_INPUTS_MIXED] = "mixed",
        [MGC_INPUTS_NONE] = "none",
    };
    return names[inputs];
}

/* ---- what belongs together ---- */

bool mgc_history_same_device(const struct mgc_history_run *a, const struct mgc_history_run *b)
{
    return mgc_str_same(a->serial, b->serial) && mgc_str_same(a->model, b->model) &&
           mgc_str_same(a->fingerprint, b->fingerprint) && a->lab == b->lab;
}

/* ---- one run of one arm ---- */

static const struct mgc_history_cell *first_measured(
    const struct mgc_history_cells *cells, const struct mgc_arm_key *key)
{
    for (size_t i = 0; i < cells->count; i++) {
        if (cells->items[i].measured && mgc_arm_has(key, &cells->items[i]))
            return &cells->items[i];
    }
    return NULL;
}

/* The first cell stands for all only when they are alike. */
static void check_alike(const struct mgc_history_cells *cells, const struct mgc_arm_history *arm,
    struct mgc_night *night)
{
    const struct mgc_history_cell *sample = night->sample;
    for (size_t i = 0; i < cells->count; i++) {
        const struct mgc_history_cell *cell = &cells->items[i];
        if (!cell->measured || !mgc_arm_has(&arm->key, cell))
            continue;
        struct mgc_comparability answer = mgc_cells_comparable(&sample->facts, &cell->facts, 0);
        if (answer.answer != MGC_COMPARABLE_NO)
            continue;
        night->inputs = MGC_INPUTS_MIXED;
        mgc_comparability_text(
            &answer, &sample->facts, &cell->facts, night->why, sizeof(night->why));
        return;
    }
}

static void check_inputs(const struct mgc_night *before, struct mgc_night *night)
{
    static const enum mgc_inputs names[] = {[MGC_COMPARABLE_UNKNOWN] = MGC_INPUTS_UNKNOWN,
        [MGC_COMPARABLE_NO] = MGC_INPUTS_CHANGED,
        [MGC_COMPARABLE_YES] = MGC_INPUTS_UNCHANGED};
    if (!before || night->inputs == MGC_INPUTS_MIXED)
        return;
    const struct mgc_cell_facts *was = &before->sample->facts, *is = &night->sample->facts;
    struct mgc_comparability answer = mgc_cells_comparable(was, is, 0);
    night->inputs = names[answer.answer];
    if (answer.answer != MGC_COMPARABLE_YES)
        mgc_comparability_text(&answer, was, is, night->why, sizeof(night->why));
    else
        night->inputs = names[mgc_night_links_alike(
            &before->link, &night->link, night->why, sizeof(night->why))];
}

static bool add_night(const struct mgc_history_run *run, const struct mgc_history_cells *cells,
    struct mgc_arm_history *arm)
{
    const struct mgc_night *before = NULL;
    struct mgc_night *more = realloc(arm->nights, (arm->count + 1) * sizeof(*more));
    if (!more)
        return false;
    arm->nights = more;
    struct mgc_night *night = &arm->nights[arm->count];
    *night = (struct mgc_night){.run = run, .link = mgc_link_look_none};
    for (size_t i = 0; i < arm->count; i++) {
        if (arm->nights[i].sample)
            before = &arm->nights[i];
    }
    if (!mgc_arm_numbers(&arm->key, cells, &night->numbers))
        return false;
    if (night->numbers.cells == 0)
        return true; /* not counted: its plan had none */
    arm->count++;
    night->sample = first_measured(cells, &arm->key);
    if (!night->sample) {
        night->inputs = MGC_INPUTS_NONE;
        return true;
    }
    if (!mgc_arm_link(&arm->key, cells, &night->link))
        return false;
    check_alike(cells, arm, night);
    check_inputs(before, night);
    return true;
}

/* ---- all arms ---- */

static struct mgc_arm_history *find_arm(struct mgc_nights *nights,
    const struct mgc_history_run *run, const struct mgc_history_cell *cell)
{
    for (size_t i = 0; i < nights->arm_count; i++) {
        struct mgc_arm_history *arm = &nights->arms[i];
        if (mgc_history_same_device(arm->device, run) && mgc_arm_has(&arm->key, cell))
            return arm;
    }
    return NULL;
}

static bool add_arm(struct mgc_nights *nights, const struct mgc_history_run *run,
    const struct mgc_history_cell *cell)
{
    struct mgc_arm_history *more =
        realloc(nights->arms, (nights->arm_count + 1) * sizeof(*nights->arms));
    if (!more)
        return false;
    nights->arms = more;
    nights->arms[nights->arm_count++] =
        (struct mgc_arm_history){.device = run, .key = mgc_arm_key_of(cell)};
    return true;
}

static bool gather_arms(struct mgc_nights *nights)
{
    for (size_t r = 0; r < nights->run_count; r++) {
        for (size_t i = 0; i < nights->cells[r].count; i++) {
            const struct mgc_history_cell *cell = &nights->cells[r].items[i];
            if (!find_arm(nights, &nights->runs[r], cell) &&
                !add_arm(nights, &nights->runs[r], cell))
                return false;
        }
    }
    return true;
}

/* The newest `last`: the one before was there for its facts, still older ones for other arms. */
static void keep_last(struct mgc_arm_history *arm, size_t last)
{
    size_t drop = last && arm->count > last ? arm->count - last : 0;
    memmove(arm->nights, arm->nights + drop, (arm->count - drop) * sizeof(*arm->nights));
    arm->count -= drop;
}

static bool fill_arms(struct mgc_nights *nights, size_t last)
{
    for (size_t a = 0; a < nights->arm_count; a++) {
        struct mgc_arm_history *arm = &nights->arms[a];
        for (size_t r = 0; r < nights->run_count; r++) {
            if (mgc_history_same_device(arm->device, &nights->runs[r]) &&
                !add_night(&nights->runs[r], &nights->cells[r], arm))
                return false;
        }
        keep_last(arm, last);
    }
    return true;
}

bool mgc_nights_load(struct mgc_history *history, const struct mgc_history_filter *filter,
    struct mgc_nights *ret_nights, struct mgc_error *err)
{
    struct mgc_history_filter wider = *filter;
    struct mgc_nights nights = {0};
    wider.last += wider.last > 0;
    bool ok = mgc_history_runs(history, &wider, &nights.runs, &nights.run_count, err);
    if (ok)
        nights.cells = calloc(nights.run_count + 1, sizeof(*nights.cells));
    for (size_t i = 0; ok && nights.cells && i < nights.run_count; i++)
        ok = mgc_history_cells(history, &nights.runs[i], filter, &nights.cells[i], err);
    if (ok && (!nights.cells || !gather_arms(&nights) || !fill_arms(&nights, filter->last)))
        ok = mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the history");
    if (ok)
        *ret_nights = nights;
    else
        mgc_nights_destroy(&nights);
    return ok;
}

/* ---- the gate ---- */

static const struct mgc_run_gate *find_gate(
    const struct mgc_nights *nights, const struct mgc_arm_history *arm)
{
    const char *run_id = arm->count ? arm->nights[arm->count - 1].run->run_id : NULL;
    for (size_t i = 0; run_id && i < nights->gate_count; i++) {
        if (strcmp(nights->gates[i].run.run_id, run_id) == 0)
            return &nights->gates[i];
    }
    return NULL;
}

bool mgc_nights_judge(struct mgc_history *history, struct mgc_nights *nights, struct mgc_error *err)
{
    nights->gates = calloc(nights->arm_count + 1, sizeof(*nights->gates));
    if (!nights->gates)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the gate");
    for (size_t i = 0; i < nights->arm_count; i++) {
        const struct mgc_arm_history *arm = &nights->arms[i];
        if (arm->count == 0 || find_gate(nights, arm))
            continue;
        if (!mgc_run_gate_of(history, arm->nights[arm->count - 1].run->run_id,
                &nights->gates[nights->gate_count], err))
            return false;
        nights->gate_count++;
    }
    return true;
}

const struct mgc_run_gate_arm *mgc_nights_gate(
    const struct mgc_nights *nights, const struct mgc_arm_history *arm)
{
    const struct mgc_run_gate *gate = find_gate(nights, arm);
    for (size_t i = 0; gate && i < gate->count; i++) {
        const struct mgc_arm_key *key = &gate->arms[i].key;
        if (mgc_arm_same_workload(key, &arm->key) && mgc_str_same(key->arm, arm->key.arm))
            return &gate->arms[i];
    }
    return NULL;
}

void mgc_nights_destroy(struct mgc_nights *nights)
{
    if (!nights)
        return;
    for (size_t i = 0; nights->cells && i < nights->run_count; i++)
        mgc_history_cells_destroy(&nights->cells[i]);
    for (size_t i = 0; i < nights->arm_count; i++)
        free(nights->arms[i].nights);
    for (size_t i = 0; i < nights->gate_count; i++)
        mgc_run_gate_destroy(&nights->gates[i]);
    free(nights->gates);
    mgc_history_runs_free(nights->runs, nights->run_count);
    free(nights->cells);
    free(nights->arms);
    *nights = (struct mgc_nights){0};
}
