/* What the phone did while the app ran: judged inside the run's window, not from the settings
 * (contract section 9, rows 8 to 12). Limits that fall, clocks that are not where the plan holds
 * them, a temperature outside the plan's band or power that goes away make a run worthless.
 */
#include "coordinator/verify/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/path.h"
#include "common/plat/file.h"
#include "coordinator/verify/device_series.h"

enum {
    CSV_MAX = 64 * 1024 * 1024,
    CPU_NEAR_PCT = 90, /* neighbours of an operating point are closer than 10 % */
    GPU_NEAR_PCT = 85, /* freqcheck's limit for a GPU that is busy */
    GPU_BUSY_PCT = 50,
};

static const char file_name[] = "device-state.csv";

struct window {
    const struct mgc_series *series;
    size_t first, end; /* rows */
};

static bool read_series(struct judge *judge, const char *dir, struct mgc_series *ret_series)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf text = {0};
    struct mgc_error err = {0};
    bool ok = mgc_path_join(path, sizeof(path), dir, file_name) &&
              mgc_file_read(path, CSV_MAX, &text, &err) &&
              mgc_series_parse(mgc_buf_text(&text), text.len, ret_series, &err);
    mgc_buf_destroy(&text);
    if (ok)
        return true;
    mgc_verdict_add(judge->verdict, "device state", MGC_CHECK_ABSENT, file_name, "%s", err.text);
    mgc_reason_set(judge->verdict, MGC_REASON_DEVICE_STATE_MISSING,
        "the phone's state while the app ran is not known: %s: %s", file_name, err.text);
    return false;
}

static bool find_window(struct judge *judge, struct window *window)
{
    const struct mgc_step_outcome *replay = mgc_judge_step(judge, "replay");
    int64_t from_ns, to_ns;
    bool known = replay && mgc_fields_get_int(&replay->facts, "start_mono_ns", &from_ns) &&
                 mgc_fields_get_int(&replay->facts, "end_mono_ns", &to_ns) && from_ns <= to_ns;
    if (known)
        mgc_series_window(window->series, from_ns, to_ns, &window->first, &window->end);
    if (known && window->first < window->end) {
        mgc_verdict_add(judge->verdict, "device state", MGC_CHECK_OK, file_name,
            "%zu samples around %.1f s of the app's run", window->end - window->first,
            (double)(to_ns - from_ns) / 1e9);
        return true;
    }
    mgc_verdict_add(judge->verdict, "device state", MGC_CHECK_ABSENT, file_name,
        known ? "no sample near the app's run" : "the app's run has no times");
    mgc_reason_set(judge->verdict, MGC_REASON_DEVICE_STATE_MISSING, "%s",
        known ? "no sample of the phone's state is near the app's run"
              : "the times of the app's run are not known");
    return false;
}

