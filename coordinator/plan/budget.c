#include "coordinator/plan/budget.h"

#include <inttypes.h>
#include <time.h>

#include "common/base/clock.h"
#include "coordinator/plan/plan_text.h"

/* ---- when it has to be over ---------------------------------------------------------------- */

/* mktime() minds a change to or from summer time. */
static int64_t time_of_day_s(time_t now, int days, int64_t minutes)
{
    struct tm local;
    if (!localtime_r(&now, &local))
        return now;
    local.tm_mday += days;
    local.tm_hour = (int)(minutes / 60);
    local.tm_min = (int)(minutes % 60);
    local.tm_sec = 0;
    local.tm_isdst = -1;
    return mktime(&local);
}

struct mgc_time_limit mgc_time_limit_make(
    const struct mgc_budget *budget, int64_t mono_ns, int64_t wall_ns)
{
    struct mgc_time_limit limit = {.mono_end_ns = MGC_NEVER, .wall_end_ns = MGC_NEVER};
    time_t now = (time_t)(wall_ns / MGC_NS_PER_S);
    if (budget->wall_ms)
        limit.mono_end_ns = mono_ns + budget->wall_ms * MGC_NS_PER_MS;
    if (budget->has_end) {
        int64_t end_s = time_of_day_s(now, 0, budget->end_min);
        if (end_s <= now)
            end_s = time_of_day_s(now, 1, budget->end_min);
        limit.wall_end_ns = end_s * MGC_NS_PER_S;
    }
    return limit;
}

bool mgc_time_is_limited(const struct mgc_time_limit *limit)
{
    return limit->mono_end_ns != MGC_NEVER || limit->wall_end_ns != MGC_NEVER;
}

static int64_t until(int64_t end_ns, int64_t now_ns)
{
    return end_ns == MGC_NEVER ? MGC_NEVER : end_ns - now_ns;
}

int64_t mgc_time_left_ns(const struct mgc_time_limit *limit, int64_t mono_ns, int64_t wall_ns)
{
    return mgc_deadline_min(until(limit->mono_end_ns, mono_ns), until(limit->wall_end_ns, wall_ns));
}

void mgc_time_limit_put(const struct mgc_time_limit *limit, const struct mgc_budget *budget,
    int64_t mono_ns, int64_t wall_ns, struct mgc_buf *out)
{
    if (until(limit->wall_end_ns, wall_ns) < until(limit->mono_end_ns, mono_ns)) {
        mgc_buf_printf(out, "budget.end_by (%02" PRId64 ":%02" PRId64 ")", budget->end_min / 60,
            budget->end_min % 60);
        return;
    }
    mgc_buf_puts(out, "budget.wall_time (");
    mgc_duration_put(budget->wall_ms, out);
    mgc_buf_putc(out, ')');
}

/* ---- what has to fit ----------------------------------------------------------------------- */

static int64_t sum_ms(const struct mgc_part *part, struct mgc_estimates *estimates,
    mgc_still_to_come *is_to_come, void *user)
{
    int64_t sum = 0;
    size_t cells = 0;
    for (size_t i = 0; i < part->count; i++) {
        const struct mgc_cell *cell = &part->cells[i];
        if (is_to_come && !is_to_come(user, cell))
            continue;
        cells += cell->kind == MGC_CELL_MEASURE;
        sum += mgc_estimate_of(estimates, cell).ms;
    }
    return cells ? sum : 0; /* brackets come only around cells */
}

static int64_t close_ms(const struct mgc_plan *plan, struct mgc_estimates *estimates)
{
    const struct mgc_cell *last = &plan->cells[plan->cell_count - 1];
    return last->kind == MGC_CELL_CLOSE ? mgc_estimate_of(estimates, last).ms : 0;
}

