/* What cells take, what fits into the budget of time, and plans that never could. No clock but the
 * test's own. */
#include "tests/unit/coordinator/plan_fixture.h"

#include <time.h>

#include "common/base/clock.h"
#include "coordinator/plan/plan_text.h"
#include "coordinator/plan/schedule.h"

enum { OVERRIDES_MAX = 12, S = 1000 };

/* Tuesday, 1 December 2026, 02:00:00 UTC. */
#define NIGHT_NS (1796090400 * MGC_NS_PER_S)

static const struct mgc_override small[] = {
    {"lanes.matrix.reps", "3", "--reps"},
    {"lanes.crosshost.reps", "3", "--reps"},
    {"lanes.matrix.arms", "monolith, tcp", "--arm"},
    {"lanes.crosshost.credits", "1", "--credit"},
    {"brackets", "path", "--set"},
    {"confirm", "1", "--set"},
};
enum { SMALL_COUNT = sizeof(small) / sizeof(small[0]) };

struct loaded {
    struct mgc_site site;
    struct mgc_plan plan;
    struct mgc_estimates *estimates;
};

/* Every cell of the nightly takes 10 s, brackets nothing. */
static void load(
    struct fixture *fixture, const struct mgc_override *more, size_t more_count, struct loaded *ret)
{
    struct mgc_override overrides[OVERRIDES_MAX];
    struct mgc_plan_request request = fixture_request(fixture);
    int64_t ten_s[200] = {0};
    memcpy(overrides, small, sizeof(small));
    for (size_t i = 0; i < more_count; i++)
        overrides[SMALL_COUNT + i] = more[i];
    request.plan = "nightly";
    request.overrides = overrides;
    request.override_count = SMALL_COUNT + more_count;
    fixture_load(&request, &ret->site, &ret->plan);
    assert_in_range(ret->plan.cell_count, 1, 200);
    for (size_t i = 0; i < ret->plan.cell_count; i++)
        ten_s[i] = ret->plan.cells[i].kind == MGC_CELL_MEASURE ? 10 * S : 0;
    ret->estimates = mgc_estimates_new(&ret->plan, ten_s);
    assert_non_null(ret->estimates);
}

static void unload(struct loaded *loaded)
{
    mgc_estimates_free(loaded->estimates);
    mgc_plan_destroy(&loaded->plan);
    mgc_site_destroy(&loaded->site);
}

static struct mgc_cell *find(struct loaded *loaded, const char *id)
{
    for (size_t i = 0; i < loaded->plan.cell_count; i++) {
        if (strcmp(loaded->plan.cells[i].id, id) == 0)
            return &loaded->plan.cells[i];
    }
    fail_msg("no cell '%s'", id);
    return NULL;
}

/* ---- estimates ---- */

static void is_estimate(
    struct loaded *loaded, const char *id, int64_t ms, enum mgc_estimate_source source, size_t n)
{
    struct mgc_estimate estimate = mgc_estimate_of(loaded->estimates, find(loaded, id));
    assert_int_equal(estimate.ms, ms);
    assert_int_equal(estimate.source, source);
    assert_int_equal(estimate.n, n);
}

static void the_best_source_counts(void **state)
{
    struct loaded l;
    load(*state, NULL, 0, &l);
    struct mgc_cell_likeness tcp = mgc_cell_likeness_of(find(&l, "openra/tcp-r1"));
    is_estimate(&l, "openra/tcp-r2", 10 * S, MGC_ESTIMATE_TYPICAL, 0);
    is_estimate(&l, "setup", 0, MGC_ESTIMATE_NONE, 0);
    for (int i = 0; i < 3; i++)
        mgc_estimates_add_past(l.estimates, &tcp, (4 + i) * S);
    is_estimate(&l, "openra/tcp-r2", 5 * S, MGC_ESTIMATE_HISTORY, 3);
    is_estimate(&l, "confirm/openra/tcp-r4", 5 * S, MGC_ESTIMATE_HISTORY, 3);
    is_estimate(&l, "openra/monolith-r2", 10 * S, MGC_ESTIMATE_TYPICAL, 0);
    /* Its own arm, then others of its workload, then those of other workloads by the pace. */
    mgc_estimates_add_run(l.estimates, find(&l, "openra/monolith-r1"), 2 * S);
    is_estimate(&l, "openra/monolith-r2", 2 * S, MGC_ESTIMATE_RUN, 1);
    is_estimate(&l, "openra/tcp-r2", 5 * S, MGC_ESTIMATE_HISTORY, 3);
    is_estimate(&l, "crosshost/bench-openra-c1-r3", 2 * S, MGC_ESTIMATE_LIKE, 1);
    is_estimate(&l, "rd12/tcp-r1", 2 * S, MGC_ESTIMATE_TYPICAL, 0);
    is_estimate(&l, "openra/tcp-rssim", 2 * S, MGC_ESTIMATE_TYPICAL, 0);
    mgc_estimates_add_run(l.estimates, find(&l, "openra/tcp-r1"), 9 * S);
    is_estimate(&l, "openra/tcp-r2", 9 * S, MGC_ESTIMATE_RUN, 1);
    mgc_estimates_clear_past(l.estimates);
    is_estimate(&l, "rd12/monolith-r1", 5500, MGC_ESTIMATE_TYPICAL, 0);
    unload(&l);
}

