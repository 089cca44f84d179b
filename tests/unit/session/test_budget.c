/* Which turns of a running plan its budgets leave out. How much time there is is set by the tests;
 * everything is far from the limit, so that the real clock does not matter. */
#include "coordinator/session/session_private.h"

#include <string.h>

#include "common/base/clock.h"
#include "coordinator/verify/reasons.h"
#include "tests/lib/check.h"

enum { MIN = 60 * 1000 };

#define CELL(name, arm_name, of_round, of_part, of_block)                                          \
    {                                                                                              \
        .kind = MGC_CELL_MEASURE, .id = (char *)(name), .lane = (char *)"x",                       \
        .workload = (char *)"openra", .arm = (char *)(arm_name), .round = (of_round),              \
        .rep = (of_round), .part = (of_part), .block = (of_block)                                  \
    }
#define BRACKET(name, of_round, of_block, is_after)                                                \
    {                                                                                              \
        .kind = MGC_CELL_BRACKET, .id = (char *)(name), .lane = (char *)"x", .round = (of_round),  \
        .part = (of_round), .block = (of_block), .after = (is_after)                               \
    }

/* Two rounds: a phone's arm, and a block of two that cross hosts. Each cell takes 10 minutes. */
static struct mgc_cell cells[] = {
    {.kind = MGC_CELL_SETUP, .id = (char *)"setup", .lane = (char *)"x"},
    CELL("p-r1", "p", 1, 1, 0),
    BRACKET("before-1", 1, 1, false),
    CELL("c1-r1", "c1", 1, 1, 1),
    CELL("c2-r1", "c2", 1, 1, 1),
    BRACKET("after-1", 1, 1, true),
    CELL("p-r2", "p", 2, 2, 0),
    BRACKET("before-2", 2, 2, false),
    CELL("c1-r2", "c1", 2, 2, 2),
    CELL("c2-r2", "c2", 2, 2, 2),
    BRACKET("after-2", 2, 2, true),
    {.kind = MGC_CELL_CLOSE, .id = (char *)"close", .lane = (char *)"x"},
};
enum { SETUP, P1, BEFORE1, C11, C21, AFTER1, P2, BEFORE2, C12, C22, AFTER2, CLOSE, CELLS };

struct bench {
    struct mgc_plan plan;
    struct mgc_session_phone phone;
    struct mgc_session_config config;
    struct fleet fleet;
    struct session session;
    struct mgc_results results;
};

static int set_up(void **state)
{
    struct bench *b = test_calloc(1, sizeof(*b));
    int64_t typical_ms[CELLS] = {0};
    for (size_t i = 0; i < CELLS; i++)
        typical_ms[i] = cells[i].kind == MGC_CELL_MEASURE ? 10 * MIN : 0;
    b->plan = (struct mgc_plan){.name = (char *)"p",
        .run_id = (char *)"r",
        .cells = cells,
        .cell_count = CELLS,
        .budget = {.wall_ms = 600 * MIN}};
    b->phone.plan = &b->plan;
    b->config = (struct mgc_session_config){.phones = &b->phone, .phone_count = 1};
    b->fleet = (struct fleet){
        .config = &b->config, .sessions = &b->session, .count = 1, .beat_ns = mgc_mono_ns()};
    b->session = (struct session){.config = &b->phone, .fleet = &b->fleet, .results = &b->results};
    b->session.estimates = mgc_estimates_new(&b->plan, typical_ms);
    assert_non_null(b->session.estimates);
    assert_true(mgc_progress_view_init(
        &b->session.view, &b->plan, b->session.estimates, mgc_mono_ns(), NULL));
    assert_true(mgc_results_init(&b->results, &b->plan, NULL));
    mgc_session_budget_begin(&b->session);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;
    mgc_results_destroy(&b->results);
    mgc_progress_view_destroy(&b->session.view);
    mgc_estimates_free(b->session.estimates);
    test_free(b);
    return 0;
}

/* So many minutes are left from now on; 0: it is over. */
static void leave(struct bench *b, int64_t minutes)
{
    b->session.budget.limit.mono_end_ns =
        mgc_mono_ns() + (minutes ? minutes : -1) * MIN * MGC_NS_PER_MS;
}

