#include "coordinator/merge/comparisons.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/str.h"
#include "coordinator/merge/link_effect.h"
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

static bool same_family(const struct mgc_arm_comparison *a, const struct mgc_arm_comparison *b)
{
    return mgc_str_same(a->workload, b->workload) && mgc_str_same(a->backend, b->backend);
}

/* False: it stands there already. */
static bool add_once(
    struct mgc_arm_comparison *list, size_t *count, const struct mgc_arm_comparison *comparison)
{
    for (size_t i = *count; i > 0; i--) {
        if (same_family(&list[i - 1], comparison) && mgc_str_same(list[i - 1].arm, comparison->arm))
            return false;
    }
    list[(*count)++] = *comparison;
    return true;
}

static bool is_benchmark_on_phone(const struct mgc_cell *cell)
{
    return mgc_cell_on_phone(cell) && mgc_cell_is_regular(cell);
}

static bool is_benchmark_over_network(const struct mgc_cell *cell)
{
    return mgc_cell_over_network(cell) && mgc_cell_is_regular(cell);
}

bool mgc_plan_is_merged(const struct mgc_plan *plan)
{
    bool on_phone = false, over_network = false;
    for (size_t i = 0; i < plan->cell_count && !(on_phone && over_network); i++) {
        on_phone |= is_benchmark_on_phone(&plan->cells[i]);
        over_network |= is_benchmark_over_network(&plan->cells[i]);
    }
    return on_phone && over_network;
}

/* The backend of the cell on the phone that one over the network is held against: the same, if the
 * plan has it there, else the first. */
static const char *backend_beside(
    const struct mgc_results *results, const struct mgc_cell *cell, const char *arm)
{
    const struct mgc_cell *first = NULL;
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell *other = results->cells[i].cell;
        if (!is_benchmark_on_phone(other) || !mgc_str_same(other->workload, cell->workload) ||
            !mgc_str_same(other->arm, arm))
            continue;
        if (mgc_str_same(other->expect.backend, cell->expect.backend))
            return cell->expect.backend;
        first = first ? first : other;
    }
    return first ? first->expect.backend : cell->expect.backend;
}

static void gather_arms(
    const struct mgc_results *results, struct mgc_arm_comparison *list, size_t *count)
{
    const char *reference = results->plan->reference;
    bool merged = mgc_plan_is_merged(results->plan);
    for (size_t i = 0; reference && i < results->count; i++) {
        const struct mgc_cell *cell = results->cells[i].cell;
        bool crosses = merged && is_benchmark_over_network(cell);
        if ((!is_benchmark_on_phone(cell) && !crosses) || mgc_str_same(cell->arm, reference))
            continue;
        struct mgc_arm_comparison comparison = {.workload = cell->workload,
            .backend = cell->expect.backend,
            .arm = cell->arm,
            .reference_backend = cell->expect.backend,
            .reference = reference,
            .crosses = crosses,
            .comparable = MGC_COMPARABLE_YES};
        if (add_once(list, count, &comparison) && crosses)
            list[*count - 1].reference_backend = backend_beside(results, cell, reference);
    }
}

/* The arm over the network with the lowest credit that this workload has. */
static bool is_of_lowest_credit(const struct mgc_results *results, const struct mgc_cell *cell)
{
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell *other = results->cells[i].cell;
        if (is_benchmark_over_network(other) && mgc_str_same(other->workload, cell->workload) &&
            other->expect.credit < cell->expect.credit)
            return false;
    }
    return true;
}

/* What crosses hosts by itself, and does not on the phone: MobileGL's two processes there. */
static bool is_counterpart(const struct mgc_cell *cell)
{
    static const char *const arms[] = {"shm", "tcp"};
    size_t len = strcspn(cell->arm, "@");
    for (size_t i = 0; i < sizeof(arms) / sizeof(arms[0]); i++) {
        if (len == strlen(arms[i]) && strncmp(cell->arm, arms[i], len) == 0)
            return is_benchmark_on_phone(cell);
    }
    return false;
}

