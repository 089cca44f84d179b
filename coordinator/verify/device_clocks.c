/* Limits and clocks while the app ran, read from what the phone did and not from what it was told
 * (contract section 3.4, freqcheck, and section 9, rows 8 and 11).
 *
 * A CPU's limit is held against its pin, or, when the plan leaves it free, against the hardware's
 * maximum: a limit that fell before the cell began would pass for normal against the cell's own
 * first sample. That sample is the last resort, for phones that tell nothing else.
 */
#include <stdio.h>
#include <string.h>

#include "common/contract/cpu_policy.h"
#include "coordinator/verify/device_window.h"

enum {
    /* freqcheck allows a CPU one operating point below its pin. The series does not tell the
     * points; neighbours in the range that is pinned are closer than 10 %. */
    CPU_NEAR_PCT = 90,
    GPU_NEAR_PCT = 85,  /* freqcheck's, of a GPU that is busy */
    GPU_BUSY_PCT = 50,  /* an idle one clocks down whatever it is told */
    ABOVE_MAX_PCT = 101 /* above its pin: somebody else sets the clock */
};

static const char file_name[] = "device-state.csv";

/* ---- what the plan holds: "cpu7=2035200 gpu=680000000" ---- */

static bool next_pin(const char **at, char name[24], int64_t *ret_pin)
{
    long long pin;
    int used;
    if (!*at || sscanf(*at, " %23[a-z0-9]=%lld%n", name, &pin, &used) != 2)
        return false;
    *at += used;
    *ret_pin = pin;
    return true;
}

static bool pin_of(const struct judge *judge, const char *name, int64_t *ret_pin)
{
    const char *at = judge->cell->expect.pins;
    char pinned[24];
    while (next_pin(&at, pinned, ret_pin)) {
        if (strcmp(pinned, name) == 0)
            return true;
    }
    return false;
}

/* ---- limits ---- */

struct limit {
    const char *name; /* the column's */
    size_t column;
    bool is_level;     /* the GPU's: higher is slower */
    int64_t reference; /* what it has to be */
    const char *against;
};

/* The first value that could be read at all. It may itself be a limit that fell before. */
static bool first_value(const struct mgc_series *series, size_t column, int64_t *ret_value)
{
    for (size_t row = 0; row < series->row_count; row++) {
        if (mgc_series_get(series, row, column, ret_value))
            return true;
    }
    return false;
}

/* The column of the same CPU with other words: "cpu7" and "hw_khz" give "cpu7_hw_khz". */
static size_t column_beside(const struct mgc_series *series, const char *cpu, const char *what)
{
    char name[MGC_SERIES_NAME_MAX + 1];
    mgc_cpu_policy_column(cpu, what, name, sizeof(name));
    return mgc_series_column(series, name);
}

static bool is_cpu_limit(const char *name, char ret_cpu[16])
{
    int end = 0;
    return sscanf(name, "%15[a-z0-9]_max_khz%n", ret_cpu, &end) == 1 && end > 0 && !name[end] &&
           strncmp(ret_cpu, "cpu", 3) == 0;
}

static bool find_limit(
    const struct judge *judge, const struct mgc_window *window, size_t column, struct limit *limit)
{
    const struct mgc_series *series = window->series;
    char cpu[16];
    *limit = (struct limit){.name = series->names[column], .column = column};
    limit->is_level = strcmp(limit->name, "gpu_thermal_level") == 0;
    limit->against = "the first sample";
    if (!limit->is_level && !is_cpu_limit(limit->name, cpu))
        return false;
    if (!limit->is_level && pin_of(judge, cpu, &limit->reference))
        limit->against = "its pin";
    else if (!limit->is_level &&
             first_value(series, column_beside(series, cpu, "hw_khz"), &limit->reference))
        limit->against = "the hardware's maximum";
    else
        return first_value(series, column, &limit->reference);
    return mgc_window_is_told(window, column);
}

/* False: throttled, or not known for the whole run. */
static bool judge_limit(struct judge *judge, const struct mgc_window *window,
    const struct limit *limit, struct mgc_buf *seen)
{
    static const char check[] = "not throttled";
    int64_t low = 0, high = 0;
    if (!mgc_judge_covered(judge, window, check, limit->column) ||
        !mgc_window_range(window, limit->column, &low, &high))
        return false;
    mgc_buf_printf(seen, "%s%s against %s", seen->len ? ", " : "", limit->name, limit->against);
    int64_t worst = limit->is_level ? high : low;
    if (limit->is_level ? high <= limit->reference : low >= limit->reference)
        return true;
    mgc_verdict_add(judge->verdict, check, MGC_CHECK_BAD, file_name, "%s was %lld; %s is %lld",
        limit->name, (long long)worst, limit->against, (long long)limit->reference);
    mgc_reason_set(judge->verdict, MGC_REASON_THROTTLED,
        "the phone was throttled while the app ran: %s was %lld; %s is %lld", limit->name,
        (long long)worst, limit->against, (long long)limit->reference);
    return false;
}

void mgc_judge_throttling(struct judge *judge, const struct mgc_window *window)
{
    struct mgc_buf seen = {0};
    bool any = false, good = true;
    for (size_t column = 0; column < window->series->column_count; column++) {
        struct limit limit;
        if (!find_limit(judge, window, column, &limit))
            continue;
        any = true;
        good &= judge_limit(judge, window, &limit, &seen);
    }
    if (!any)
        mgc_judge_not_readable(judge, "not throttled");
    else if (good)
        mgc_verdict_add(judge->verdict, "not throttled", MGC_CHECK_OK, file_name,
            "no limit fell: %s", mgc_buf_text(&seen));
    mgc_buf_destroy(&seen);
}

