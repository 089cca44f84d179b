#include "coordinator/history/past.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/str.h"
#include "coordinator/history/night_link.h"
#include "coordinator/history/nights.h"

/* ---- runs ---- */

static bool is_same_run(const struct mgc_history_run *a, const struct mgc_history_run *b)
{
    return b && mgc_str_same(a->run_id, b->run_id);
}

/* Serial and model chose them; a phone with another system is another device. */
static void keep_same_device(
    struct mgc_past *past, const struct mgc_history_run *run, const struct mgc_history_run *other)
{
    size_t kept = 0;
    for (size_t i = 0; i < past->count; i++) {
        struct mgc_history_run *one = &past->runs[i];
        if (mgc_history_same_device(one, run) && !is_same_run(one, run) && !is_same_run(one, other))
            past->runs[kept++] = *one;
        else
            mgc_history_run_destroy(one);
    }
    past->count = kept;
}

void mgc_past_destroy(struct mgc_past *past)
{
    if (!past)
        return;
    for (size_t i = 0; past->cells && i < past->count; i++)
        mgc_history_cells_destroy(&past->cells[i]);
    mgc_history_runs_free(past->runs, past->count);
    free(past->cells);
    *past = (struct mgc_past){0};
}

/* ---- one arm in one run ---- */

static bool counts(const struct mgc_arm_key *key, const struct mgc_history_cell *cell, bool confirm)
{
    return cell->measured && cell->confirm == confirm && mgc_arm_has(key, cell);
}

const struct mgc_history_cell *mgc_arm_sample(
    const struct mgc_arm_key *key, const struct mgc_history_cells *cells)
{
    for (size_t i = 0; i < cells->count; i++) {
        if (counts(key, &cells->items[i], false))
            return &cells->items[i];
    }
    return NULL;
}

static bool same_builds(const struct mgc_cell_facts *a, const struct mgc_cell_facts *b)
{
    return mgc_cells_comparable(a, b, ~(MGC_FACTS_BUILDS)).answer == MGC_COMPARABLE_YES;
}

/* "client_build a1b2 library_build c3d4"; false: a build is not known. */
static bool put_builds(const struct mgc_cell_facts *facts, struct mgc_buf *out)
{
    for (int i = 0; i < MGC_FACT_COUNT; i++) {
        const struct mgc_fact_value *fact = &facts->facts[i];
        if (!(MGC_FACTS_BUILDS & 1u << i))
            continue;
        if (fact->state == MGC_FACT_ABSENT)
            return false;
        mgc_buf_printf(out, "%s %s ", mgc_fact_name((enum mgc_fact)i),
            fact->state == MGC_FACT_KNOWN ? fact->value : "-");
    }
    return true;
}

/* NULL: not known, or not one. *ok becomes false without memory. */
static char *inputs_of(
    const struct mgc_arm_key *key, const struct mgc_history_cells *cells, bool confirm, bool *ok)
{
    const struct mgc_history_cell *first = NULL;
    struct mgc_buf text = {0};
    for (size_t i = 0; i < cells->count; i++) {
        const struct mgc_history_cell *cell = &cells->items[i];
        if (!counts(key, cell, confirm))
            continue;
        first = first ? first : cell;
        if (!same_builds(&first->facts, &cell->facts))
            return NULL;
    }
    if (!first || !put_builds(&first->facts, &text)) {
        mgc_buf_destroy(&text);
        return NULL;
    }
    char *inputs = mgc_buf_steal(&text);
    *ok = *ok && inputs;
    return inputs;
}

bool mgc_arm_rounds(const struct mgc_arm_key *key, const struct mgc_history_cells *cells,
    bool confirm, struct mgc_night_rounds *ret_rounds)
{
    double *values = calloc(cells->count + 1, sizeof(*values));
    bool ok = values != NULL;
    struct mgc_night_rounds rounds = {.values = values};
    for (size_t i = 0; ok && i < cells->count; i++) {
        if (counts(key, &cells->items[i], confirm) && cells->items[i].value > 0)
            values[rounds.count++] = log(1000 / cells->items[i].value);
    }
    if (ok)
        rounds.inputs = inputs_of(key, cells, confirm, &ok);
    if (ok)
        *ret_rounds = rounds;
    else
        mgc_night_rounds_free(&rounds);
    return ok;
}

void mgc_night_rounds_free(struct mgc_night_rounds *rounds)
{
    free((void *)rounds->values);
    free((void *)rounds->inputs);
    *rounds = (struct mgc_night_rounds){0};
}

/* ---- one arm over the nights ---- */

struct tonight {
    const struct mgc_history_cell *sample; /* NULL: nothing was measured */
    struct mgc_link_look link;
};

static bool has_link(const struct mgc_arm_key *key, const struct mgc_history_cells *cells,
    const struct tonight *tonight, struct mgc_arm_past *ret_past)
{
    struct mgc_link_look link;
    char why[sizeof(ret_past->why)] = "no memory for its link";
    enum mgc_comparable alike = MGC_COMPARABLE_UNKNOWN;
    if (mgc_arm_link(key, cells, &link))
        alike = mgc_night_links_alike(&link, &tonight->link, why, sizeof(why));
    if (alike == MGC_COMPARABLE_YES)
        return true;
    ret_past->other_link = alike == MGC_COMPARABLE_NO;
    memcpy(ret_past->why, why, sizeof(why));
    ret_past->left_out++;
    return false;
}