static bool is_listed(const struct mgc_arm_comparison *list, size_t count,
    const struct mgc_arm_comparison *comparison)
{
    for (size_t i = 0; i < count; i++) {
        if (same_family(&list[i], comparison) && mgc_str_same(list[i].arm, comparison->arm) &&
            mgc_str_same(list[i].reference, comparison->reference))
            return true;
    }
    return false;
}

/* Which backend is beside it is the same for all cells of both arms, and takes a walk over them. */
static void gather_counterparts(const struct mgc_results *results, const struct mgc_cell *cell,
    struct mgc_arm_comparison *list, size_t *count)
{
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell *other = results->cells[i].cell;
        if (!is_counterpart(other) || !mgc_str_same(other->workload, cell->workload))
            continue;
        struct mgc_arm_comparison comparison = {.workload = cell->workload,
            .backend = cell->expect.backend,
            .arm = cell->arm,
            .reference = other->arm,
            .crosses = true,
            .comparable = MGC_COMPARABLE_YES};
        if (*count == results->count || is_listed(list, *count, &comparison))
            continue;
        comparison.reference_backend = backend_beside(results, cell, other->arm);
        list[(*count)++] = comparison;
    }
}

/* Once per workload and backend: at its first round. */
static void gather_penalties(
    const struct mgc_results *results, struct mgc_arm_comparison *list, size_t *count)
{
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell *cell = results->cells[i].cell;
        bool known = false;
        for (size_t k = 0; k < *count; k++)
            known |= mgc_str_same(list[k].workload, cell->workload) &&
                     mgc_str_same(list[k].backend, cell->expect.backend);
        if (!known && is_benchmark_over_network(cell) && is_of_lowest_credit(results, cell))
            gather_counterparts(results, cell, list, count);
    }
}

static void gather_backends(
    const struct mgc_results *results, struct mgc_arm_comparison *list, size_t *count)
{
    const char *reference = mgc_results_reference_backend(results);
    for (size_t i = 0; reference && i < results->count; i++) {
        const struct mgc_cell *cell = results->cells[i].cell;
        if (!is_benchmark_on_phone(cell) || mgc_cell_has_backend(cell, reference))
            continue;
        struct mgc_arm_comparison comparison = {.workload = cell->workload,
            .backend = cell->expect.backend,
            .arm = cell->arm,
            .reference_backend = reference,
            .reference = cell->arm,
            .comparable = MGC_COMPARABLE_YES};
        add_once(list, count, &comparison);
    }
}

static bool has_backend(const struct mgc_results *results, const char *name, size_t len)
{
    for (size_t i = 0; i < results->count; i++) {
        const char *own = results->cells[i].cell->expect.backend;
        if (mgc_cell_on_phone(results->cells[i].cell) && own && strlen(own) == len &&
            strncmp(own, name, len) == 0)
            return true;
    }
    return false;
}

/* What the plan lists first, if it was run at all. */
static const char *listed_first(const struct mgc_results *results, size_t *ret_len)
{
    for (size_t i = 0; i < results->setting_count; i++) {
        const char *value = results->settings[i].value;
        *ret_len = strcspn(value, ",");
        if (strcmp(results->settings[i].key, "lanes.matrix.backends") == 0 &&
            has_backend(results, value, *ret_len))
            return value;
    }
    return NULL;
}

const char *mgc_results_reference_backend(const struct mgc_results *results)
{
    const char *found = NULL;
    size_t len;
    const char *listed = results->several_backends ? listed_first(results, &len) : NULL;
    for (size_t i = 0; results->several_backends && !found && i < results->count; i++) {
        const char *own = results->cells[i].cell->expect.backend;
        if (mgc_cell_on_phone(results->cells[i].cell) && own &&
            (!listed || (strlen(own) == len && strncmp(own, listed, len) == 0)))
            found = own;
    }
    return found;
}

/* ---- may they be compared? ------------------------------------------------------------------ */

/* Another machine replays: its CPU, its surface and its own build of client and library are the arm
 * itself. What renders, the server's build on the phone, has to be the same. */
