#include "coordinator/merge/comparisons.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/merge/rounds.h"
#include "coordinator/stats/wording.h"

static bool is_of_lane(const struct mgc_cell *cell, const char *lane)
{
    return cell->kind == MGC_CELL_MEASURE && cell->lane && strcmp(cell->lane, lane) == 0;
}

bool mgc_cell_on_phone(const struct mgc_cell *cell)
{
    return is_of_lane(cell, "matrix");
}

bool mgc_cell_of_link(const struct mgc_cell *cell)
{
    return is_of_lane(cell, "netbench");
}

bool mgc_cell_over_network(const struct mgc_cell *cell)
{
    return !mgc_cell_on_phone(cell) && !mgc_cell_of_link(cell);
}

bool mgc_plan_on_phone(const struct mgc_plan *plan)
{
    for (size_t i = 0; i < plan->cell_count; i++) {
        if (mgc_cell_on_phone(&plan->cells[i]))
            return true;
    }
    return false;
}

/* ---- which comparisons there are ------------------------------------------------------------ */

static bool same_family(
    const struct mgc_arm_comparison *comparison, const char *workload, const char *backend)
{
    const char *own = comparison->backend;
    return strcmp(comparison->workload, workload) == 0 &&
           (own && backend ? strcmp(own, backend) == 0 : own == backend);
}

static bool is_listed(
    const struct mgc_arm_comparison *list, size_t count, const struct mgc_cell *cell)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].arm, cell->arm) == 0 &&
            same_family(&list[i], cell->workload, cell->expect.backend))
            return true;
    }
    return false;
}

static size_t gather(const struct mgc_results *results, struct mgc_arm_comparison *list)
{
    const char *reference = results->plan->reference;
    size_t count = 0;
    for (size_t i = 0; reference && i < results->count; i++) {
        const struct mgc_cell *cell = results->cells[i].cell;
        if (!mgc_cell_on_phone(cell) || !mgc_cell_is_regular(cell) ||
            strcmp(cell->arm, reference) == 0 || is_listed(list, count, cell))
            continue;
        list[count++] = (struct mgc_arm_comparison){.workload = cell->workload,
            .backend = cell->expect.backend,
            .arm = cell->arm,
            .reference = reference,
            .comparable = MGC_COMPARABLE_YES};
    }
    return count;
}

/* ---- may they be compared? ------------------------------------------------------------------ */

/* Arms with other tags are there to compare builds; what is the run's they have in common. */
static unsigned varied_facts(const struct mgc_arm_comparison *comparison)
{
    const char *a = strchr(comparison->arm, '@'), *b = strchr(comparison->reference, '@');
    if ((!a && !b) || (a && b && strcmp(a, b) == 0))
        return MGC_FACTS_OF_A_RUN;
    return MGC_FACTS_OF_A_RUN | MGC_FACTS_BUILDS;
}

static void check_round(const struct mgc_results *results, const struct mgc_cell_result *cell,
    const struct mgc_cell_result *other, struct mgc_arm_comparison *comparison)
{
    struct mgc_result_facts a, b;
    mgc_result_facts(results, cell, &a);
    mgc_result_facts(results, other, &b);
    struct mgc_comparability answer =
        mgc_cells_comparable(&a.facts, &b.facts, varied_facts(comparison));
    if (answer.answer == MGC_COMPARABLE_YES || comparison->comparable == MGC_COMPARABLE_NO)
        return;
    comparison->comparable = answer.answer;
    mgc_comparability_text(&answer, &a.facts, &b.facts, comparison->why, sizeof(comparison->why));
}

