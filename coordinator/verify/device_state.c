/* What the phone did while the app ran: judged inside the run's window, not from the settings
 * (contract section 9, rows 8 to 12). Limits that fall, clocks that are not where the plan holds
 * them, a temperature outside the plan's band or power that goes away make a run worthless.
 */
#include "coordinator/verify/device_window.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/path.h"
#include "common/plat/file.h"
#include "coordinator/verify/metrics.h"

enum { CSV_MAX = 64 * 1024 * 1024 };

static const char file_name[] = "device-state.csv";

/* Nobody could look while adb was away: then it is not the phone that told nothing, and another
 * attempt may see all of it. */
__attribute__((format(printf, 3, 4))) static void name_missing(
    struct judge *judge, enum mgc_reason reason, const char *format, ...)
{
    char what[MGC_ERROR_TEXT_MAX];
    int64_t losses = mgc_transport_losses(judge->attempt);
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof(what), format, args);
    va_end(args);
    if (losses)
        mgc_reason_set(judge->verdict, MGC_REASON_TRANSPORT_LOST,
            "adb lost the phone %lld time%s during the cell and got it back: %s", (long long)losses,
            plural((uint64_t)losses), what);
    else
        mgc_reason_set(judge->verdict, reason, "%s", what);
}

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
    name_missing(judge, MGC_REASON_DEVICE_STATE_MISSING,
        "the phone's state while the app ran is not known: %s: %s", file_name, err.text);
    return false;
}

/* The period that the plan asked for; the file's own word counts where there is no plan. */
static int64_t period_ms(const struct judge *judge, const struct mgc_series *series)
{
    const struct mgc_cell *cell = judge->cell;
    int64_t period_ms;
    for (size_t i = 0; i < cell->step_count; i++) {
        if (mgc_fields_get_int(&cell->steps[i].params, "period_ms", &period_ms) && period_ms > 0)
            return period_ms;
    }
    return series->period_ms;
}

/* By the phone's clock. Across hosts who samples the phone was told of begin and end. */
static bool times_of_run(const struct judge *judge, int64_t *ret_from_ns, int64_t *ret_to_ns)
{
    bool on_phone = mgc_judge_replays_on_phone(judge);
    const struct mgc_fields *facts =
        mgc_facts_of_step(judge->attempt, on_phone ? "replay" : "state");
    return mgc_fields_get_int(
               facts, on_phone ? "start_mono_ns" : "run_from_mono_ns", ret_from_ns) &&
           mgc_fields_get_int(facts, on_phone ? "end_mono_ns" : "run_to_mono_ns", ret_to_ns) &&
           *ret_from_ns <= *ret_to_ns;
}

static bool find_window(struct judge *judge, struct mgc_window *window)
{
    int64_t from_ns, to_ns;
    if (!times_of_run(judge, &from_ns, &to_ns)) {
        mgc_verdict_add(judge->verdict, "device state", MGC_CHECK_ABSENT, file_name, "%s",
            "the app's run has no times");
        name_missing(judge, MGC_REASON_DEVICE_STATE_MISSING, "%s",
            "the times of the app's run are not known");
        return false;
    }
    double run_s = (double)(to_ns - from_ns) / 1e9;
    mgc_window_find(window, from_ns, to_ns, period_ms(judge, window->series));
    mgc_verdict_add(judge->verdict, "device state",
        window->inside ? MGC_CHECK_OK : MGC_CHECK_ABSENT, file_name,
        "%zu sample%s within %.1f s of the app's run, %zu beside it", window->inside,
        plural(window->inside), run_s, window->end - window->first - window->inside);
    if (!window->inside)
        name_missing(judge, MGC_REASON_RUN_NOT_SAMPLED,
            "no sample of the phone's state was taken within the %.2f s that the app ran", run_s);
    return window->inside;
}

/* What it was when the run began and when it ended. */
static void keep_ends(struct judge *judge, const struct mgc_window *window)
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

void mgc_judge_not_readable(struct judge *judge, const char *check)
{
    bool accepted = unreadable_accepted(judge);
    mgc_verdict_add(judge->verdict, check, accepted ? MGC_CHECK_OK : MGC_CHECK_ABSENT, file_name,
        "not readable on this phone%s", accepted ? ", which the plan accepts" : "");
    if (!accepted)
        mgc_reason_set(judge->verdict, MGC_REASON_DEVICE_STATE_MISSING,
            "the phone does not tell its %s, and the plan refuses that", check);
}

bool mgc_judge_covered(
    struct judge *judge, const struct mgc_window *window, const char *check, size_t column)
{
    double hole_s = (double)mgc_window_hole_ns(window, column) / 1e9;
    const char *name = window->series->names[column];
    if (!mgc_window_has_holes(window, column))
        return true;
    mgc_verdict_add(judge->verdict, check, MGC_CHECK_ABSENT, file_name,
        "%s has no value for %.1f s of the app's run", name, hole_s);
    name_missing(judge, MGC_REASON_DEVICE_STATE_MISSING,
        "the phone's state has a hole: %s is not known for %.1f s of the app's run", name, hole_s);
    return false;
}

/* A value that the phone tells at all has to be there for the whole run. */
static bool read_range(struct judge *judge, const struct mgc_window *window, const char *check,
    const char *name, int64_t *ret_low, int64_t *ret_high)
{
    size_t column = mgc_series_column(window->series, name);
    if (!mgc_window_is_told(window, column)) {
        mgc_judge_not_readable(judge, check);
        return false;
    }
    return mgc_judge_covered(judge, window, check, column) &&
           mgc_window_range(window, column, ret_low, ret_high);
}

static void judge_temperature(struct judge *judge, const struct mgc_window *window)
{
    const struct mgc_expect *expect = &judge->cell->expect;
    static const char check[] = "battery temperature";
    int64_t low, high;
    if (!read_range(judge, window, check, "battery_temp_dc", &low, &high))
        return;
    mgc_fields_set_int(&judge->verdict->metrics, "battery_temp_min_dc", low);
    mgc_fields_set_int(&judge->verdict->metrics, "battery_temp_max_dc", high);
    keep_ends(judge, window);
    bool good = low >= expect->temp_min_dc && high <= expect->temp_max_dc;
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

static void judge_power(struct judge *judge, const struct mgc_window *window)
{
    int64_t low, high;
    if (!judge->cell->expect.plugged)
        return;
    if (!read_range(judge, window, "power", "plugged", &low, &high))
        return;
    mgc_verdict_add(judge->verdict, "power", low ? MGC_CHECK_OK : MGC_CHECK_BAD, file_name, "%s",
        low ? "plugged in all the time" : "not plugged in all the time");
    if (!low)
        mgc_reason_set(judge->verdict, MGC_REASON_POWER_LOST,
            "the phone had no external power for a part of the app's run");
}

void mgc_judge_device_state(struct judge *judge, const char *dir)
{
    /* There is no device program for this phone. */
    if (mgc_fields_get(mgc_facts_of_step(judge->attempt, "state"), "unavailable")) {
        mgc_judge_not_readable(judge, "device state");
        return;
    }
    struct mgc_series *series = calloc(1, sizeof(*series));
    struct mgc_window window = {.series = series};
    if (!series) {
        mgc_reason_set(judge->verdict, MGC_REASON_NO_MEMORY, "not enough memory to judge");
        return;
    }
    if (read_series(judge, dir, series) && find_window(judge, &window)) {
        judge_temperature(judge, &window);
        judge_power(judge, &window);
        mgc_judge_throttling(judge, &window);
        mgc_judge_pins(judge, &window);
    }
    mgc_series_destroy(series);
    free(series);
}
