#include "coordinator/merge/rounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/str.h"

bool mgc_cell_has_backend(const struct mgc_cell *cell, const char *backend)
{
    return mgc_str_same(cell->expect.backend, backend);
}

bool mgc_cell_same_arm(const struct mgc_cell *a, const struct mgc_cell *b)
{
    return mgc_str_same(a->workload, b->workload) && mgc_str_same(a->arm, b->arm) &&
           mgc_cell_has_backend(a, b->expect.backend);
}

/* ---- sorted --------------------------------------------------------------------------------- */

static int order_of(const char *a, const char *b)
{
    if (!a || !b)
        return (a != NULL) - (b != NULL);
    return strcmp(a, b);
}

static int compare_sides(const struct mgc_side *a, const struct mgc_side *b)
{
    int order = order_of(a->workload, b->workload);
    order = order ? order : order_of(a->backend, b->backend);
    return order ? order : order_of(a->arm, b->arm);
}

static struct mgc_side side_of(const struct mgc_cell_result *cell)
{
    return (struct mgc_side){cell->cell->workload, cell->cell->expect.backend, cell->cell->arm};
}

/* Of two of one round the plan's first comes first. */
static int compare_cells(const void *left, const void *right)
{
    const struct mgc_cell_result *a = *(const struct mgc_cell_result *const *)left;
    const struct mgc_cell_result *b = *(const struct mgc_cell_result *const *)right;
    struct mgc_side one = side_of(a), other = side_of(b);
    int order = compare_sides(&one, &other);
    if (order)
        return order;
    if (a->cell->rep != b->cell->rep)
        return a->cell->rep < b->cell->rep ? -1 : 1;
    return (a > b) - (a < b);
}

bool mgc_rounds_init(
    struct mgc_rounds *rounds, const struct mgc_results *results, struct mgc_error *err)
{
    *rounds = (struct mgc_rounds){.cells = calloc(results->count + 1, sizeof(*rounds->cells))};
    if (!rounds->cells)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the rounds");
    for (size_t i = 0; i < results->count; i++) {
        if (mgc_cell_is_regular(results->cells[i].cell))
            rounds->cells[rounds->count++] = &results->cells[i];
    }
    if (rounds->count)
        qsort(rounds->cells, rounds->count, sizeof(*rounds->cells), compare_cells);
    return true;
}

void mgc_rounds_destroy(struct mgc_rounds *rounds)
{
    if (!rounds)
        return;
    free(rounds->cells);
    *rounds = (struct mgc_rounds){0};
}

/* ---- found ---------------------------------------------------------------------------------- */

/* How many stand before that round of that side. */
static size_t before(const struct mgc_rounds *rounds, const struct mgc_side *side, int64_t rep)
{
    size_t low = 0, high = rounds->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        struct mgc_side other = side_of(rounds->cells[middle]);
        int order = compare_sides(&other, side);
        if (order < 0 || (order == 0 && rounds->cells[middle]->cell->rep < rep))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool belongs(const struct mgc_rounds *rounds, size_t at, const struct mgc_side *side)
{
    if (at >= rounds->count)
        return false;
    struct mgc_side other = side_of(rounds->cells[at]);
    return compare_sides(&other, side) == 0;
}

const struct mgc_cell_result *const *mgc_rounds_of(
    const struct mgc_rounds *rounds, const struct mgc_side *side, size_t *ret_count)
{
    size_t first = before(rounds, side, INT64_MIN), end = first;
    while (belongs(rounds, end, side))
        end++;
    *ret_count = end - first;
    return rounds->cells + first;
}

const struct mgc_cell_result *mgc_rounds_find(
    const struct mgc_rounds *rounds, const struct mgc_side *side, int64_t rep)
{
    size_t at = before(rounds, side, rep);
    return belongs(rounds, at, side) && rounds->cells[at]->cell->rep == rep ? rounds->cells[at]
                                                                            : NULL;
}

/* ---- paired --------------------------------------------------------------------------------- */

static double number_of(const struct mgc_verdict *verdict, const char *metric)
{
    double value;
    bool measured = verdict->state == MGC_VERDICT_MEASURED;
    return measured && mgc_fields_get_double(&verdict->metrics, metric, &value) ? value : NAN;
}

const struct mgc_verdict *mgc_results_beside(
    const struct mgc_cell_result *cell, const struct mgc_cell_result *reference)
{
    return cell->beside_attempt && cell->beside_cell == reference->cell ? &cell->beside
                                                                        : &reference->verdict;
}

/* Of one round and one session. What is measured again goes before anything of the next round, with
 * nothing but its reference before it: it is as near to the others of its round as these are to
 * each other. Between two sessions of a run may lie a day. */
static bool are_paired(const struct mgc_cell_result *cell, const struct mgc_cell_result *other)
{
    if (cell->beside_attempt && cell->beside_cell == other->cell)
        return true; /* measured for its sake */
    return cell->session == other->session;
}

bool mgc_rounds_pairs(const struct mgc_rounds *rounds, const struct mgc_side *side,
    const struct mgc_side *reference, const char *metric, struct mgc_pair **ret_pairs,
    size_t *ret_count, struct mgc_error *err)
{
    size_t own, count = 0;
    const struct mgc_cell_result *const *cells = mgc_rounds_of(rounds, side, &own);
    struct mgc_pair *pairs = calloc(own + 1, sizeof(*pairs));
    if (!pairs)
        return mgc_error_set(
            err, MGC_E_NO_MEMORY, "no memory to pair the rounds of %s", side->workload);
    for (size_t i = 0; i < own; i++) {
        const struct mgc_cell_result *other =
            mgc_rounds_find(rounds, reference, cells[i]->cell->rep);
        if (!other)
            continue;
        struct mgc_pair pair = {number_of(&cells[i]->verdict, metric),
            number_of(mgc_results_beside(cells[i], other), metric)};
        pairs[count++] = are_paired(cells[i], other) ? pair : (struct mgc_pair){NAN, NAN};
    }
    *ret_pairs = pairs;
    *ret_count = count;
    return true;
}
