#include "coordinator/progress/view.h"

#include <string.h>

#include "common/base/clock.h"
#include "tests/lib/check.h"

#define S MGC_NS_PER_S

static struct mgc_step steps[] = {
    {.id = (char *)"server", .holds = true}, {.id = (char *)"replay"}};

static struct mgc_cell cells[] = {
    {.kind = MGC_CELL_SETUP, .id = (char *)"setup", .steps = steps, .step_count = 2},
    {.kind = MGC_CELL_MEASURE, .id = (char *)"x/a-r1", .workload = (char *)"a", .steps = steps},
    {.kind = MGC_CELL_MEASURE, .id = (char *)"x/b-r1", .workload = (char *)"b", .steps = steps},
    {.kind = MGC_CELL_MEASURE, .id = (char *)"x/a-r2", .workload = (char *)"a", .steps = steps},
    {.kind = MGC_CELL_CLOSE, .id = (char *)"close"},
};
static const struct mgc_plan plan = {.cells = cells, .cell_count = 5};
static const int64_t typical_ms[] = {0, 10000, 40000, 10000, 0};

static struct mgc_estimates *estimates;

static void begin_view(struct mgc_progress_view *view, const struct mgc_plan *of,
    const int64_t *typical, int64_t now_ns)
{
    estimates = mgc_estimates_new(of, typical);
    assert_non_null(estimates);
    assert_true(mgc_progress_view_init(view, of, estimates, now_ns, NULL));
}

static void set_up(struct mgc_progress_view *view)
{
    begin_view(view, &plan, typical_ms, 100 * S);
}

static int free_estimates(void **state)
{
    mgc_estimates_free(estimates);
    estimates = NULL;
    (void)state;
    return 0;
}

static void take(struct mgc_progress_view *view, int64_t s, enum mgc_progress_kind kind,
    size_t cell, const struct mgc_step *step, enum mgc_step_state state)
{
    struct mgc_progress event = {
        .kind = kind, .cell = &cells[cell], .attempt = 1, .step = step, .state = state};
    mgc_progress_view_take(view, &event, s * S);
}

static void phase_is(const struct mgc_progress_view *view, const char *expected)
{
    assert_string_equal(mgc_progress_view_status(view, 1000 * S).phase, expected);
}

static void a_cell_goes_through_its_phases(void **state)
{
    struct mgc_progress_view view;
    set_up(&view);
    take(&view, 101, MGC_PROGRESS_BEGIN, 1, NULL, MGC_STEP_PENDING);
    take(&view, 101, MGC_PROGRESS_STEP, 1, &steps[0], MGC_STEP_SENT);
    phase_is(&view, "server: starting");
    take(&view, 102, MGC_PROGRESS_STEP, 1, &steps[0], MGC_STEP_READY);
    phase_is(&view, "server: ready");
    take(&view, 103, MGC_PROGRESS_ARRIVED, 1, &steps[1], MGC_STEP_SENT);
    phase_is(&view, "barrier");
    take(&view, 103, MGC_PROGRESS_RELEASED, 1, NULL, MGC_STEP_PENDING);
    phase_is(&view, "replay");
    take(&view, 109, MGC_PROGRESS_STEP, 1, &steps[0], MGC_STEP_FINISHING);
    phase_is(&view, "collecting server");
    struct mgc_status status = mgc_progress_view_status(&view, 110 * S);
    assert_string_equal(status.cell, "x/a-r1");
    assert_int_equal(status.index, 1);
    assert_int_equal(status.cells, 3);
    assert_int_equal(status.cell_ns, 9 * S);
    assert_int_equal(status.run_ns, 10 * S);
    take(&view, 111, MGC_PROGRESS_END, 1, NULL, MGC_STEP_DONE);
    status = mgc_progress_view_status(&view, 112 * S);
    assert_string_equal(status.cell, "");
    assert_int_equal(status.cell_ns, -1);
    mgc_progress_view_destroy(&view);
}

static void what_a_step_is_at_by_its_own_words_is_shown(void **state)
{
    struct mgc_progress_view view;
    struct mgc_progress said = {.kind = MGC_PROGRESS_STEP,
        .cell = &cells[1],
        .attempt = 1,
        .step = &steps[1],
        .state = MGC_STEP_SENT,
        .text = "x/a-r1 replay: waiting for power, 900 s at most",
        .said = "waiting for power, 900 s at most"};
    set_up(&view);
    take(&view, 101, MGC_PROGRESS_BEGIN, 1, NULL, MGC_STEP_PENDING);
    take(&view, 101, MGC_PROGRESS_STEP, 1, &steps[1], MGC_STEP_SENT);
    mgc_progress_view_take(&view, &said, 102 * S);
    phase_is(&view, "waiting for power, 900 s at most");
    said.said = NULL; /* a note in passing */
    mgc_progress_view_take(&view, &said, 103 * S);
    phase_is(&view, "waiting for power, 900 s at most");
    mgc_progress_view_destroy(&view);
}

static void what_the_setup_holds_does_not_change_the_cells_phase(void **state)
{
    struct mgc_progress_view view;
    set_up(&view);
    take(&view, 101, MGC_PROGRESS_BEGIN, 2, NULL, MGC_STEP_PENDING);
    take(&view, 102, MGC_PROGRESS_STEP, 2, &steps[0], MGC_STEP_READY);
    take(&view, 103, MGC_PROGRESS_STEP, 0, &steps[0], MGC_STEP_FINISHING);
    phase_is(&view, "server: ready");
    mgc_progress_view_destroy(&view);
}