static struct mgc_cell_result *result_of(struct bench *b, size_t cell)
{
    return mgc_results_find(&b->results, &cells[cell]);
}

/* An attempt of it ended so in this session. NULL: measured. */
static void end_cell(struct bench *b, size_t cell, const enum mgc_reason *reason)
{
    struct mgc_cell_result *result = result_of(b, cell);
    mgc_verdict_destroy(&result->verdict);
    result->attempts = 1;
    if (reason)
        mgc_reason_set(&result->verdict, *reason, "x");
    else
        result->verdict.state = MGC_VERDICT_MEASURED;
}

static bool out(struct bench *b, size_t cell)
{
    return mgc_session_over_budget(&b->session, &(struct mgc_turn){.cell = &cells[cell]});
}

static bool out_again(struct bench *b, size_t cell, size_t sake)
{
    struct mgc_turn turn = {.cell = &cells[cell], .again = true};
    turn.sake = sake ? &cells[sake] : NULL;
    return mgc_session_over_budget(&b->session, &turn);
}

static void has_reason(struct bench *b, size_t cell, const char *reason)
{
    assert_string_equal(result_of(b, cell)->verdict.reason, reason);
}

/* ---- time ---- */

static void a_round_that_fits_is_begun(void **state)
{
    struct bench *b = *state;
    for (size_t i = P1; i < CELLS; i++)
        assert_false(out(b, i));
}

static void a_round_that_does_not_fit_is_left_out_whole(void **state)
{
    struct bench *b = *state;
    leave(b, 35); /* 30 are needed for a round */
    for (size_t i = P1; i <= AFTER1; i++)
        assert_false(out(b, i));
    leave(b, 25);
    for (size_t i = P2; i <= AFTER2; i++)
        assert_true(out(b, i));
    assert_false(out(b, CLOSE));
    has_reason(b, P2, "no-time-left");
    has_reason(b, C22, "no-time-left");
    assert_string_equal(result_of(b, P2)->verdict.text, result_of(b, C22)->verdict.text);
    assert_non_null(
        strstr(result_of(b, P2)->verdict.text, "round 2 of openra is not begun: about 30 min are "
                                               "needed, but only 25 min are left of "
                                               "budget.wall_time (10 h 0 min)"));
}

/* What was measured of the block is proved all the same. */
static void what_was_begun_is_closed_when_time_is_over(void **state)
{
    struct bench *b = *state;
    assert_false(out(b, P1));
    assert_false(out(b, BEFORE1));
    assert_false(out(b, C11));
    end_cell(b, C11, NULL);
    leave(b, 0);
    assert_true(mgc_session_time_is_over(&b->session));
    assert_true(out(b, C21));
    has_reason(b, C21, "time-over");
    assert_false(out(b, AFTER1));
    assert_true(out(b, P2));
    has_reason(b, P2, "no-time-left");
    assert_true(out(b, BEFORE2));
    assert_true(out(b, AFTER2));
    assert_false(out(b, CLOSE));
}

static void a_block_of_which_nothing_was_begun_is_not_looked_at(void **state)
{
    struct bench *b = *state;
    assert_false(out(b, P1));
    leave(b, 0);
    assert_true(out(b, BEFORE1));
    assert_true(out(b, C11));
    assert_true(out(b, AFTER1));
}

/* By its own times the first round took far less than was thought. */
static void estimates_follow_the_run(void **state)
{
    struct bench *b = *state;
    for (size_t i = P1; i <= C21; i++)
        mgc_estimates_add_run(
            b->session.estimates, &cells[i], cells[i].kind == MGC_CELL_MEASURE ? 1 * MIN : 1);
    leave(b, 5);
    assert_false(out(b, P2));
}

/* ---- further turns ---- */

static void a_cell_goes_again_when_it_fits_with_its_reference(void **state)
{
    struct bench *b = *state;
    result_of(b, C11)->again = true;
    leave(b, 25);
    assert_false(out_again(b, P1, C11)); /* 20 for both */
    result_of(b, C11)->again = true;
    assert_false(out_again(b, C11, 0));
    leave(b, 15);
    assert_true(out_again(b, P1, C11)); /* the reference alone would fit, for nothing */
    assert_false(result_of(b, C11)->again);
    assert_true(out_again(b, C11, 0));
    assert_int_equal(b->results.note_count, 1);
    assert_non_null(strstr(b->results.notes[0], "c1-r1 is not measured again: "));
}