static void other_frames_are_another_cell(void **state)
{
    struct loaded l;
    load(*state, NULL, 0, &l);
    struct mgc_cell_likeness tcp = mgc_cell_likeness_of(find(&l, "openra/tcp-r1"));
    tcp.frames /= 8;
    mgc_estimates_add_past(l.estimates, &tcp, 1 * S);
    is_estimate(&l, "openra/tcp-r1", 10 * S, MGC_ESTIMATE_TYPICAL, 0);
    unload(&l);
}

/* ---- parts ---- */

static void parts_are_whole_rounds(void **state)
{
    static const struct {
        const char *name;
        size_t measured, count;
    } rows[] = {{"the pictures of openra", 3, 3}, {"round 1 of openra", 3, 5},
        {"round 2 of openra", 3, 5}, {"round 3 of openra", 3, 5}, {"the pictures of rd12", 3, 3},
        {"round 1 of rd12", 3, 5}, {"round 2 of rd12", 3, 5}, {"round 3 of rd12", 3, 5},
        {"confirming round 4 of openra", 3, 5}, {"confirming round 4 of rd12", 3, 5}};
    struct loaded l;
    struct mgc_part part;
    size_t n = 0;
    load(*state, NULL, 0, &l);
    for (size_t at = 0; mgc_plan_next_part(&l.plan, &at, &part); n++) {
        struct mgc_buf name = {0};
        assert_true(n < sizeof(rows) / sizeof(rows[0]));
        mgc_part_put(&part, &name);
        assert_string_equal(mgc_buf_text(&name), rows[n].name);
        assert_int_equal(part.measured, rows[n].measured);
        assert_int_equal(part.count, rows[n].count);
        mgc_buf_destroy(&name);
    }
    assert_int_equal(n, sizeof(rows) / sizeof(rows[0]));
    unload(&l);
}

/* A lane alone that goes round by round over all workloads. */
static void a_round_may_have_several_workloads(void **state)
{
    struct fixture *fixture = *state;
    struct mgc_plan_request request = fixture_request(fixture);
    struct mgc_site site;
    struct mgc_plan plan;
    struct mgc_part part;
    struct mgc_buf name = {0};
    size_t at = 0;
    fixture_load(&request, &site, &plan);
    assert_true(mgc_plan_next_part(&plan, &at, &part));
    assert_int_equal(part.round, 0);
    assert_true(mgc_plan_next_part(&plan, &at, &part));
    assert_int_equal(part.measured, 6);
    mgc_part_put(&part, &name);
    assert_string_equal(mgc_buf_text(&name), "round 1");
    mgc_buf_destroy(&name);
    mgc_plan_destroy(&plan);
    mgc_site_destroy(&site);
}

/* ---- the limit ---- */

static const struct {
    const char *zone;
    int64_t now_s;
    int64_t end_min;
    int64_t left_s;
} ends[] = {
    {"UTC0", 1796090400, 6 * 60 + 30, 4 * 3600 + 1800}, /* 02:00 */
    {"UTC0", 1796090400, 2 * 60, 24 * 3600},            /* just now is tomorrow */
    {"UTC0", 1796090400, 1 * 60, 23 * 3600},
    {"UTC0", 1796090401, 2 * 60 + 1, 59},
    {"UTC-1", 1796090400, 6 * 60, 3 * 3600}, /* an hour east: it is 03:00 */
    /* 02:00 becomes 03:00 in the night to Sunday, 28 March 2027: at 00:30 there are 4 h 30 min. */
    {"CET-1CEST,M3.5.0,M10.5.0/3", 1806190200, 6 * 60, 4 * 3600 + 1800},
};

static void a_time_of_day_is_the_next_one(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        struct mgc_budget budget = {.has_end = true, .end_min = ends[i].end_min};
        int64_t now_ns = ends[i].now_s * MGC_NS_PER_S;
        assert_int_equal(setenv("TZ", ends[i].zone, 1), 0);
        tzset();
        struct mgc_time_limit limit = mgc_time_limit_make(&budget, 5, now_ns);
        assert_int_equal(mgc_time_left_ns(&limit, 5, now_ns), ends[i].left_s * MGC_NS_PER_S);
    }
    assert_int_equal(setenv("TZ", "UTC0", 1), 0);
    tzset();
}