static int64_t left_s(const struct mgc_progress_view *view, int64_t s)
{
    int64_t ns = mgc_progress_view_status(view, s * S).left_ns;
    return ns < 0 ? -1 : ns / S;
}

static void the_estimate_follows_what_was_seen(void **state)
{
    struct mgc_progress_view view;
    set_up(&view);
    assert_int_equal(left_s(&view, 100), 60); /* as published */
    take(&view, 100, MGC_PROGRESS_BEGIN, 1, NULL, MGC_STEP_PENDING);
    assert_int_equal(left_s(&view, 104), 56);
    assert_int_equal(left_s(&view, 190), 50); /* longer than expected, not less than nothing */
    take(&view, 105, MGC_PROGRESS_END, 1, NULL, MGC_STEP_DONE);
    assert_int_equal(left_s(&view, 105), 20 + 5); /* twice as fast; the like took 5 s */
    take(&view, 105, MGC_PROGRESS_BEGIN, 2, NULL, MGC_STEP_PENDING);
    take(&view, 106, MGC_PROGRESS_END, 2, NULL, MGC_STEP_FAILED); /* says nothing of the pace */
    assert_int_equal(left_s(&view, 106), 5);
    take(&view, 106, MGC_PROGRESS_BEGIN, 2, NULL, MGC_STEP_PENDING); /* once more */
    assert_int_equal(left_s(&view, 106), 20 + 5);
    mgc_progress_view_destroy(&view);
}

static void what_was_finished_before_takes_no_time(void **state)
{
    struct mgc_progress_view view;
    set_up(&view);
    assert_int_equal(left_s(&view, 100), 60);
    mgc_progress_view_kept(&view, &plan.cells[1]);
    assert_int_equal(left_s(&view, 100), 50);
    mgc_progress_view_destroy(&view);
}

/* Rounds 1 and 2, then two cells that only confirm. */
static void confirming_cells_count_once_they_are_run(void **state)
{
    static struct mgc_cell confirming[] = {
        {.kind = MGC_CELL_MEASURE, .id = (char *)"x/a-r1", .workload = (char *)"a"},
        {.kind = MGC_CELL_MEASURE, .id = (char *)"x/a-r2", .workload = (char *)"a"},
        {.kind = MGC_CELL_MEASURE,
            .id = (char *)"confirm/x/a-r3",
            .workload = (char *)"a",
            .confirm = true},
        {.kind = MGC_CELL_MEASURE,
            .id = (char *)"confirm/x/a-r4",
            .workload = (char *)"a",
            .confirm = true},
    };
    static const struct mgc_plan one = {.cells = confirming, .cell_count = 4};
    struct mgc_progress event = {
        .kind = MGC_PROGRESS_BEGIN, .cell = &confirming[3], .attempt = 1, .state = MGC_STEP_DONE};
    struct mgc_progress_view view;
    (void)state;
    begin_view(&view, &one, (const int64_t[]){25000, 25000, 25000, 25000}, 0);
    assert_int_equal(mgc_progress_view_status(&view, 0).cells, 2);
    assert_int_equal(left_s(&view, 0), 50);
    mgc_progress_view_take(&view, &event, 1 * S);
    struct mgc_status status = mgc_progress_view_status(&view, 1 * S);
    assert_int_equal(status.cells, 3);
    assert_int_equal(status.index, 3);
    event.kind = MGC_PROGRESS_END;
    mgc_progress_view_take(&view, &event, 3 * S);
    event = (struct mgc_progress){
        .kind = MGC_PROGRESS_BEGIN, .cell = &confirming[2], .attempt = 1, .state = MGC_STEP_FAILED};
    mgc_progress_view_take(&view, &event, 4 * S);
    status = mgc_progress_view_status(&view, 4 * S);
    assert_int_equal(status.cells, 4);
    assert_int_equal(status.index, 3);
    event.kind = MGC_PROGRESS_END;
    mgc_progress_view_take(&view, &event, 5 * S);
    assert_int_equal(
        mgc_progress_view_status(&view, 5 * S).cells, 3); /* took no time that counts */
    mgc_progress_view_destroy(&view);
}

static void without_an_expectation_there_is_no_estimate(void **state)
{
    static const int64_t nothing[5];
    struct mgc_progress_view view;
    begin_view(&view, &plan, nothing, 0);
    assert_int_equal(left_s(&view, 1), -1);
    mgc_progress_view_destroy(&view);
    mgc_progress_view_destroy(&view);
    mgc_progress_view_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_cell_goes_through_its_phases, free_estimates),
        cmocka_unit_test_teardown(what_a_step_is_at_by_its_own_words_is_shown, free_estimates),
        cmocka_unit_test_teardown(
            what_the_setup_holds_does_not_change_the_cells_phase, free_estimates),
        cmocka_unit_test_teardown(the_estimate_follows_what_was_seen, free_estimates),
        cmocka_unit_test_teardown(what_was_finished_before_takes_no_time, free_estimates),
        cmocka_unit_test_teardown(confirming_cells_count_once_they_are_run, free_estimates),
        cmocka_unit_test_teardown(without_an_expectation_there_is_no_estimate, free_estimates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
