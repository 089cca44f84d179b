#include "coordinator/history/run_compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "coordinator/history/night_link.h"
#include "coordinator/stats/wording.h"

/* ---- which arms there are ---- */

static void gather(const struct mgc_history_cells *cells, struct mgc_run_arm *arms, size_t *count)
{
    for (size_t i = 0; i < cells->count; i++) {
        const struct mgc_history_cell *cell = &cells->items[i];
        bool listed = false;
        for (size_t k = 0; k < *count; k++)
            listed |= mgc_arm_has(&arms[k].key, cell);
        if (!listed)
            arms[(*count)++] = (struct mgc_run_arm){.key = mgc_arm_key_of(cell)};
    }
}

/* ---- may they be compared? ---- */

/* Every measured cell of one with every one of the other: the first NO, else the first UNKNOWN. */
static void check_facts(
    const struct mgc_history_cells *a, const struct mgc_history_cells *b, struct mgc_run_arm *arm)
{
    arm->comparable = MGC_COMPARABLE_YES;
    for (size_t i = 0; i < a->count; i++) {
        for (size_t k = 0; k < b->count; k++) {
            const struct mgc_history_cell *one = &a->items[i], *other = &b->items[k];
            if (!one->measured || !other->measured || !mgc_arm_has(&arm->key, one) ||
                !mgc_arm_has(&arm->key, other))
                continue;
            struct mgc_comparability answer = mgc_cells_comparable(&one->facts, &other->facts, 0);
            if (answer.answer == MGC_COMPARABLE_YES ||
                (answer.answer == MGC_COMPARABLE_UNKNOWN && arm->comparable != MGC_COMPARABLE_YES))
                continue;
            arm->comparable = answer.answer;
            mgc_comparability_text(&answer, &one->facts, &other->facts, arm->why, sizeof(arm->why));
            if (answer.answer == MGC_COMPARABLE_NO)
                return;
        }
    }
}

static void check_link(
    const struct mgc_history_cells *a, const struct mgc_history_cells *b, struct mgc_run_arm *arm)
{
    struct mgc_link_look was, is;
    if (arm->comparable != MGC_COMPARABLE_YES)
        return;
    arm->comparable = MGC_COMPARABLE_UNKNOWN;
    snprintf(arm->why, sizeof(arm->why), "no memory for its link");
    if (mgc_arm_link(&arm->key, a, &was) && mgc_arm_link(&arm->key, b, &is))
        arm->comparable = mgc_night_links_alike(&was, &is, arm->why, sizeof(arm->why));
}

static void check(
    const struct mgc_history_cells *a, const struct mgc_history_cells *b, struct mgc_run_arm *arm)
{
    if (arm->a.measured && arm->b.measured) {
        check_facts(a, b, arm);
        check_link(a, b, arm);
        return;
    }
    const struct mgc_arm_numbers *missing = arm->a.measured ? &arm->b : &arm->a;
    if (!arm->a.measured && !arm->b.measured)
        snprintf(arm->why, sizeof(arm->why), "neither run measured it");
    else
        snprintf(arm->why, sizeof(arm->why), "run %s %s it", arm->a.measured ? "B" : "A",
            missing->cells ? "did not measure" : "does not have");
}

/* ---- the numbers ---- */

static double value_of(
    const struct mgc_history_cells *cells, const struct mgc_run_arm *arm, int64_t rep)
{
    for (size_t i = 0; i < cells->count; i++) {
        if (cells->items[i].rep == rep && mgc_arm_has(&arm->key, &cells->items[i]))
            return cells->items[i].measured ? cells->items[i].value : NAN;
    }
    return NAN;
}

static bool has_rep(
    const struct mgc_history_cells *cells, const struct mgc_run_arm *arm, int64_t rep)
{
    for (size_t i = 0; i < cells->count; i++) {
        if (cells->items[i].rep == rep && mgc_arm_has(&arm->key, &cells->items[i]))
            return true;
    }
    return false;
}

/* A round that only one of them has is a pair without a number: it is counted as left out. */
static bool make_pairs(const struct mgc_history_cells *a, const struct mgc_history_cells *b,
    const struct mgc_run_arm *arm, struct mgc_compare_arm *ret_arm)
{
    struct mgc_pair *pairs = calloc(a->count + b->count + 1, sizeof(*pairs));
    size_t count = 0;
    for (size_t i = 0; pairs && i < a->count + b->count; i++) {
        const struct mgc_history_cell *cell = i < a->count ? &a->items[i] : &b->items[i - a->count];
        if (!mgc_arm_has(&arm->key, cell) || (i >= a->count && has_rep(a, arm, cell->rep)))
            continue;
        pairs[count++] = (struct mgc_pair){
            .arm = value_of(b, arm, cell->rep), .reference = value_of(a, arm, cell->rep)};
    }
    *ret_arm = (struct mgc_compare_arm){.pairs = pairs, .pair_count = count};
    return pairs != NULL;
}

