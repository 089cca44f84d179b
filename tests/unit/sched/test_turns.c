/* Further turns of cells: who judges gives them, and they come before the plan goes on. */
#include "tests/unit/sched/bench.h"

#include <string.h>

#include "tests/lib/check.h"

/* The current cell, from its first step to its end. */
static void run_through(struct bench *bench)
{
    bench_go(bench);
    bench_done(bench, "replay");
    bench_done(bench, "server");
    bench_done(bench, "logcat");
}

static void assert_order(struct bench *bench, const char *expected)
{
    assert_string_equal(mgc_buf_text(&bench->order), expected);
    bench->order.len = 0;
}

static void start(struct bench *bench, size_t cells)
{
    bench_start(bench, cells);
    bench_join_all(bench);
    bench->order.len = 0;
    bench_settle(bench);
    bench->order.len = 0;
}

static void further_turns_come_before_the_plan_goes_on(void **state)
{
    struct bench bench;
    start(&bench, 3);
    const struct mgc_cell *cells = &bench.plan.cells[1];
    bench.turns_at = 2; /* setup, cell1, cell2 */
    bench.turns[0] = (struct mgc_turn){.cell = &cells[0], .sake = &cells[1]};
    bench.turns[1] = (struct mgc_turn){.cell = &cells[1]};
    bench.turn_count = 2;
    run_through(&bench);
    run_through(&bench);
    assert_order(&bench, "end cell1\nbegin cell2 a1\nend cell2\nbegin cell1 a2\n");
    run_through(&bench);
    run_through(&bench);
    assert_order(&bench, "end cell1 for cell2\nbegin cell2 a2\nend cell2\nbegin cell3 a1\n");
    run_through(&bench);
    assert_order(&bench, "end cell3\nbegin close a1\n");
    bench_stop(&bench);
}

static void a_further_turn_has_retries_of_its_own(void **state)
{
    struct bench bench;
    start(&bench, 1);
    bench.after[1] = MGC_AFTER_AGAIN;
    bench.turns_at = 2;
    bench.turns[0] = (struct mgc_turn){.cell = &bench.plan.cells[1]};
    bench.turn_count = 1;
    run_through(&bench);
    assert_true(bench.last_retry_possible);
    run_through(&bench);
    assert_false(bench.last_retry_possible);
    run_through(&bench);
    assert_true(bench.last_retry_possible);
    assert_order(&bench, "end cell1\nbegin cell1 a2\nend cell1\nbegin cell1 a3\n"
                         "end cell1\nbegin close a1\n");
    bench_stop(&bench);
}

static void a_rule_is_asked_about_every_turn(void **state)
{
    static const char *const orders[] = {
        "end cell1\nbegin cell2 a1\nend cell2\nbegin close a1\n", /* the further turn only */
        "end cell1\nbegin cell2 a1\nend cell2\nbegin close a1\n", /* the plan's own only */
    };
    for (size_t i = 0; i < 2; i++) {
        struct bench bench;
        start(&bench, 2);
        bench.left_out = &bench.plan.cells[2];
        bench.left_out_again = i == 1;
        bench.turns_at = 1;
        bench.turns[0] = (struct mgc_turn){.cell = &bench.plan.cells[2]};
        bench.turn_count = 1;
        run_through(&bench);
        run_through(&bench);
        assert_order(&bench, orders[i]);
        bench_stop(&bench);
    }
}

/* Its worker went and stays away: it failed for the sake of the other cell, too. */
static void a_worker_that_never_comes_fails_it_for_the_same_sake(void **state)
{
    struct bench bench;
    start(&bench, 2);
    const struct mgc_cell *cells = &bench.plan.cells[1];
    bench.turns_at = 2;
    bench.turns[0] = (struct mgc_turn){.cell = &cells[0], .sake = &cells[1]};
    bench.turn_count = 1;
    bench.after[3] = MGC_AFTER_AGAIN;
    run_through(&bench);
    run_through(&bench);
    assert_order(&bench, "end cell1\nbegin cell2 a1\nend cell2\nbegin cell1 a2\n");
    struct mgc_error why = {.code = MGC_E_LOST, .text = "gone"};
    bench.online[MGC_ROLE_WSL] = false;
    mgc_run_worker_lost(bench.run, MGC_ROLE_WSL, &why, bench.now_ns);
    bench_done(&bench, "logcat");
    bench_pass(&bench, 60 * SEC);
    assert_non_null(strstr(mgc_buf_text(&bench.order), "end cell1 for cell2\n"));
    assert_null(strstr(mgc_buf_text(&bench.order), "end cell1\n"));
    bench_stop(&bench);
}

static void a_turn_that_waits_is_not_put_twice(void **state)
{
    struct mgc_cell cells[2] = {{.id = (char *)"a"}, {.id = (char *)"b"}};
    struct mgc_plan plan = {.cells = cells, .cell_count = 2};
    struct mgc_turns turns;
    const struct mgc_turn put[] = {
        {.cell = &cells[0]}, {.cell = &cells[0]}, {.cell = &cells[0], .sake = &cells[1]}};
    assert_true(mgc_turns_init(&turns, &plan, 2));
    assert_false(mgc_turns_left(&turns));
    assert_true(mgc_turns_put(&turns, put, 3));
    assert_ptr_equal(mgc_turns_take(&turns).cell, &cells[0]);
    assert_ptr_equal(mgc_turns_take(&turns).sake, &cells[1]);
    assert_false(mgc_turns_left(&turns));
    assert_null(mgc_turns_take(&turns).cell);
    assert_true(mgc_turns_put(&turns, put, 1));
    assert_true(mgc_turns_left(&turns));
    assert_int_equal(*mgc_turns_made(&turns, &cells[1]), 0);
    mgc_turns_destroy(&turns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(further_turns_come_before_the_plan_goes_on),
        cmocka_unit_test(a_further_turn_has_retries_of_its_own),
        cmocka_unit_test(a_rule_is_asked_about_every_turn),
        cmocka_unit_test(a_worker_that_never_comes_fails_it_for_the_same_sake),
        cmocka_unit_test(a_turn_that_waits_is_not_put_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