/* ---- pins ---- */

static void pin_missed(
    struct judge *judge, const char *check, const char *column, int64_t seen, int64_t pin)
{
    mgc_verdict_add(judge->verdict, check, MGC_CHECK_BAD, file_name, "%s was %lld, held at %lld",
        column, (long long)seen, (long long)pin);
    mgc_reason_set(judge->verdict, MGC_REASON_PIN_OVERRIDDEN,
        "%s was %lld while the app ran, the plan holds it at %lld", column, (long long)seen,
        (long long)pin);
}

static void pin_unknown(struct judge *judge, const char *check, const char *what, const char *why)
{
    mgc_verdict_add(judge->verdict, check, MGC_CHECK_ABSENT, file_name, "%s", why);
    mgc_reason_set(judge->verdict, MGC_REASON_PIN_UNREADABLE,
        "the clock of %s, which the plan holds, %s", what, why);
}

/* An idle GPU shows nothing of its pin. */
static void pin_not_shown(struct judge *judge, const char *check)
{
    mgc_verdict_add(judge->verdict, check, MGC_CHECK_ABSENT, file_name, "%s",
        "never seen at work, so nothing shows its pin");
    mgc_reason_set(judge->verdict, MGC_REASON_PIN_NOT_AT_WORK,
        "the GPU, whose clock the plan holds, was in no sample of the app's run at work");
}

static bool is_above(int64_t value, int64_t pin)
{
    return value / 100 > pin / 100 * ABOVE_MAX_PCT / 100;
}

static void judge_cpu_pin(
    struct judge *judge, const struct mgc_window *window, const char *cpu, int64_t pin)
{
    const struct mgc_series *series = window->series;
    size_t current = column_beside(series, cpu, "cur_khz"),
           limit = column_beside(series, cpu, "max_khz");
    char check[64];
    int64_t low, high, cap, cap_high;
    snprintf(check, sizeof(check), "%s held", cpu);
    if (mgc_window_has_holes(window, current) || mgc_window_has_holes(window, limit) ||
        !mgc_window_range(window, current, &low, &high) ||
        !mgc_window_range(window, limit, &cap, &cap_high))
        pin_unknown(judge, check, cpu, "could not be read for the whole run");
    else if (cap != pin || cap_high != pin)
        pin_missed(judge, check, series->names[limit], cap != pin ? cap : cap_high, pin);
    else if (low / 100 < pin / 100 * CPU_NEAR_PCT / 100 || is_above(high, pin))
        pin_missed(judge, check, series->names[current], is_above(high, pin) ? high : low, pin);
    else
        mgc_verdict_add(judge->verdict, check, MGC_CHECK_OK, file_name, "%lld to %lld kHz",
            (long long)low, (long long)high);
}

static bool is_off(int64_t value, int64_t pin)
{
    return value / 100 < pin / 100 * GPU_NEAR_PCT / 100 || is_above(value, pin);
}

/* What the samples at work say of a held GPU; an idle one clocks down whatever it is told. Its load
 * counts as work where it is not told. */
struct gpu_seen {
    bool at_pin, off;
    int64_t off_hz; /* the first that was not where it has to be */
};

static struct gpu_seen look_at_gpu(const struct mgc_window *window, int64_t pin)
{
    size_t clock = mgc_series_column(window->series, "gpu_hz");
    size_t busy = mgc_series_column(window->series, "gpu_busy_pct");
    struct gpu_seen seen = {0};
    for (size_t row = window->first; row < window->end; row++) {
        int64_t value, load;
        if (!mgc_series_get(window->series, row, clock, &value))
            continue;
        if (mgc_series_get(window->series, row, busy, &load) && load < GPU_BUSY_PCT)
            continue;
        seen.at_pin |= !is_off(value, pin);
        if (!seen.off && is_off(value, pin)) {
            seen.off = true;
            seen.off_hz = value;
        }
    }
    return seen;
}

static void judge_gpu_pin(struct judge *judge, const struct mgc_window *window, int64_t pin)
{
    static const char check[] = "gpu held";
    struct gpu_seen seen = look_at_gpu(window, pin);
    if (mgc_window_has_holes(window, mgc_series_column(window->series, "gpu_hz")))
        pin_unknown(judge, check, "the GPU", "could not be read for the whole run");
    else if (seen.off)
        pin_missed(judge, check, "gpu_hz", seen.off_hz, pin);
    else if (!seen.at_pin && mgc_judge_replays_on_phone(judge))
        pin_not_shown(judge, check);
    else if (!seen.at_pin) /* it may wait for the link most of the time */
        mgc_verdict_add(judge->verdict, check, MGC_CHECK_OK, file_name, "%s",
            "never busy enough to show its pin");
    else
        mgc_verdict_add(
            judge->verdict, check, MGC_CHECK_OK, file_name, "%s", "at its pin when at work");
}

void mgc_judge_pins(struct judge *judge, const struct mgc_window *window)
{
    const char *at = judge->cell->expect.pins;
    char name[24];
    int64_t pin;
    while (next_pin(&at, name, &pin)) {
        if (strcmp(name, "gpu") == 0)
            judge_gpu_pin(judge, window, pin);
        else
            judge_cpu_pin(judge, window, name, pin);
    }
}
