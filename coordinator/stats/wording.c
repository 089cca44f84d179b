#include "coordinator/stats/wording.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static void put_noise(const struct mgc_comparison *result, char *text, size_t size)
{
    if (result->more == MGC_MORE_SOME)
        snprintf(text, size, "no conclusion (more rounds needed)");
    else if (result->more == MGC_MORE_ABOUT)
        snprintf(text, size, "no conclusion (about %zu more round%s needed)", result->more_rounds,
            result->more_rounds == 1 ? "" : "s");
    else
        snprintf(text, size, "no conclusion (more than %d rounds needed)", MGC_ROUNDS_LIMIT);
}

static void put_floor(const struct mgc_comparison *result, char *text, size_t size)
{
    const struct mgc_floor *floor = result->floor;
    if (isfinite(floor->fraction))
        snprintf(text, size, "no conclusion (%.1f %% is not above %s, %.1f %%)",
            100 * expm1(fabs(result->interval.mean)), floor->name, 100 * floor->fraction);
    else
        snprintf(text, size, "no conclusion (%s may be all of it)", floor->name);
}

void mgc_comparison_conclusion(const struct mgc_comparison *result, char *text, size_t size)
{
    switch (result->open) {
    case MGC_OPEN_NOT:
        snprintf(text, size, "%s", mgc_conclusion_name(result->conclusion));
        return;
    case MGC_OPEN_TOO_FEW:
        snprintf(text, size, "no conclusion (%zu pair%s, at least 2 needed)", result->n,
            result->n == 1 ? "" : "s");
        return;
    case MGC_OPEN_NO_VARIANCE:
        snprintf(text, size, "no conclusion (all %zu pairs have the same ratio: noise not seen)",
            result->n);
        return;
    case MGC_OPEN_NOISE:
        put_noise(result, text, size);
        return;
    case MGC_OPEN_BELOW_FLOOR:
        put_floor(result, text, size);
        return;
    case MGC_OPEN_FLOOR_UNKNOWN:
        snprintf(text, size, "no conclusion (%s is not known)", result->floor->name);
        return;
    }
    snprintf(text, size, "unknown");
}

static size_t append(char *text, size_t size, size_t at, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static size_t append(char *text, size_t size, size_t at, const char *fmt, ...)
{
    va_list args;
    if (at >= size)
        return at;
    va_start(args, fmt);
    int length = vsnprintf(text + at, size - at, fmt, args);
    va_end(args);
    return length < 0 ? at : at + (size_t)length;
}

/* Two pairs that disagree may have a bound with a hundred digits; nobody wants these. */
static size_t append_percent(char *text, size_t size, size_t at, double ratio)
{
    if (ratio > 100)
        return append(text, size, at, "more than +9900");
    double percent = 100 * (ratio - 1);
    return append(text, size, at, "%+.1f", fabs(percent) < 0.05 ? 0.0 : percent);
}

/* A p just above the level must not look like one at it: digits until it does not. */
static void append_p(char *text, size_t size, size_t at, double p)
{
    double alpha = mgc_compare_default.alpha;
    int digits = 3;
    if (p < 0.001) {
        append(text, size, at, ", p < 0.001");
        return;
    }
    for (double scale = 1e3; digits < 9 && p != alpha && round(p * scale) == round(alpha * scale);
         scale *= 10)
        digits++;
    append(text, size, at, ", p = %.*f", digits, p);
}

static size_t append_ratio(const struct mgc_comparison *result, char *text, size_t size)
{
    size_t at = append_percent(text, size, 0, result->ratio);
    at = append(text, size, at, " %%");
    if (result->tested && isfinite(result->interval.low)) {
        at = append(text, size, at, " (");
        at = append_percent(text, size, at, result->ratio_low);
        at = append(text, size, at, " to ");
        at = append_percent(text, size, at, result->ratio_high);
        at = append(text, size, at, ")");
    }
    return at;
}

void mgc_comparison_ratio(const struct mgc_comparison *result, char *text, size_t size)
{
    if (result->n == 0)
        snprintf(text, size, "-");
    else
        append_ratio(result, text, size);
}

void mgc_comparison_numbers(const struct mgc_comparison *result, char *text, size_t size)
{
    if (result->n == 0) {
        snprintf(text, size, "-");
        return;
    }
    size_t at = append_ratio(result, text, size);
    if (result->tested)
        at = append(text, size, at, ", %s", mgc_interval_method_name(result->interval.method));
    at = append(text, size, at, ", n = %zu", result->n);
    if (result->tested)
        append_p(text, size, at, result->adjusted_p);
}
