#include "coordinator/verify/device_window.h"

#include "common/base/clock.h"

enum { HOLE_PERIODS = 3 };

static bool is_inside(const struct mgc_window *window, size_t row)
{
    int64_t t_ns = window->series->t_ns[row];
    return t_ns >= window->from_ns && t_ns <= window->to_ns;
}

void mgc_window_find(struct mgc_window *window, int64_t from_ns, int64_t to_ns, int64_t period_ms)
{
    window->from_ns = from_ns;
    window->to_ns = to_ns;
    window->hole_max_ns = HOLE_PERIODS * period_ms * MGC_NS_PER_MS;
    mgc_series_window(window->series, from_ns, to_ns, &window->first, &window->end);
    window->inside = 0;
    for (size_t row = window->first; row < window->end; row++)
        window->inside += is_inside(window, row);
}

bool mgc_window_is_told(const struct mgc_window *window, size_t column)
{
    int64_t value;
    for (size_t row = 0; row < window->series->row_count; row++) {
        if (mgc_series_get(window->series, row, column, &value))
            return true;
    }
    return false;
}

int64_t mgc_window_hole_ns(const struct mgc_window *window, size_t column)
{
    int64_t longest_ns = 0, seen_ns = window->from_ns, value;
    for (size_t row = window->first; row < window->end; row++) {
        int64_t t_ns = window->series->t_ns[row];
        if (t_ns <= seen_ns || !mgc_series_get(window->series, row, column, &value))
            continue;
        t_ns = t_ns < window->to_ns ? t_ns : window->to_ns;
        longest_ns = t_ns - seen_ns > longest_ns ? t_ns - seen_ns : longest_ns;
        seen_ns = t_ns;
    }
    int64_t rest_ns = window->to_ns - seen_ns;
    return rest_ns > longest_ns ? rest_ns : longest_ns;
}

/* What was so before and after a short run says nothing of what was meanwhile. */
static bool has_value_inside(const struct mgc_window *window, size_t column)
{
    int64_t value;
    for (size_t row = window->first; row < window->end; row++)
        if (is_inside(window, row) && mgc_series_get(window->series, row, column, &value))
            return true;
    return false;
}

bool mgc_window_has_holes(const struct mgc_window *window, size_t column)
{
    return !has_value_inside(window, column) ||
           mgc_window_hole_ns(window, column) > window->hole_max_ns;
}

bool mgc_window_range(
    const struct mgc_window *window, size_t column, int64_t *ret_min, int64_t *ret_max)
{
    bool any = false;
    for (size_t row = window->first; row < window->end; row++) {
        int64_t value;
        if (!mgc_series_get(window->series, row, column, &value))
            continue;
        *ret_min = any && *ret_min < value ? *ret_min : value;
        *ret_max = any && *ret_max > value ? *ret_max : value;
        any = true;
    }
    return any;
}