static void check_rounds(const struct mgc_results *results, struct mgc_arm_comparison *comparison)
{
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell_result *cell = &results->cells[i], *other;
        if (!mgc_cell_is_regular(cell->cell) || strcmp(cell->cell->arm, comparison->arm) != 0 ||
            !same_family(comparison, cell->cell->workload, cell->cell->expect.backend))
            continue;
        other = mgc_results_same_round(results, cell->cell, comparison->reference);
        comparison->rounds += other != NULL;
        if (other && cell->verdict.state == MGC_VERDICT_MEASURED &&
            other->verdict.state == MGC_VERDICT_MEASURED)
            check_round(results, cell, other, comparison);
    }
    if (comparison->rounds > 0)
        return;
    comparison->comparable = MGC_COMPARABLE_UNKNOWN; /* more rounds of this arm would not help */
    snprintf(comparison->why, sizeof(comparison->why), "the plan has no %s in the same rounds",
        comparison->reference);
}

/* ---- one family ----------------------------------------------------------------------------- */

struct family {
    struct mgc_compare_arm *arms;
    struct mgc_comparison *results;
    struct mgc_arm_comparison **members;
    size_t count;
};

static void family_destroy(struct family *family)
{
    for (size_t i = 0; i < family->count; i++)
        free((void *)family->arms[i].pairs);
    free(family->arms);
    free(family->results);
    free(family->members);
}

static bool add_member(const struct mgc_results *results, struct mgc_arm_comparison *comparison,
    struct family *family, struct mgc_error *err)
{
    struct mgc_pair *pairs;
    size_t count;
    if (!mgc_results_pairs(results, comparison->workload, comparison->backend, comparison->arm,
            comparison->reference, MGC_COMPARED_METRIC, &pairs, &count, err))
        return false;
    family->members[family->count] = comparison;
    family->arms[family->count++] = (struct mgc_compare_arm){.pairs = pairs, .pair_count = count};
    return true;
}

static bool compare_family(const struct mgc_results *results, struct mgc_arm_comparison *list,
    size_t count, struct mgc_error *err)
{
    struct family family = {.arms = calloc(count, sizeof(*family.arms)),
        .results = calloc(count, sizeof(*family.results)),
        .members = calloc(count, sizeof(*family.members))};
    bool ok = (family.arms && family.results && family.members) ||
              mgc_error_set(err, MGC_E_NO_MEMORY, "no memory to compare arms");
    for (size_t i = 0; ok && i < count; i++) {
        if (same_family(&list[i], list[0].workload, list[0].backend) &&
            list[i].comparable == MGC_COMPARABLE_YES)
            ok = add_member(results, &list[i], &family, err);
    }
    if (ok && family.count)
        ok = mgc_compare_arms(&mgc_compare_default, family.arms, family.count, family.results) ||
             mgc_error_set(err, MGC_E_NO_MEMORY, "no memory to compare arms");
    for (size_t i = 0; ok && i < family.count; i++)
        family.members[i]->result = family.results[i];
    family_destroy(&family);
    return ok;
}

/* Every family once: at its first member. */
static bool is_first(const struct mgc_arm_comparison *list, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (same_family(&list[k], list[i].workload, list[i].backend))
            return false;
    }
    return true;
}

bool mgc_results_compare(const struct mgc_results *results, struct mgc_arm_comparison **ret_list,
    size_t *ret_count, struct mgc_error *err)
{
    struct mgc_arm_comparison *list = calloc(results->count + 1, sizeof(*list));
    if (!list)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory to compare arms");
    size_t count = gather(results, list);
    bool ok = true;
    for (size_t i = 0; i < count; i++)
        check_rounds(results, &list[i]);
    for (size_t i = 0; ok && i < count; i++) {
        if (is_first(list, i))
            ok = compare_family(results, &list[i], count - i, err);
    }
    if (!ok) {
        free(list);
        return false;
    }
    *ret_list = list;
    *ret_count = count;
    return true;
}

void mgc_arm_comparison_text(const struct mgc_arm_comparison *comparison, char *text, size_t size)
{
    if (comparison->comparable == MGC_COMPARABLE_YES)
        mgc_comparison_conclusion(&comparison->result, text, size);
    else
        snprintf(text, size, "not compared: %s", comparison->why);
}