/* All of the night's cells against tonight's; false: one differs, or may, and *ret_past says so. */
static bool is_like(const struct mgc_arm_key *key, const struct mgc_history_cells *cells,
    const struct tonight *tonight, struct mgc_arm_past *ret_past)
{
    const struct mgc_history_cell *sample = tonight->sample;
    ret_past->other_link = false;
    for (size_t i = 0; i < cells->count; i++) {
        const struct mgc_history_cell *cell = &cells->items[i];
        if (!counts(key, cell, false))
            continue;
        struct mgc_comparability answer =
            mgc_cells_comparable(&cell->facts, &sample->facts, MGC_FACTS_BUILDS);
        if (answer.answer == MGC_COMPARABLE_YES)
            continue;
        mgc_comparability_text(
            &answer, &cell->facts, &sample->facts, ret_past->why, sizeof(ret_past->why));
        ret_past->left_out++;
        return false;
    }
    return has_link(key, cells, tonight, ret_past);
}

/* ---- those that are needed ---- */

/* One more night is there: true while some arm of tonight has not enough of its own settings. */
static bool count_night(
    const struct mgc_history_cells *tonight, const struct mgc_history_cells *night, size_t *counts)
{
    struct mgc_arm_past ignored = {0};
    bool more = false;
    for (size_t i = 0; i < tonight->count; i++) {
        struct mgc_arm_key key = mgc_arm_key_of(&tonight->items[i]);
        if (mgc_arm_sample(&key, tonight) != &tonight->items[i])
            continue; /* once for each arm */
        struct tonight own = {.sample = &tonight->items[i], .link = mgc_link_look_none};
        bool known = mgc_arm_sample(&key, night) && mgc_arm_link(&key, tonight, &own.link);
        counts[i] += known && is_like(&key, night, &own, &ignored);
        more |= counts[i] < MGC_PAST_NIGHTS;
    }
    return more;
}

/* Nothing was read of the first so many. */
static void drop_first(struct mgc_past *past, size_t drop)
{
    for (size_t i = 0; i < drop; i++)
        mgc_history_run_destroy(&past->runs[i]);
    past->count -= drop;
    memmove(past->runs, past->runs + drop, past->count * sizeof(*past->runs));
    memmove(past->cells, past->cells + drop, past->count * sizeof(*past->cells));
}

/* From the newest on, until every arm has its nights: a night counts by what it measured and with
 * which settings, and that is known only of one that was read. */
static bool load_cells(struct mgc_history *history, const struct mgc_history_cells *tonight,
    struct mgc_past *past, struct mgc_error *err)
{
    const struct mgc_history_filter all = {0};
    size_t *counts = calloc(tonight->count + 1, sizeof(*counts)), at = past->count;
    bool ok = true;
    past->cells = calloc(past->count + 1, sizeof(*past->cells));
    if (!counts || !past->cells) {
        free(counts);
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the history");
    }
    bool more = count_night(tonight, &(struct mgc_history_cells){0}, counts);
    while (ok && more && at > 0) {
        at--;
        ok = mgc_history_cells(history, &past->runs[at], &all, &past->cells[at], err);
        more = ok && count_night(tonight, &past->cells[at], counts);
    }
    free(counts);
    drop_first(past, at);
    return ok;
}

bool mgc_past_load(struct mgc_history *history, const struct mgc_history_run *run,
    const struct mgc_history_run *other, const struct mgc_history_cells *tonight,
    struct mgc_past *ret_past, struct mgc_error *err)
{
    struct mgc_history_filter filter = {
        .device = run->serial, .before_wall_ns = run->start_wall_ns};
    struct mgc_past past = {0};
    *ret_past = past;
    if (!run->serial || !run->start_wall_ns)
        return true;
    if (!mgc_history_runs(history, &filter, &past.runs, &past.count, err))
        return false;
    keep_same_device(&past, run, other);
    bool ok = load_cells(history, tonight, &past, err);
    if (ok)
        *ret_past = past;
    else
        mgc_past_destroy(&past);
    return ok;
}

/* ---- one arm ---- */

/* The newest ones, so many. */
static void keep_newest(struct mgc_arm_past *past, size_t most)
{
    size_t drop = past->count > most ? past->count - most : 0;
    for (size_t i = 0; i < drop; i++)
        mgc_night_rounds_free(&past->nights[i]);
    memmove(past->nights, past->nights + drop, (past->count - drop) * sizeof(*past->nights));
    past->count -= drop;
}

bool mgc_arm_past_make(const struct mgc_past *past, const struct mgc_arm_key *key,
    const struct mgc_history_cells *tonight, struct mgc_arm_past *ret_past)
{
    struct tonight sample = {.sample = mgc_arm_sample(key, tonight)};
    struct mgc_arm_past own = {.nights = calloc(past->count + 1, sizeof(*own.nights))};
    bool ok = own.nights && mgc_arm_link(key, tonight, &sample.link);
    for (size_t i = 0; ok && sample.sample && i < past->count; i++) {
        const struct mgc_history_cells *cells = &past->cells[i];
        if (!mgc_arm_sample(key, cells))
            continue;
        own.newest_left_out = !is_like(key, cells, &sample, &own);
        if (own.newest_left_out)
            continue;
        ok = mgc_arm_rounds(key, cells, false, &own.nights[own.count]);
        own.count += ok;
    }
    if (!ok) {
        mgc_arm_past_destroy(&own);
        return false;
    }
    keep_newest(&own, MGC_PAST_NIGHTS);
    *ret_past = own;
    return true;
}

void mgc_arm_past_destroy(struct mgc_arm_past *past)
{
    if (!past)
        return;
    for (size_t i = 0; i < past->count; i++)
        mgc_night_rounds_free(&past->nights[i]);
    free(past->nights);
    *past = (struct mgc_arm_past){0};
}