/* Lowest and highest value of a column in the window; false when none could be read. */
static bool range_of(
    const struct window *window, const char *name, int64_t *ret_min, int64_t *ret_max)
{
    size_t column = mgc_series_column(window->series, name);
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

/* What it was when the run began and when it ended. */
static void keep_ends(struct judge *judge, const struct window *window)
{
    size_t column = mgc_series_column(window->series, "battery_temp_dc");
    struct mgc_fields *metrics = &judge->verdict->metrics;
    int64_t value;
    for (size_t row = window->first; row < window->end; row++) {
        if (!mgc_series_get(window->series, row, column, &value))
            continue;
        if (!mgc_fields_get(metrics, "battery_temp_start_dc"))
            mgc_fields_set_int(metrics, "battery_temp_start_dc", value);
        mgc_fields_set_int(metrics, "battery_temp_end_dc", value);
    }
}

/* ---- temperature and power ----------------------------------------------------------------- */

/* The plan said what to do about a value that the phone does not give. */
static bool unreadable_accepted(const struct judge *judge)
{
    const struct mgc_cell *cell = judge->cell;
    for (size_t i = 0; i < cell->step_count; i++) {
        const char *policy = mgc_fields_get_str(&cell->steps[i].params, "unreadable");
        if (policy)
            return strcmp(policy, "accept") == 0;
    }
    return false;
}

static void not_readable(struct judge *judge, const char *check)
{
    bool accepted = unreadable_accepted(judge);
    mgc_verdict_add(judge->verdict, check, accepted ? MGC_CHECK_OK : MGC_CHECK_ABSENT, file_name,
        "not readable on this phone%s", accepted ? ", which the plan accepts" : "");
    if (!accepted)
        mgc_reason_set(judge->verdict, MGC_REASON_DEVICE_STATE_MISSING,
            "the phone does not tell its %s, and the plan refuses that", check);
}

static void judge_temperature(struct judge *judge, const struct window *window)
{
    const struct mgc_expect *expect = &judge->cell->expect;
    static const char check[] = "battery temperature";
    int64_t low, high;
    if (!range_of(window, "battery_temp_dc", &low, &high)) {
        not_readable(judge, check);
        return;
    }
    mgc_fields_set_int(&judge->verdict->metrics, "battery_temp_min_dc", low);
    mgc_fields_set_int(&judge->verdict->metrics, "battery_temp_max_dc", high);
    keep_ends(judge, window);
    bool good = (!expect->temp_max_dc || high <= expect->temp_max_dc) &&
                (!expect->temp_min_dc || low >= expect->temp_min_dc);
    mgc_verdict_add(judge->verdict, check, good ? MGC_CHECK_OK : MGC_CHECK_BAD, file_name,
        "%.1f to %.1f C (band %.1f to %.1f C)", (double)low / 10, (double)high / 10,
        (double)expect->temp_min_dc / 10, (double)expect->temp_max_dc / 10);
    if (!good)
        mgc_reason_set(judge->verdict, MGC_REASON_LEFT_BAND,
            "the battery was at %.1f to %.1f C while the app ran, the plan's band is %.1f to %.1f "
            "C",
            (double)low / 10, (double)high / 10, (double)expect->temp_min_dc / 10,
            (double)expect->temp_max_dc / 10);
}

static void judge_power(struct judge *judge, const struct window *window)
{
    int64_t low, high;
    if (!judge->cell->expect.plugged)
        return;
    if (!range_of(window, "plugged", &low, &high)) {
        not_readable(judge, "power");
        return;
    }
    mgc_verdict_add(judge->verdict, "power", low ? MGC_CHECK_OK : MGC_CHECK_BAD, file_name, "%s",
        low ? "plugged in all the time" : "not plugged in all the time");
    if (!low)
        mgc_reason_set(judge->verdict, MGC_REASON_POWER_LOST,
            "the phone had no external power for a part of the app's run");
}

/* ---- limits and clocks --------------------------------------------------------------------- */

/* The first value that could be read at all: what the limit was before the run heated anything. */
static bool first_value(const struct mgc_series *series, size_t column, int64_t *ret_value)
{
    for (size_t row = 0; row < series->row_count; row++) {
        if (mgc_series_get(series, row, column, ret_value))
            return true;
    }
    return false;
}

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), end_len = strlen(end);
    return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

/* A limit that was higher (a CPU's) or a level that was lower (the GPU's) before. */
static bool is_throttled(
    const struct window *window, size_t column, int64_t *ret_was, int64_t *ret_became)
{
    const char *name = window->series->names[column];
    bool limit = strncmp(name, "cpu", 3) == 0 && ends_with(name, "_max_khz");
    bool level = strcmp(name, "gpu_thermal_level") == 0;
    int64_t low, high;
    if ((!limit && !level) || !first_value(window->series, column, ret_was) ||
        !range_of(window, name, &low, &high))
        return false;
    *ret_became = limit ? low : high;
    return limit ? low < *ret_was : high > *ret_was;
}

static void judge_throttling(struct judge *judge, const struct window *window)
{
    bool any = false, throttled = false;
    for (size_t column = 0; column < window->series->column_count; column++) {
        const char *name = window->series->names[column];
        int64_t was, became;
        any |= ends_with(name, "_max_khz") || strcmp(name, "gpu_thermal_level") == 0;
        if (!is_throttled(window, column, &was, &became))
            continue;
        throttled = true;
        mgc_verdict_add(judge->verdict, "not throttled", MGC_CHECK_BAD, file_name,
            "%s went from %lld to %lld", name, (long long)was, (long long)became);
        mgc_reason_set(judge->verdict, MGC_REASON_THROTTLED,
            "the phone was throttled while the app ran: %s went from %lld to %lld", name,
            (long long)was, (long long)became);
    }
    if (!any)
        not_readable(judge, "not throttled");
    else if (!throttled)
        mgc_verdict_add(judge->verdict, "not throttled", MGC_CHECK_OK, file_name, "no limit fell");
}

