#include "coordinator/merge/link_look.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *metric;
    double least; /* smaller differences are none */
} rows[MGC_LINK_FIGURES] = {
    [MGC_LINK_UP] = {"up_mbit_s", 0},
    [MGC_LINK_DOWN] = {"down_mbit_s", 0},
    [MGC_LINK_RTT] = {"link_rtt_ms", MGC_LINK_RTT_LEAST_MS},
};

const struct mgc_link_look mgc_link_look_none = {{NAN, NAN, NAN}};

const char *mgc_link_figure_metric(enum mgc_link_figure figure)
{
    return rows[figure].metric;
}

struct mgc_link_look mgc_link_look_of(const struct mgc_fields *metrics)
{
    struct mgc_link_look look = mgc_link_look_none;
    for (int i = 0; i < MGC_LINK_FIGURES; i++) {
        double value;
        if (mgc_fields_get_double(metrics, rows[i].metric, &value) && value > 0)
            look.figures[i] = value;
    }
    return look;
}

bool mgc_link_look_is_known(const struct mgc_link_look *look)
{
    bool known = false;
    for (int i = 0; i < MGC_LINK_FIGURES; i++)
        known |= isfinite(look->figures[i]);
    return known;
}

/* Read back from files that have 15 digits, a mean comes out the same. */
static json_t *rounded(double value)
{
    char text[32];
    snprintf(text, sizeof(text), "%.6g", value);
    return isfinite(value) ? json_real(strtod(text, NULL)) : json_null();
}

json_t *mgc_link_look_to_json(const struct mgc_link_look *look)
{
    if (!mgc_link_look_is_known(look))
        return json_null();
    json_t *object = json_object();
    for (int i = 0; i < MGC_LINK_FIGURES; i++)
        json_object_set_new(object, rows[i].metric, rounded(look->figures[i]));
    return object;
}

static bool take(const struct mgc_bracket_result *bracket, struct mgc_link_look *ret_look)
{
    if (!bracket || bracket->verdict.state != MGC_VERDICT_MEASURED)
        return false;
    *ret_look = mgc_link_look_of(&bracket->verdict.metrics);
    return mgc_link_look_is_known(ret_look);
}

bool mgc_results_link_around(const struct mgc_results *results, const struct mgc_cell *cell,
    struct mgc_link_around *ret_around)
{
    struct mgc_link_around around;
    if (!take(mgc_results_look(results, cell, false), &around.before) ||
        !take(mgc_results_look(results, cell, true), &around.after))
        return false;
    *ret_around = around;
    return true;
}

struct mgc_link_look mgc_link_around_middle(const struct mgc_link_around *around)
{
    struct mgc_link_look middle;
    for (int i = 0; i < MGC_LINK_FIGURES; i++)
        middle.figures[i] = (around->before.figures[i] + around->after.figures[i]) / 2;
    return middle;
}

enum mgc_link_figure mgc_link_looks_apart(
    const struct mgc_link_look *a, const struct mgc_link_look *b, int64_t band_pct)
{
    int i = 0;
    for (; i < MGC_LINK_FIGURES; i++) {
        double one = a->figures[i], other = b->figures[i];
        double allowed = fmin(one, other) * (double)band_pct / 100;
        if (isfinite(one) && isfinite(other) && fabs(other - one) > fmax(allowed, rows[i].least))
            break;
    }
    return (enum mgc_link_figure)i;
}
