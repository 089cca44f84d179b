#include "coordinator/merge/replacement.h"

#include <string.h>

#include "coordinator/merge/rounds.h"
#include "coordinator/verify/reasons.h"

/* What happened to a cell, rather than what its arm did. */
static const enum mgc_reason circumstances[] = {
    MGC_REASON_THROTTLED,
    MGC_REASON_LEFT_BAND,
    MGC_REASON_POWER_LOST,
    MGC_REASON_KNOB_LOST,
    MGC_REASON_PIN_OVERRIDDEN,
    MGC_REASON_PIN_NOT_AT_WORK,
    MGC_REASON_DEVICE_STATE_MISSING,
    MGC_REASON_RUN_NOT_SAMPLED,
    MGC_REASON_PATH_CHANGED,
    MGC_REASON_LINK_MOVED,
    MGC_REASON_LINK_UNPROVED,
    MGC_REASON_CLOCK_STEPPED,
    MGC_REASON_HOST_SLEPT,
    MGC_REASON_CLOCK_UNKNOWN,
    MGC_REASON_WORKER_LOST,
    MGC_REASON_SETUP_LOST,
    MGC_REASON_DEVICE_LOST,
    MGC_REASON_TRANSPORT_LOST,
    MGC_REASON_TRANSPORT_RENEWED,
    MGC_REASON_PHONE_REBOOTED,
    MGC_REASON_APP_STOPPED,
    MGC_REASON_APP_STARTED_BESIDE,
};

static bool is_circumstance(const struct mgc_verdict *verdict)
{
    for (size_t i = 0; i < sizeof(circumstances) / sizeof(circumstances[0]); i++) {
        if (strcmp(verdict->reason, mgc_reason_words(circumstances[i])->name) == 0)
            return verdict->state == MGC_VERDICT_INVALID || verdict->infrastructure;
    }
    return false;
}

static bool has_budget(const struct mgc_results *results, const struct mgc_cell_result *cell)
{
    return results->replaced < results->plan->replacements &&
           cell->replaced < results->plan->retries_per_cell;
}

/* True when the cell goes again: it is out of the budget then. */
static bool take(struct mgc_results *results, struct mgc_cell_result *cell)
{
    if (cell->again || !is_circumstance(&cell->verdict) || !has_budget(results, cell))
        return false;
    results->replaced++;
    cell->replaced++;
    cell->again = true;
    return true;
}

/* The reference that goes again right before `cell`; NULL: none has to. For one that crosses hosts
 * the plan's first backend will do, as for its comparison (comparisons.c). */
static const struct mgc_cell *reference_of(
    const struct mgc_results *results, const struct mgc_cell *cell)
{
    const char *reference = results->plan->reference;
    if (!reference || !mgc_cell_is_regular(cell) || strcmp(cell->arm, reference) == 0)
        return NULL;
    const struct mgc_cell *first = NULL;
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell *other = results->cells[i].cell;
        if (!mgc_cell_is_regular(other) || other->rep != cell->rep ||
            strcmp(other->arm, reference) != 0 || strcmp(other->workload, cell->workload) != 0)
            continue;
        if (mgc_cell_has_backend(other, cell->expect.backend))
            return other;
        first = first ? first : other;
    }
    return cell->crosses_hosts ? first : NULL;
}

bool mgc_replacement_due(const struct mgc_results *results, const struct mgc_cell_result *cell)
{
    return !cell->again && is_circumstance(&cell->verdict) && has_budget(results, cell) &&
           (cell->cell->block || reference_of(results, cell->cell));
}

struct turns {
    struct mgc_turn *at;
    size_t count;
};

static void put(struct turns *turns, const struct mgc_cell *cell, const struct mgc_cell *sake)
{
    if (turns->count < MGC_REPLACEMENT_TURNS_MAX)
        turns->at[turns->count++] = (struct mgc_turn){.cell = cell, .sake = sake};
}

static void put_look(
    const struct mgc_results *results, const struct mgc_cell *of, bool after, struct turns *turns)
{
    const struct mgc_bracket_result *bracket = mgc_results_look(results, of, after);
    if (bracket)
        put(turns, bracket->cell, NULL);
}

/* reference, before, cells, after */
static void replace_block(
    struct mgc_results *results, const struct mgc_cell *bracket, struct turns *turns)
{
    const struct mgc_cell *voided[MGC_REPLACEMENT_TURNS_MAX - 3];
    size_t count = 0, first, end = mgc_plan_block(results->plan, bracket, &first);
    for (size_t i = first; i < end && count < sizeof(voided) / sizeof(voided[0]); i++) {
        struct mgc_cell_result *cell = mgc_results_find(results, &results->plan->cells[i]);
        if (cell && take(results, cell))
            voided[count++] = cell->cell;
    }
    if (count == 0)
        return;
    const struct mgc_cell *reference = reference_of(results, voided[0]);
    if (reference)
        put(turns, reference, voided[0]);
    put_look(results, bracket, false, turns);
    for (size_t i = 0; i < count; i++)
        put(turns, voided[i], NULL);
    put_look(results, bracket, true, turns);
}

size_t mgc_replace(struct mgc_results *results, const struct mgc_cell *judged,
    struct mgc_turn ret_turns[MGC_REPLACEMENT_TURNS_MAX])
{
    struct turns turns = {.at = ret_turns};
    if (judged->kind == MGC_CELL_BRACKET && judged->after) {
        replace_block(results, judged, &turns);
    } else if (judged->kind == MGC_CELL_MEASURE && !judged->block) {
        struct mgc_cell_result *cell = mgc_results_find(results, judged);
        if (!take(results, cell))
            return 0;
        const struct mgc_cell *reference = reference_of(results, judged);
        if (reference)
            put(&turns, reference, judged);
        put(&turns, judged, NULL);
    }
    return turns.count;
}

/* What a comparison needs of it; its evidence is in the attempt's own file. */
bool mgc_replacement_stand(struct mgc_cell_result *cell, const struct mgc_cell *reference,
    int attempt, const struct mgc_verdict *verdict)
{
    mgc_verdict_destroy(&cell->beside);
    cell->beside_cell = reference;
    cell->beside_attempt = attempt;
    cell->beside.state = verdict->state;
    memcpy(cell->beside.reason, verdict->reason, sizeof(cell->beside.reason));
    memcpy(cell->beside.text, verdict->text, sizeof(cell->beside.text));
    return mgc_fields_copy(&cell->beside.metrics, &verdict->metrics);
}

bool mgc_replacement_beside(struct mgc_results *results, const struct mgc_cell *sake,
    const struct mgc_cell *reference, int attempt, const struct mgc_verdict *verdict)
{
    bool ok = true;
    size_t first, end = mgc_plan_block(results->plan, sake, &first);
    for (size_t i = first; ok && i < end; i++) {
        const struct mgc_cell *cell = &results->plan->cells[i];
        struct mgc_cell_result *result = mgc_results_find(results, cell);
        if (result && (cell == sake || result->again))
            ok = mgc_replacement_stand(result, reference, attempt, verdict);
    }
    return ok;
}
