#include "coordinator/plan/sequence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/plan/build.h"
#include "coordinator/stats/random.h"

/* Cells are appended while items are walked through. */
struct sequence {
    const struct mgc_lane_input *input;
    const struct mgc_lane_items *items;
    struct mgc_plan *plan;
    const char *order;
    bool brackets;
    size_t groups;   /* of cells so far: a salt for their order */
    size_t parts;    /* so far, see part.h */
    int64_t confirm; /* confirming rounds after the regular ones: the nth; 0: a regular round */
};

/* Some items, by their index. */
struct group {
    size_t at[MGC_LANE_ITEMS_MAX];
    size_t count;
};

/* ---- order --------------------------------------------------------------------------------- */

/* `count` is at most a few dozen: the modulo's bias is below 1e-17. */
static void shuffle(uint64_t seed, size_t count, size_t *order)
{
    for (size_t left = count; left > 1; left--) {
        size_t other = mgc_splitmix64(&seed) % left, kept = order[left - 1];
        order[left - 1] = order[other];
        order[other] = kept;
    }
}

void mgc_sequence_order(
    const char *order, int64_t seed, size_t salt, int64_t rep, size_t count, size_t *ret_order)
{
    bool rotate = order && strcmp(order, "rotate") == 0;
    for (size_t i = 0; i < count; i++)
        ret_order[i] = rotate ? (i + (size_t)(rep - 1)) % count : i;
    if (order && strcmp(order, "shuffle") == 0) {
        uint64_t state = (uint64_t)seed;
        state = mgc_splitmix64(&state) ^ (uint64_t)salt;
        state = mgc_splitmix64(&state) ^ (uint64_t)rep;
        shuffle(state, count, ret_order);
    }
}

static void permute(struct sequence *seq, struct group *group, int64_t rep)
{
    size_t order[MGC_LANE_ITEMS_MAX], sorted[MGC_LANE_ITEMS_MAX];
    mgc_sequence_order(seq->order, seq->input->seed, seq->groups, rep, group->count, order);
    for (size_t i = 0; i < group->count; i++)
        sorted[i] = group->at[order[i]];
    memcpy(group->at, sorted, group->count * sizeof(*sorted));
}

static bool crosses(const struct sequence *seq, size_t item)
{
    return seq->items->items[item].lane->crosses_hosts;
}

/* Those that cross hosts move to the first of them; else the order stays. */
static void gather(const struct sequence *seq, struct group *group)
{
    struct group sorted = {.count = 0};
    bool placed = false;
    for (size_t i = 0; i < group->count; i++) {
        if (!crosses(seq, group->at[i]))
            sorted.at[sorted.count++] = group->at[i];
        for (size_t j = i; !placed && crosses(seq, group->at[i]) && j < group->count; j++) {
            if (crosses(seq, group->at[j]))
                sorted.at[sorted.count++] = group->at[j];
        }
        placed |= crosses(seq, group->at[i]);
    }
    *group = sorted;
}

/* ---- cells --------------------------------------------------------------------------------- */

/* The names of regular cells are what other programs look for: confirming ones have a directory of
 * their own. */
static bool mark_confirming(const struct sequence *seq, struct mgc_cell *cell)
{
    static const char prefix[] = "confirm/";
    if (!seq->confirm)
        return true;
    size_t size = sizeof(prefix) + strlen(cell->id);
    char *id = malloc(size);
    if (!id)
        return false;
    snprintf(id, size, "%s%s", prefix, cell->id);
    free(cell->id);
    cell->id = id;
    cell->confirm = true;
    return true;
}