static bool is_first(const struct mgc_run_arm *arms, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (mgc_arm_same_workload(&arms[i].key, &arms[at].key))
            return false;
    }
    return true;
}

/* ---- the floor ---- */

#define FLOOR "this device's noise floor"

/* Both nights' rounds are known, so the floor is that of two nights of so many. */
static bool find_floor(
    const struct mgc_past *past, const struct mgc_history_cells *a, struct mgc_run_arm *arm)
{
    struct mgc_arm_past own;
    if (!mgc_arm_past_make(past, &arm->key, a, &own))
        return false;
    mgc_noise_estimate(own.nights, own.count, &arm->noise);
    mgc_arm_past_destroy(&own);
    bool numbers = arm->a.has_spread && arm->b.has_spread;
    arm->floor = (struct mgc_floor){.name = FLOOR,
        .fraction = numbers ? mgc_noise_floor(&arm->noise, (double)arm->a.spread.n,
                                  (double)arm->b.spread.n, mgc_compare_default.alpha)
                            : NAN};
    return true;
}

struct family {
    struct mgc_compare_arm *arms;
    struct mgc_comparison *results;
    struct mgc_run_arm **members;
    size_t count;
};

static bool compare_family(const struct mgc_history_cells *a, const struct mgc_history_cells *b,
    const struct mgc_past *past, struct mgc_run_arm *arms, size_t count, struct family *family)
{
    bool ok = family->arms && family->results && family->members;
    for (size_t i = 0; ok && i < count; i++) {
        if (!mgc_arm_same_workload(&arms[0].key, &arms[i].key) ||
            arms[i].comparable != MGC_COMPARABLE_YES)
            continue;
        family->members[family->count] = &arms[i];
        struct mgc_compare_arm *member = &family->arms[family->count];
        ok = find_floor(past, a, &arms[i]) && make_pairs(a, b, &arms[i], member);
        member->floors = &arms[i].floor;
        member->floor_count = 1;
        family->count += ok;
    }
    ok = ok && (family->count == 0 || mgc_compare_arms(&mgc_compare_default, family->arms,
                                          family->count, family->results));
    for (size_t i = 0; ok && i < family->count; i++)
        family->members[i]->result = family->results[i];
    return ok;
}

static bool compare_all(const struct mgc_history_cells *a, const struct mgc_history_cells *b,
    const struct mgc_past *past, struct mgc_run_arm *arms, size_t count)
{
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        if (!is_first(arms, i))
            continue;
        struct family family = {.arms = calloc(count, sizeof(*family.arms)),
            .results = calloc(count, sizeof(*family.results)),
            .members = calloc(count, sizeof(*family.members))};
        ok = compare_family(a, b, past, &arms[i], count - i, &family);
        for (size_t k = 0; k < family.count; k++)
            free((void *)family.arms[k].pairs);
        free(family.arms);
        free(family.results);
        free(family.members);
    }
    return ok;
}

bool mgc_runs_compare(const struct mgc_history_cells *a, const struct mgc_history_cells *b,
    const struct mgc_past *past, struct mgc_run_arm **ret_arms, size_t *ret_count,
    struct mgc_error *err)
{
    struct mgc_run_arm *arms = calloc(a->count + b->count + 1, sizeof(*arms));
    size_t count = 0;
    bool ok = arms != NULL;
    if (ok) {
        gather(a, arms, &count);
        gather(b, arms, &count);
    }
    for (size_t i = 0; ok && i < count; i++) {
        ok = mgc_arm_numbers(&arms[i].key, a, &arms[i].a) &&
             mgc_arm_numbers(&arms[i].key, b, &arms[i].b);
        if (ok)
            check(a, b, &arms[i]);
    }
    if (!ok || !compare_all(a, b, past, arms, count)) {
        free(arms);
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory to compare runs");
    }
    *ret_arms = arms;
    *ret_count = count;
    return true;
}

void mgc_run_arm_text(const struct mgc_run_arm *arm, char *text, size_t size)
{
    if (arm->comparable == MGC_COMPARABLE_YES && arm->result.open == MGC_OPEN_FLOOR_UNKNOWN)
        snprintf(
            text, size, "no baseline (%zu of %d nights)", arm->noise.nights, MGC_BASELINE_NIGHTS);
    else if (arm->comparable == MGC_COMPARABLE_YES)
        mgc_comparison_conclusion(&arm->result, text, size);
    else
        snprintf(text, size, "not compared: %s", arm->why);
}