static void pin_missed(
    struct judge *judge, const char *check, const char *column, int64_t seen, int64_t pin)
{
    mgc_verdict_add(judge->verdict, check, MGC_CHECK_BAD, file_name, "%s was %lld, held at %lld",
        column, (long long)seen, (long long)pin);
    mgc_reason_set(judge->verdict, MGC_REASON_PIN_OVERRIDDEN,
        "%s was %lld while the app ran, the plan holds it at %lld", column, (long long)seen,
        (long long)pin);
}

static void judge_cpu_pin(
    struct judge *judge, const struct window *window, const char *name, int64_t pin)
{
    char check[64], current[64], limit[64];
    int64_t low, high, cap, cap_high;
    snprintf(check, sizeof(check), "%s held", name);
    snprintf(current, sizeof(current), "%s_cur_khz", name);
    snprintf(limit, sizeof(limit), "%s_max_khz", name);
    if (!range_of(window, current, &low, &high) || !range_of(window, limit, &cap, &cap_high)) {
        mgc_verdict_add(judge->verdict, check, MGC_CHECK_ABSENT, file_name, "%s", "");
        mgc_reason_set(judge->verdict, MGC_REASON_PIN_UNREADABLE,
            "the clock of %s, which the plan holds, could not be read", name);
    } else if (cap < pin) {
        pin_missed(judge, check, limit, cap, pin);
    } else if (low * 100 < pin * CPU_NEAR_PCT) {
        pin_missed(judge, check, current, low, pin);
    } else {
        mgc_verdict_add(judge->verdict, check, MGC_CHECK_OK, file_name, "%lld to %lld kHz",
            (long long)low, (long long)high);
    }
}

/* An idle GPU clocks down whatever it is told (contract section 9, row 11): only samples with work
 * count. */
static void judge_gpu_pin(struct judge *judge, const struct window *window, int64_t pin)
{
    size_t clock = mgc_series_column(window->series, "gpu_hz");
    size_t busy = mgc_series_column(window->series, "gpu_busy_pct");
    int64_t lowest = INT64_MAX, value, load;
    bool read = false;
    for (size_t row = window->first; row < window->end; row++) {
        if (!mgc_series_get(window->series, row, clock, &value))
            continue;
        read = true;
        bool working = !mgc_series_get(window->series, row, busy, &load) || load >= GPU_BUSY_PCT;
        if (working && value < lowest)
            lowest = value;
    }
    if (!read) {
        mgc_verdict_add(judge->verdict, "gpu held", MGC_CHECK_ABSENT, file_name, "%s", "");
        mgc_reason_set(judge->verdict, MGC_REASON_PIN_UNREADABLE,
            "the GPU's clock, which the plan holds, could not be read");
    } else if (lowest != INT64_MAX && lowest / 100 < pin / 100 * GPU_NEAR_PCT / 100) {
        pin_missed(judge, "gpu held", "gpu_hz", lowest, pin);
    } else {
        mgc_verdict_add(judge->verdict, "gpu held", MGC_CHECK_OK, file_name, "%s",
            lowest == INT64_MAX ? "never busy" : "at its pin when busy");
    }
}

/* "cpu7=2035200 gpu=680000000" */
static void judge_pins(struct judge *judge, const struct window *window)
{
    char name[24];
    long long pin;
    int used;
    const char *at = judge->cell->expect.pins;
    for (; at && sscanf(at, " %23[a-z0-9]=%lld%n", name, &pin, &used) == 2; at += used) {
        if (strcmp(name, "gpu") == 0)
            judge_gpu_pin(judge, window, pin);
        else
            judge_cpu_pin(judge, window, name, pin);
    }
}

void mgc_judge_device_state(struct judge *judge, const char *dir)
{
    struct mgc_series *series = calloc(1, sizeof(*series));
    struct window window = {.series = series};
    if (!series) {
        mgc_reason_set(judge->verdict, MGC_REASON_NO_MEMORY, "not enough memory to judge");
        return;
    }
    if (read_series(judge, dir, series) && find_window(judge, &window)) {
        judge_temperature(judge, &window);
        judge_power(judge, &window);
        judge_throttling(judge, &window);
        judge_pins(judge, &window);
    }
    mgc_series_destroy(series);
    free(series);
}