static bool add_cell(struct sequence *seq, size_t item, int64_t round, bool in_block)
{
    const struct mgc_lane_item *it = &seq->items->items[item];
    size_t before = seq->plan->cell_count;
    int64_t nth = seq->confirm ? it->rounds + seq->confirm : round;
    if (!it->lane->add(seq->input, it, it->first_rep + nth - 1, seq->plan))
        return false;
    for (size_t i = before; i < seq->plan->cell_count; i++) {
        struct mgc_cell *cell = &seq->plan->cells[i];
        cell->crosses_hosts = it->lane->crosses_hosts;
        cell->round = it->mode == MGC_MODE_BENCHMARK ? round : 0;
        cell->block = in_block ? seq->plan->block_count : 0;
        cell->part = seq->parts;
        if (!mark_confirming(seq, cell))
            return false;
    }
    return true;
}

static bool add_bracket(
    struct sequence *seq, const struct mgc_lane_item *of, int64_t round, bool after)
{
    const char *side = after ? "after" : "before";
    bool one_workload = seq->plan->interleaved || seq->confirm ||
                        of->lane->sequence == MGC_LANE_WORKLOAD_BY_WORKLOAD;
    struct mgc_cell *cell =
        one_workload ? mgc_build_cell(seq->plan, MGC_CELL_BRACKET, of->lane->name,
                           "brackets/%s-r%lld-%s", of->workload->name, (long long)round, side)
                     : mgc_build_cell(seq->plan, MGC_CELL_BRACKET, of->lane->name,
                           "brackets/r%lld-%s", (long long)round, side);
    if (!cell)
        return false;
    cell->round = round;
    cell->block = seq->plan->block_count;
    cell->part = seq->parts;
    cell->after = after;
    return (!one_workload || mgc_build_text(&cell->workload, of->workload->name)) &&
           mark_confirming(seq, cell) && of->lane->bracket(seq->input, cell);
}

static bool add_round(struct sequence *seq, struct group *group, int64_t round)
{
    const struct mgc_lane_item *open = NULL; /* of the block that is being added */
    seq->parts++;
    permute(seq, group, round);
    if (seq->brackets)
        gather(seq, group);
    for (size_t i = 0; i < group->count; i++) {
        const struct mgc_lane_item *item = &seq->items->items[group->at[i]];
        bool in_block = seq->brackets && item->lane->bracket;
        if (in_block && !open) {
            seq->plan->block_count++;
            if (!add_bracket(seq, item, round, false))
                return false;
            open = item;
        }
        if (!add_cell(seq, group->at[i], round, in_block))
            return false;
        bool last = i + 1 == group->count || !crosses(seq, group->at[i + 1]);
        if (in_block && last) {
            if (!add_bracket(seq, open, round, true))
                return false;
            open = NULL;
        }
    }
    seq->groups += group->count > 0;
    return true;
}

/* ---- sequences ----------------------------------------------------------------------------- */

/* NULL as lane or workload: any. */
static void choose(const struct sequence *seq, const struct mgc_lane *lane,
    const struct mgc_site_workload *workload, enum mgc_mode mode, int64_t round, struct group *ret)
{
    ret->count = 0;
    for (size_t i = 0; i < seq->items->count; i++) {
        const struct mgc_lane_item *item = &seq->items->items[i];
        if ((!lane || item->lane == lane) && (!workload || item->workload == workload) &&
            item->mode == mode && round <= item->rounds)
            ret->at[ret->count++] = i;
    }
}

static bool add_pictures(
    struct sequence *seq, const struct mgc_lane *lane, const struct mgc_site_workload *workload)
{
    struct group group;
    choose(seq, lane, workload, MGC_MODE_SSIM, 1, &group);
    seq->parts++;
    for (size_t i = 0; i < group.count; i++) {
        if (!add_cell(seq, group.at[i], 1, false))
            return false;
    }
    seq->groups += group.count > 0;
    return true;
}

static bool add_rounds(
    struct sequence *seq, const struct mgc_lane *lane, const struct mgc_site_workload *workload)
{
    struct group group;
    for (int64_t round = 1;; round++) {
        choose(seq, lane, workload, MGC_MODE_BENCHMARK, round, &group);
        if (group.count == 0)
            return true;
        if (!add_round(seq, &group, round))
            return false;
    }
}

