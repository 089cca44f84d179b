#include "coordinator/history/run_gate.h"

#include <stdlib.h>
#include <string.h>

#include "coordinator/history/nights.h"

/* ---- the arms and their nights ---- */

static void gather(struct mgc_run_gate *gate)
{
    for (size_t i = 0; i < gate->cells.count; i++) {
        const struct mgc_history_cell *cell = &gate->cells.items[i];
        bool listed = cell->confirm;
        for (size_t k = 0; k < gate->count; k++)
            listed |= mgc_arm_has(&gate->arms[k].key, cell);
        if (!listed)
            gate->arms[gate->count++] = (struct mgc_run_gate_arm){.key = mgc_arm_key_of(cell)};
    }
}

struct judging { /* one of each per arm */
    struct mgc_arm_past *pasts;
    struct mgc_gate_arm *arms;
    struct mgc_gate_result *results;
    size_t count;
};

static void judging_destroy(struct judging *judging)
{
    for (size_t i = 0; i < judging->count; i++) {
        mgc_arm_past_destroy(&judging->pasts[i]);
        mgc_night_rounds_free(&judging->arms[i].tonight);
        mgc_night_rounds_free(&judging->arms[i].confirm);
    }
    free(judging->pasts);
    free(judging->arms);
    free(judging->results);
}

static bool judging_init(struct judging *judging, size_t count)
{
    *judging = (struct judging){.pasts = calloc(count + 1, sizeof(*judging->pasts)),
        .arms = calloc(count + 1, sizeof(*judging->arms)),
        .results = calloc(count + 1, sizeof(*judging->results))};
    bool ok = judging->pasts && judging->arms && judging->results;
    judging->count = ok ? count : 0;
    return ok;
}

static bool prepare(const struct mgc_run_gate *gate, const struct mgc_past *past, size_t at,
    struct judging *judging)
{
    const struct mgc_arm_key *key = &gate->arms[at].key;
    struct mgc_gate_arm *arm = &judging->arms[at];
    struct mgc_arm_past *own = &judging->pasts[at];
    if (!mgc_arm_past_make(past, key, &gate->cells, own) ||
        !mgc_arm_rounds(key, &gate->cells, false, &arm->tonight) ||
        !mgc_arm_rounds(key, &gate->cells, true, &arm->confirm))
        return false;
    arm->nights = own->nights;
    arm->night_count = own->count;
    return true;
}

static bool judge(struct mgc_run_gate *gate, const struct mgc_past *past)
{
    struct judging judging;
    bool ok = judging_init(&judging, gate->count);
    for (size_t i = 0; ok && i < gate->count; i++)
        ok = prepare(gate, past, i, &judging);
    ok = ok && mgc_gate_decide(&mgc_gate_default, judging.arms, gate->count, judging.results);
    for (size_t i = 0; ok && i < gate->count; i++) {
        gate->arms[i].result = judging.results[i];
        if (judging.pasts[i].newest_left_out) /* of the last night's builds nothing follows then */
            gate->arms[i].result.inputs = MGC_GATE_INPUTS_CHANGED;
        gate->arms[i].left_out = judging.pasts[i].left_out;
        gate->arms[i].other_link = judging.pasts[i].other_link;
        memcpy(gate->arms[i].why, judging.pasts[i].why, sizeof(gate->arms[i].why));
    }
    judging_destroy(&judging);
    return ok;
}

/* ---- where they come from ---- */

/* `run` is in `from`, the nights before it in `history`, which may be NULL. */
static bool load(struct mgc_history *from, struct mgc_history *history,
    const struct mgc_history_run *run, struct mgc_run_gate *gate, struct mgc_error *err)
{
    const struct mgc_history_filter all = {.confirm = true};
    struct mgc_past past = {0};
    if (!mgc_history_cells(from, run, &all, &gate->cells, err) ||
        (history && !mgc_past_load(history, run, NULL, &gate->cells, &past, err)))
        return false;
    gate->arms = calloc(gate->cells.count + 1, sizeof(*gate->arms));
    if (gate->arms)
        gather(gate);
    bool ok = (gate->arms && judge(gate, &past)) ||
              mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the gate");
    mgc_past_destroy(&past);
    return ok;
}

bool mgc_run_gate_of(struct mgc_history *history, const char *run_id, struct mgc_run_gate *ret_gate,
    struct mgc_error *err)
{
    struct mgc_run_gate gate = {0};
    bool ok = mgc_history_find(history, run_id, &gate.run, err) &&
              load(history, history, &gate.run, &gate, err);
    if (ok)
        *ret_gate = gate;
    else
        mgc_run_gate_destroy(&gate);
    return ok;
}

/* *ret_history NULL: there is none, which is no error. */
static bool open_root(
    const char *results_root, struct mgc_history **ret_history, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_error own = {0};
    if (!mgc_path_join(path, sizeof(path), results_root, MGC_HISTORY_FILE))
        return mgc_error_set(err, MGC_E_CONFIG, "'%.200s': path is too long", results_root);
    *ret_history = mgc_history_open(path, MGC_HISTORY_READ, &own);
    return *ret_history || own.code == MGC_E_NOT_FOUND ||
           mgc_error_set(err, own.code, "%s", own.text);
}

/* The run goes through a history in memory, so that it comes as those before it do. */
bool mgc_run_gate_now(const char *results_root, const struct mgc_results *results,
    struct mgc_run_gate *ret_gate, struct mgc_error *err)
{
    struct mgc_run_gate gate = {0};
    struct mgc_history *history = NULL, *own = NULL;
    bool ok = open_root(results_root, &history, err);
    if (ok)
        own = mgc_history_open(MGC_HISTORY_IN_MEMORY, MGC_HISTORY_WRITE, err);
    ok = own && mgc_history_record(own, results, NULL, MGC_ORIGIN_IMPORT, NULL, err) &&
         mgc_history_only(own, &gate.run, err) && load(own, history, &gate.run, &gate, err);
    mgc_history_close(own);
    mgc_history_close(history);
    if (ok)
        *ret_gate = gate;
    else
        mgc_run_gate_destroy(&gate);
    return ok;
}

void mgc_run_gate_destroy(struct mgc_run_gate *gate)
{
    if (!gate)
        return;
    mgc_history_run_destroy(&gate->run);
    mgc_history_cells_destroy(&gate->cells);
    free(gate->arms);
    *gate = (struct mgc_run_gate){0};
}

/* ---- what is asked of it ---- */

bool mgc_run_gate_flags(const struct mgc_run_gate *gate, const char *lane, const char *workload,
    const char *backend, const char *arm)
{
    const struct mgc_history_cell cell = {.lane = (char *)lane,
        .workload = (char *)workload,
        .backend = (char *)backend,
        .arm = (char *)arm};
    for (size_t i = 0; i < gate->count; i++) {
        if (mgc_arm_has(&gate->arms[i].key, &cell))
            return gate->arms[i].result.flagged;
    }
    return false;
}

bool mgc_run_gate_failed(const struct mgc_run_gate *gate)
{
    bool failed = false;
    for (size_t i = 0; i < gate->count; i++)
        failed = failed || mgc_gate_failed(&gate->arms[i].result, 1);
    return failed;
}