#define ACROSS_HOSTS                                                                               \
    (MGC_FACTS_OF_A_RUN | 1u << MGC_FACT_SURFACE | 1u << MGC_FACT_BACKEND |                        \
        1u << MGC_FACT_CLIENT_BUILD | 1u << MGC_FACT_LIBRARY_BUILD)

/* Arms with other tags are there to compare builds; what is the run's they have in common. */
static unsigned varied_facts(const struct mgc_arm_comparison *comparison)
{
    if (comparison->crosses)
        return ACROSS_HOSTS;
    if (!mgc_str_same(comparison->backend, comparison->reference_backend))
        return MGC_FACTS_OF_A_RUN | 1u << MGC_FACT_BACKEND;
    const char *a = strchr(comparison->arm, '@'), *b = strchr(comparison->reference, '@');
    if ((!a && !b) || (a && b && strcmp(a, b) == 0))
        return MGC_FACTS_OF_A_RUN;
    return MGC_FACTS_OF_A_RUN | MGC_FACTS_BUILDS;
}

static void check_round(const struct mgc_results *results, const struct mgc_cell_result *cell,
    const struct mgc_cell_result *other, struct mgc_arm_comparison *comparison)
{
    struct mgc_result_facts a, b;
    struct mgc_cell_result beside = *other; /* borrows what the cell is held against */
    beside.verdict = *mgc_results_beside(cell, other);
    mgc_result_facts_of_cell(results, cell, &a);
    mgc_result_facts_of_cell(results, &beside, &b);
    struct mgc_comparability answer =
        mgc_cells_comparable(&a.facts, &b.facts, varied_facts(comparison));
    if (answer.answer == MGC_COMPARABLE_YES || comparison->comparable == MGC_COMPARABLE_NO)
        return;
    comparison->comparable = answer.answer;
    mgc_comparability_text(&answer, &a.facts, &b.facts, comparison->why, sizeof(comparison->why));
}

/* What the two sides are. */
static void sides(const struct mgc_arm_comparison *comparison, struct mgc_side *ret_side,
    struct mgc_side *ret_reference)
{
    *ret_side = (struct mgc_side){comparison->workload, comparison->backend, comparison->arm};
    *ret_reference = (struct mgc_side){
        comparison->workload, comparison->reference_backend, comparison->reference};
}