/* Confirming rounds: each arm of the workload, of all lanes, whatever of it will be run. */
static bool add_confirming(struct sequence *seq, const struct mgc_site_workload *workload)
{
    int64_t count = mgc_setting_int(mgc_settings_get(&seq->input->site->settings, "confirm"), 0);
    int64_t regular = 0;
    struct group all;
    choose(seq, NULL, workload, MGC_MODE_BENCHMARK, 1, &all);
    for (size_t i = 0; i < all.count; i++) {
        if (seq->items->items[all.at[i]].rounds > regular)
            regular = seq->items->items[all.at[i]].rounds;
    }
    bool ok = true;
    for (seq->confirm = 1; ok && all.count && seq->confirm <= count; seq->confirm++) {
        struct group group = all;
        ok = add_round(seq, &group, regular + seq->confirm);
    }
    seq->confirm = 0;
    return ok;
}

/* The workload of this item has not come up before. */
static bool is_first_of_workload(
    const struct sequence *seq, const struct mgc_lane *lane, size_t item)
{
    const struct mgc_lane_item *items = seq->items->items;
    if (lane && items[item].lane != lane)
        return false;
    for (size_t i = 0; i < item; i++) {
        if ((!lane || items[i].lane == lane) && items[i].workload == items[item].workload)
            return false;
    }
    return true;
}

static bool by_workload(struct sequence *seq, const struct mgc_lane *lane, bool pictures_first)
{
    bool ok = true;
    for (size_t i = 0; ok && i < seq->items->count; i++) {
        const struct mgc_site_workload *workload = seq->items->items[i].workload;
        if (!is_first_of_workload(seq, lane, i))
            continue;
        ok = (!pictures_first || add_pictures(seq, lane, workload)) &&
             add_rounds(seq, lane, workload) &&
             (pictures_first || add_pictures(seq, lane, workload));
    }
    return ok;
}

static bool of_lane(struct sequence *seq, const struct mgc_lane *lane)
{
    return lane->sequence == MGC_LANE_WORKLOAD_BY_WORKLOAD
               ? by_workload(seq, lane, false)
               : add_pictures(seq, lane, NULL) && add_rounds(seq, lane, NULL);
}

/* Link tests belong to no workload, and are nothing that the gate looks at. */
static bool confirm_all(struct sequence *seq)
{
    bool ok = true;
    for (size_t i = 0; ok && i < seq->items->count; i++) {
        if (seq->items->items[i].workload && is_first_of_workload(seq, NULL, i))
            ok = add_confirming(seq, seq->items->items[i].workload);
    }
    return ok;
}

static const char *setting(const struct mgc_lane_input *input, const char *key)
{
    const char *text = mgc_setting_text(mgc_settings_get(&input->site->settings, key));
    return text ? text : "";
}

bool mgc_sequence(const struct mgc_lane_input *input, const struct mgc_lane *const *lanes,
    size_t lane_count, struct mgc_plan *plan)
{
    struct mgc_lane_items *items = calloc(1, sizeof(*items));
    struct sequence seq = {
        .input = input,
        .items = items,
        .plan = plan,
        .order = setting(input, "order"),
        .brackets = strcmp(setting(input, "brackets"), "none") != 0,
    };
    bool ok = items != NULL;
    plan->interleaved = strcmp(setting(input, "interleave"), "round") == 0;
    for (size_t i = 0; ok && i < lane_count; i++)
        lanes[i]->items(input, items);
    if (ok && plan->interleaved)
        ok = by_workload(&seq, NULL, true);
    for (size_t i = 0; ok && !plan->interleaved && i < lane_count; i++)
        ok = of_lane(&seq, lanes[i]);
    ok = ok && confirm_all(&seq);
    free(items);
    return ok;
}