static void limit_is(const struct mgc_time_limit *limit, const struct mgc_budget *budget,
    int64_t gone_s, int64_t left_s, const char *text)
{
    struct mgc_buf out = {0};
    int64_t gone_ns = gone_s * MGC_NS_PER_S;
    assert_int_equal(mgc_time_left_ns(limit, gone_ns, NIGHT_NS + gone_ns), left_s * MGC_NS_PER_S);
    mgc_time_limit_put(limit, budget, gone_ns, NIGHT_NS + gone_ns, &out);
    assert_string_equal(mgc_buf_text(&out), text);
    mgc_buf_destroy(&out);
}

static void what_comes_first_counts(void **state)
{
    struct mgc_budget both = {.wall_ms = 3600 * S, .has_end = true, .end_min = 2 * 60 + 30};
    struct mgc_budget none = {0};
    struct mgc_time_limit limit = mgc_time_limit_make(&none, 0, NIGHT_NS);
    (void)state;
    assert_false(mgc_time_is_limited(&limit));
    assert_true(mgc_time_left_ns(&limit, 1, NIGHT_NS) == MGC_NEVER);
    limit = mgc_time_limit_make(&both, 0, NIGHT_NS);
    assert_true(mgc_time_is_limited(&limit));
    limit_is(&limit, &both, 0, 1800, "budget.end_by (02:30)");
    limit_is(&limit, &both, 2000, -200, "budget.end_by (02:30)");
    both.end_min = 4 * 60;
    limit = mgc_time_limit_make(&both, 0, NIGHT_NS);
    limit_is(&limit, &both, 600, 3000, "budget.wall_time (60 min)");
}

/* ---- what is left out ---- */

/* Rounds of 30 s, pictures of 30 s: 8 parts, 240 s; then confirming ones, which nobody counts. */
static const struct {
    const char *wall_time;
    const char *begun; /* "P" pictures, a digit a round; openra, then rd12; "-" left out */
    int64_t total_s;
} budgets[] = {
    {"10m", "P123P123", 240},
    {"240s", "P123P123", 240},
    {"239s", "P12-P123", 210}, /* rd12's third would not fit behind openra's; then it does */
    {"209s", "P12-P12-", 180},
    {"180s", "P12-P12-", 180},
    {"179s", "P1--P12-", 150},
    {"120s", "P1--P1--", 120},
};

static void later_rounds_of_all_workloads_go_first(void **state)
{
    for (size_t i = 0; i < sizeof(budgets) / sizeof(budgets[0]); i++) {
        const struct mgc_override more[] = {{"budget.wall_time", budgets[i].wall_time, "--set"}};
        struct mgc_schedule schedule;
        struct loaded l;
        load(*state, more, 1, &l);
        assert_true(mgc_schedule_make(&l.plan, l.estimates, NIGHT_NS, &schedule, NULL));
        assert_int_equal(schedule.count, 10);
        for (size_t r = 0; r < 8; r++)
            assert_int_equal(schedule.rows[r].left_out, budgets[i].begun[r] == '-');
        assert_false(schedule.rows[8].left_out);
        assert_int_equal(schedule.total_ms, budgets[i].total_s * S);
        mgc_schedule_destroy(&schedule);
        unload(&l);
    }
}

static bool not_tcp(void *user, const struct mgc_cell *cell)
{
    (void)user;
    return !cell->arm || strcmp(cell->arm, "tcp") != 0;
}

static void what_is_not_to_come_takes_no_time(void **state)
{
    struct loaded l;
    struct mgc_part part;
    size_t at = 0;
    load(*state, NULL, 0, &l);
    for (int n = 0; n < 3; n++) /* round 2 of openra */
        assert_true(mgc_plan_next_part(&l.plan, &at, &part));
    struct mgc_part_need need = mgc_part_need_of(&l.plan, &part, at, l.estimates, not_tcp, NULL);
    assert_int_equal(need.own_ms, 20 * S);
    assert_int_equal(need.others_ms, 60 * S); /* rd12: pictures, rounds 1 and 2 */
    unload(&l);
}

/* ---- for people ---- */

static bool says(const struct mgc_buf *text, const char *words)
{
    if (strstr(mgc_buf_text(text), words))
        return true;
    print_message("%s", mgc_buf_text(text));
    return false;
}