static void a_block_goes_again_as_a_whole_or_not(void **state)
{
    struct bench *b = *state;
    result_of(b, C11)->again = result_of(b, C21)->again = true;
    leave(b, 25);
    assert_false(out_again(b, BEFORE1, 0)); /* 20 for both cells */
    leave(b, 15);
    assert_true(out_again(b, BEFORE1, 0));
    assert_true(out_again(b, C11, 0));
    assert_true(out_again(b, C21, 0));
    assert_true(out_again(b, AFTER1, 0));
    assert_int_equal(b->results.note_count, 2);
}

static void a_block_that_was_begun_again_is_closed(void **state)
{
    struct bench *b = *state;
    result_of(b, C11)->again = result_of(b, C21)->again = true;
    assert_false(out_again(b, BEFORE1, 0));
    assert_false(out_again(b, C11, 0));
    result_of(b, C11)->again = false; /* it had its attempt */
    leave(b, 0);
    assert_true(out_again(b, C21, 0));
    assert_false(out_again(b, AFTER1, 0));
}

/* ---- cells that come to nothing ---- */

static const enum mgc_reason died = MGC_REASON_APP_DIED, ssim = MGC_REASON_SSIM_BELOW_THRESHOLD,
                             unproved = MGC_REASON_PATH_UNPROVED, hot = MGC_REASON_THROTTLED;

static void only_what_is_lost_for_good_counts(void **state)
{
    struct bench *b = *state;
    b->plan.budget.invalid_cells = 2;
    end_cell(b, P1, &ssim);      /* a gate's business */
    end_cell(b, C11, &unproved); /* its bracket is still to come */
    end_cell(b, C21, &hot);
    result_of(b, C21)->again = true; /* it has another turn */
    assert_false(out(b, P2));
    result_of(b, C21)->again = false;
    assert_false(out(b, P2));
    end_cell(b, P1, &died);
    result_of(b, P1)->session = -1; /* of an earlier session of the run */
    assert_false(out(b, P2));
    assert_null(b->results.stopped_reason);
    result_of(b, P1)->session = 0;
    assert_true(out(b, P2));
    has_reason(b, P2, "run-stopped");
    assert_string_equal(b->results.stopped_reason,
        "budget.invalid_cells is spent: 2 cells came to nothing, of them c2-r1 (throttled)");
}

static void a_run_that_is_spent_ends_in_order(void **state)
{
    struct bench *b = *state;
    b->plan.budget.invalid_cells = 1;
    end_cell(b, C11, &died);
    assert_true(out(b, C21));
    assert_false(out(b, AFTER1));
    assert_true(out(b, P2));
    assert_true(out(b, BEFORE2));
    assert_true(out(b, AFTER2));
    assert_false(out(b, CLOSE));
    result_of(b, P1)->again = true;
    assert_true(out_again(b, P1, 0));
}

static void without_budgets_nothing_is_left_out(void **state)
{
    struct bench *b = *state;
    b->plan.budget = (struct mgc_budget){0};
    mgc_session_budget_begin(&b->session);
    end_cell(b, P1, &died);
    for (size_t i = P1; i < CELLS; i++) {
        assert_false(out(b, i));
        assert_false(out_again(b, i, 0));
    }
    assert_false(mgc_session_time_is_over(&b->session));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_round_that_fits_is_begun),
        TEST(a_round_that_does_not_fit_is_left_out_whole),
        TEST(what_was_begun_is_closed_when_time_is_over),
        TEST(a_block_of_which_nothing_was_begun_is_not_looked_at),
        TEST(estimates_follow_the_run),
        TEST(a_cell_goes_again_when_it_fits_with_its_reference),
        TEST(a_block_goes_again_as_a_whole_or_not),
        TEST(a_block_that_was_begun_again_is_closed),
        TEST(only_what_is_lost_for_good_counts),
        TEST(a_run_that_is_spent_ends_in_order),
        TEST(without_budgets_nothing_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