static void check_rounds(const struct mgc_results *results, const struct mgc_rounds *rounds,
    struct mgc_arm_comparison *comparison)
{
    struct mgc_side side, reference;
    size_t count;
    sides(comparison, &side, &reference);
    const struct mgc_cell_result *const *cells = mgc_rounds_of(rounds, &side, &count);
    for (size_t i = 0; i < count; i++) {
        const struct mgc_cell_result *other =
            mgc_rounds_find(rounds, &reference, cells[i]->cell->rep);
        comparison->rounds += other != NULL;
        if (other && cells[i]->verdict.state == MGC_VERDICT_MEASURED &&
            mgc_results_beside(cells[i], other)->state == MGC_VERDICT_MEASURED)
            check_round(results, cells[i], other, comparison);
    }
    if (comparison->crosses && !results->plan->interleaved) {
        comparison->comparable = MGC_COMPARABLE_NO;
        snprintf(comparison->why, sizeof(comparison->why),
            "the plan does not have both in the same rounds (interleave: round)");
        return;
    }
    if (comparison->rounds > 0)
        return;
    bool other_backend = !mgc_str_same(comparison->backend, comparison->reference_backend);
    comparison->comparable = MGC_COMPARABLE_UNKNOWN; /* more rounds of this arm would not help */
    snprintf(comparison->why, sizeof(comparison->why), "the plan has no %s%s%s in the same rounds",
        comparison->reference, other_backend ? " with " : "",
        other_backend ? comparison->reference_backend : "");
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

static bool add_member(const struct mgc_rounds *rounds, struct mgc_arm_comparison *comparison,
    struct family *family, struct mgc_error *err)
{
    struct mgc_side side, reference;
    struct mgc_pair *pairs;
    size_t count;
    sides(comparison, &side, &reference);
    if (!mgc_rounds_pairs(rounds, &side, &reference, MGC_COMPARED_METRIC, &pairs, &count, err))
        return false;
    family->members[family->count] = comparison;
    family->arms[family->count++] = (struct mgc_compare_arm){.pairs = pairs,
        .pair_count = count,
        .floors = &comparison->link_floor,
        .floor_count = comparison->crosses};
    return true;
}

static bool compare_family(const struct mgc_rounds *rounds, struct mgc_arm_comparison *list,
    size_t count, struct mgc_error *err)
{
    struct family family = {.arms = calloc(count, sizeof(*family.arms)),
        .results = calloc(count, sizeof(*family.results)),
        .members = calloc(count, sizeof(*family.members))};
    bool ok = (family.arms && family.results && family.members) ||
              mgc_error_set(err, MGC_E_NO_MEMORY, "no memory to compare arms");
    for (size_t i = 0; ok && i < count; i++) {
        if (same_family(&list[i], &list[0]) && list[i].comparable == MGC_COMPARABLE_YES)
            ok = add_member(rounds, &list[i], &family, err);
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
        if (same_family(&list[k], &list[i]))
            return false;
    }
    return true;
}

static void find_floor(const struct mgc_results *results, const struct mgc_rounds *rounds,
    struct mgc_arm_comparison *comparison)
{
    struct mgc_side side, reference;
    struct mgc_link_effect effect;
    sides(comparison, &side, &reference);
    mgc_link_effect_of(results, rounds, &side, &effect);
    comparison->link_floor = (struct mgc_floor){"the link's own movement", effect.floor};
}

static bool compare_list(const struct mgc_results *results, struct mgc_arm_comparison *list,
    size_t count, struct mgc_error *err)
{
    struct mgc_rounds rounds;
    if (!mgc_rounds_init(&rounds, results, err))
        return false;
    bool ok = true;
    for (size_t i = 0; i < count; i++)
        check_rounds(results, &rounds, &list[i]);
    for (size_t i = 0; i < count; i++) {
        if (list[i].crosses)
            find_floor(results, &rounds, &list[i]);
    }
    for (size_t i = 0; ok && i < count; i++) {
        if (is_first(list, i))
            ok = compare_family(&rounds, &list[i], count - i, err);
    }
    mgc_rounds_destroy(&rounds);
    return ok;
}

typedef void gather_fn(
    const struct mgc_results *results, struct mgc_arm_comparison *list, size_t *count);

static bool compare(const struct mgc_results *results, gather_fn *gather,
    struct mgc_arm_comparison **ret_list, size_t *ret_count, struct mgc_error *err)
{
    size_t count = 0;
    struct mgc_arm_comparison *list = calloc(results->count + 1, sizeof(*list));
    if (!list)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory to compare arms");
    gather(results, list, &count);
    if (!compare_list(results, list, count, err)) {
        free(list);
        return false;
    }
    *ret_list = list;
    *ret_count = count;
    return true;
}

bool mgc_results_compare(const struct mgc_results *results, struct mgc_arm_comparison **ret_list,
    size_t *ret_count, struct mgc_error *err)
{
    return compare(results, gather_arms, ret_list, ret_count, err);
}

bool mgc_results_compare_backends(const struct mgc_results *results,
    struct mgc_arm_comparison **ret_list, size_t *ret_count, struct mgc_error *err)
{
    return compare(results, gather_backends, ret_list, ret_count, err);
}

bool mgc_results_compare_across(const struct mgc_results *results,
    struct mgc_arm_comparison **ret_list, size_t *ret_count, struct mgc_error *err)
{
    return compare(results, gather_penalties, ret_list, ret_count, err);
}

void mgc_arm_comparison_text(const struct mgc_arm_comparison *comparison, char *text, size_t size)
{
    if (comparison->comparable == MGC_COMPARABLE_YES)
        mgc_comparison_conclusion(&comparison->result, text, size);
    else
        snprintf(text, size, "not compared: %s", comparison->why);
}