static void the_schedule_says_when_it_ends(void **state)
{
    const struct mgc_override more[] = {
        {"budget.wall_time", "200s", "--set"}, {"budget.end_by", "07:00", "--set"}};
    struct mgc_schedule schedule;
    struct mgc_buf text = {0};
    struct loaded l;
    assert_int_equal(setenv("TZ", "UTC0", 1), 0);
    load(*state, more, 2, &l);
    assert_true(mgc_schedule_make(&l.plan, l.estimates, NIGHT_NS, &schedule, NULL));
    mgc_schedule_print(&schedule, &l.plan, &text);
    assert_true(says(&text, "  round 1 of openra                   3 cells  about 30 s\n"));
    assert_true(says(&text,
        "  round 3 of rd12                     3 cells  about 30 s, left out: it does not "
        "fit\n"));
    assert_true(says(&text, "  setup                                        not known\n"));
    assert_true(says(&text, "\nBegun now, at Tue 2026-12-01 02:00, it takes about 3 min and ends "
                            "about Tue 2026-12-01 02:03 local time, not counting what is not "
                            "known.\nbudget.wall_time (3 min) is over at Tue 2026-12-01 02:03: 2 "
                            "parts of the plan would be left out.\n"));
    json_t *json = mgc_schedule_to_json(&schedule, &l.plan, l.estimates);
    assert_int_equal(json_integer_value(json_object_get(json, "total_ms")), 180 * S);
    assert_true(json_is_false(json_object_get(json, "fits")));
    assert_int_equal(json_array_size(json_object_get(json, "cells")), l.plan.cell_count);
    const json_t *cell = json_array_get(json_object_get(json, "cells"), 1);
    assert_string_equal(json_string_value(json_object_get(cell, "source")), "published");
    json_decref(json);
    mgc_buf_destroy(&text);
    mgc_schedule_destroy(&schedule);
    unload(&l);
}

/* ---- plans that never could ---- */

static const struct {
    const char *key, *value;
    const char *sentence; /* NULL: nothing wrong */
} impossible[] = {
    {"budget.wall_time", "119s",
        "--set: budget.wall_time: expected at least 2 min, which setup, pictures and one round of "
        "every workload take as a rule (by published runs; this device has no history of them), "
        "got 119s"},
    {"budget.wall_time", "120s", NULL},
    {"budget.end_by", "02:01",
        "--set: budget.end_by: expected a time of day that is at least 2 min away, which setup, "
        "pictures and one round of every workload take as a rule (by published runs; this device "
        "has no history of them), got 02:01, which is in 60 s"},
    {"budget.end_by", "02:02", NULL},
    {"budget.end_by", "02:00", NULL},
    {"budget.invalid_cells", "1", NULL},
};

static void what_can_not_hold_one_round_is_refused(void **state)
{
    assert_int_equal(setenv("TZ", "UTC0", 1), 0);
    for (size_t i = 0; i < sizeof(impossible) / sizeof(impossible[0]); i++) {
        const struct mgc_override more[] = {{impossible[i].key, impossible[i].value, "--set"}};
        struct mgc_problems problems = {0};
        struct loaded l;
        load(*state, more, 1, &l);
        mgc_check_budget(&l.plan, &l.site.settings, l.estimates, NIGHT_NS, &problems);
        assert_int_equal(problems.errors.total, impossible[i].sentence != NULL);
        if (impossible[i].sentence)
            assert_string_equal(problems.errors.text[0], impossible[i].sentence);
        unload(&l);
    }
}

static void history_is_believed_more_than_published_runs(void **state)
{
    const struct mgc_override more[] = {{"budget.wall_time", "70s", "--set"}};
    struct mgc_problems problems = {0};
    struct loaded l;
    load(*state, more, 1, &l);
    for (size_t i = 0; i < l.plan.cell_count; i++) {
        struct mgc_cell_likeness likeness = mgc_cell_likeness_of(&l.plan.cells[i]);
        if (l.plan.cells[i].kind == MGC_CELL_MEASURE && l.plan.cells[i].round <= 1)
            mgc_estimates_add_past(l.estimates, &likeness, 5 * S);
    }
    mgc_check_budget(&l.plan, &l.site.settings, l.estimates, NIGHT_NS, &problems);
    assert_int_equal(problems.errors.total, 0);
    unload(&l);
}

static void a_bad_time_of_day_is_refused(void **state)
{
    static const char *const bad[] = {"24:00", "6:30", "06:60", "06-30", "0630", "+6:30", ""};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(mgc_check_clock_time(bad[i]));
    assert_true(mgc_check_clock_time("00:00"));
    assert_true(mgc_check_clock_time("23:59"));
    (void)state;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_best_source_counts),
        TEST(other_frames_are_another_cell),
        TEST(parts_are_whole_rounds),
        TEST(a_round_may_have_several_workloads),
        TEST(a_time_of_day_is_the_next_one),
        TEST(what_comes_first_counts),
        TEST(later_rounds_of_all_workloads_go_first),
        TEST(what_is_not_to_come_takes_no_time),
        TEST(the_schedule_says_when_it_ends),
        TEST(what_can_not_hold_one_round_is_refused),
        TEST(history_is_believed_more_than_published_runs),
        TEST(a_bad_time_of_day_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