struct mgc_part_need mgc_part_need_of(const struct mgc_plan *plan, const struct mgc_part *part,
    size_t behind, struct mgc_estimates *estimates, mgc_still_to_come *is_to_come, void *user)
{
    struct mgc_part_need need = {
        .own_ms = sum_ms(part, estimates, is_to_come, user),
        .close_ms = close_ms(plan, estimates),
    };
    bool waits = part->round > 1 && !part->confirm;
    struct mgc_part other;
    while (waits && mgc_plan_next_part(plan, &behind, &other)) {
        if (!other.confirm && other.round <= part->round)
            need.others_ms += sum_ms(&other, estimates, is_to_come, user);
    }
    return need;
}

/* ---- the check of a plan ------------------------------------------------------------------- */

struct least {
    int64_t ms;
    size_t cells, known; /* to measure; of them: with a history */
};

static void add_cell(
    struct least *least, const struct mgc_cell *cell, struct mgc_estimates *estimates)
{
    struct mgc_estimate estimate = mgc_estimate_of(estimates, cell);
    least->ms += estimate.ms;
    least->cells += cell->kind == MGC_CELL_MEASURE;
    least->known += cell->kind == MGC_CELL_MEASURE && estimate.source == MGC_ESTIMATE_HISTORY;
}

static struct least least_of(const struct mgc_plan *plan, struct mgc_estimates *estimates)
{
    struct least least = {0};
    for (size_t i = 0; i < plan->cell_count; i++) {
        if (plan->cells[i].round <= 1 && !plan->cells[i].confirm)
            add_cell(&least, &plan->cells[i], estimates);
    }
    return least;
}

/* "14 min, which the setup, the pictures and one round of every workload take (by history)" */
static void put_least(const struct least *least, const char *unit, struct mgc_buf *out)
{
    mgc_duration_put(least->ms, out);
    mgc_buf_puts(out, unit);
    mgc_buf_puts(out, ", which setup, pictures and one round of every workload take as a rule (");
    if (least->known == least->cells)
        mgc_buf_puts(out, "by this device's history)");
    else if (least->known)
        mgc_buf_printf(out,
            "%zu of %zu cells by this device's history, the others by published "
            "runs)",
            least->known, least->cells);
    else
        mgc_buf_puts(out, "by published runs; this device has no history of them)");
}

static void check_wall_time(const struct mgc_settings *settings, const struct least *least,
    int64_t wall_ms, struct mgc_problems *problems)
{
    const struct mgc_setting *setting = mgc_settings_get(settings, "budget.wall_time");
    struct mgc_buf text = {0};
    if (!setting || wall_ms >= least->ms)
        return;
    put_least(least, "", &text);
    mgc_problem_add(problems, "%s: %s: expected at least %s, got %s", setting->origin, setting->key,
        mgc_buf_text(&text), mgc_setting_shown(setting));
    mgc_buf_destroy(&text);
}

static void check_end(const struct mgc_settings *settings, const struct least *least,
    int64_t left_ms, struct mgc_problems *problems)
{
    const struct mgc_setting *setting = mgc_settings_get(settings, "budget.end_by");
    struct mgc_buf text = {0}, left = {0};
    if (!setting || left_ms >= least->ms)
        return;
    put_least(least, " away", &text);
    mgc_duration_put(left_ms, &left);
    mgc_problem_add(problems,
        "%s: %s: expected a time of day that is at least %s, got %s, "
        "which is in %s",
        setting->origin, setting->key, mgc_buf_text(&text), mgc_setting_shown(setting),
        mgc_buf_text(&left));
    mgc_buf_destroy(&text);
    mgc_buf_destroy(&left);
}

void mgc_check_budget(const struct mgc_plan *plan, const struct mgc_settings *settings,
    struct mgc_estimates *estimates, int64_t wall_ns, struct mgc_problems *problems)
{
    struct mgc_time_limit limit = mgc_time_limit_make(&plan->budget, 0, wall_ns);
    if (!mgc_time_is_limited(&limit))
        return;
    struct least least = least_of(plan, estimates);
    if (plan->budget.wall_ms)
        check_wall_time(settings, &least, plan->budget.wall_ms, problems);
    if (plan->budget.has_end)
        check_end(settings, &least, (limit.wall_end_ns - wall_ns) / MGC_NS_PER_MS, problems);
}
