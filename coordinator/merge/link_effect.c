#include "coordinator/merge/link_effect.h"

#include <math.h>
#include <stdio.h>

#include "coordinator/merge/comparisons.h"

static double metric(const struct mgc_cell_result *cell, const char *name)
{
    double value;
    return mgc_fields_get_double(&cell->verdict.metrics, name, &value) ? value : NAN;
}

/* Runs from before the steady mean was kept have their whole run's: with the load in it, which only
 * makes the bound larger. */
static double replies_per_frame(const struct mgc_cell_result *cell)
{
    double steady = metric(cell, "steady_replies_per_frame");
    return isfinite(steady) ? steady : metric(cell, "wait_replies") / metric(cell, "total_frames");
}

static struct mgc_link_use use_of(const struct mgc_cell_result *cell)
{
    double credit = (double)cell->cell->expect.credit;
    return (struct mgc_link_use){.mbyte_per_frame = metric(cell, "steady_mb_per_frame"),
        .trips_per_frame = credit > 0 ? 1 / credit + replies_per_frame(cell) : NAN};
}

/* What one does not know nobody knows. */
static double larger(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

static void widen(const struct mgc_link_look *look, struct mgc_link_effect *effect)
{
    for (int i = 0; i < MGC_LINK_FIGURES; i++) {
        effect->low.figures[i] = fmin(effect->low.figures[i], look->figures[i]);
        effect->high.figures[i] = fmax(effect->high.figures[i], look->figures[i]);
    }
}

static void take(const struct mgc_results *results, const struct mgc_cell_result *cell,
    struct mgc_link_effect *effect)
{
    struct mgc_link_use use = use_of(cell);
    struct mgc_link_around around;
    effect->use.mbyte_per_frame = larger(effect->use.mbyte_per_frame, use.mbyte_per_frame);
    effect->use.trips_per_frame = larger(effect->use.trips_per_frame, use.trips_per_frame);
    effect->cells++;
    if (!mgc_results_link_around(results, cell->cell, &around))
        return;
    effect->looked++;
    widen(&around.before, effect); /* fmin and fmax pass over NAN */
    widen(&around.after, effect);
}

static void conclude(double log_sum, struct mgc_link_effect *effect)
{
    const struct mgc_link_range range = {
        .slow_mbit_s = effect->low.figures[MGC_LINK_UP],
        .fast_mbit_s = effect->high.figures[MGC_LINK_UP],
        .short_trip_ms = effect->low.figures[MGC_LINK_RTT],
        .long_trip_ms = effect->high.figures[MGC_LINK_RTT],
    };
    effect->moves = (struct mgc_link_moves){NAN, NAN, NAN};
    if (effect->cells && effect->looked == effect->cells)
        effect->moves = mgc_link_moves_of(&effect->use, &range);
    effect->frame_ms = effect->cells ? exp(log_sum / (double)effect->cells) : NAN;
    effect->floor = mgc_link_floor(effect->moves.ms, effect->frame_ms);
}

void mgc_link_effect_of(const struct mgc_results *results, const struct mgc_rounds *rounds,
    const struct mgc_side *side, struct mgc_link_effect *ret_effect)
{
    struct mgc_link_effect effect = {.low = mgc_link_look_none, .high = mgc_link_look_none};
    size_t count;
    const struct mgc_cell_result *const *cells = mgc_rounds_of(rounds, side, &count);
    double log_sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (cells[i]->verdict.state != MGC_VERDICT_MEASURED)
            continue;
        take(results, cells[i], &effect);
        log_sum += log(metric(cells[i], MGC_COMPARED_METRIC));
    }
    conclude(log_sum, &effect);
    *ret_effect = effect;
}

static void explain(const struct mgc_link_effect *effect, char *text, size_t size)
{
    char most[64];
    if (effect->moves.waiting_ms > effect->moves.transfer_ms)
        snprintf(most, sizeof(most), "waiting for round trips (%.1f a frame)",
            effect->use.trips_per_frame);
    else
        snprintf(most, sizeof(most), "throughput (%.3f MB a frame)", effect->use.mbyte_per_frame);
    snprintf(text, size, "its movement explains up to %.2f of %.2f ms per frame, mostly %s",
        effect->moves.ms, effect->frame_ms, most);
}

void mgc_link_effect_text(const struct mgc_link_effect *effect, char *text, size_t size)
{
    if (isfinite(effect->moves.ms))
        explain(effect, text, size);
    else if (effect->looked < effect->cells)
        snprintf(text, size, "what it explains is not known: it was tested around %zu of %zu cells",
            effect->looked, effect->cells);
    else
        snprintf(text, size, "what it explains is not known: the %s",
            effect->cells == 0 ? "arm was not measured"
                               : "client did not tell what a frame sends and waits for");
}
