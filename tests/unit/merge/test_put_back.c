#include <string.h>

#include "coordinator/merge/put_back.h"
#include "tests/lib/check.h"

static struct mgc_plan plan = {.name = (char *)"p", .run_id = (char *)"r"};
static const struct mgc_step route = {.id = (char *)"route", .kind = (char *)"wsl.route"};
static const struct mgc_step server = {.id = (char *)"server", .kind = (char *)"host.server"};

static void assert_texts(const struct mgc_results *results, const char *expected, bool left)
{
    struct mgc_buf text = {0};
    mgc_results_put_back_text(results, &text);
    assert_string_equal(mgc_buf_text(&text), expected);
    assert_int_equal(mgc_results_left_behind(results), left);
    mgc_buf_destroy(&text);
}

static void what_was_put_back_is_counted_by_step(void **state)
{
    struct mgc_results results;
    const struct mgc_step_outcome one = {.state = MGC_STEP_DONE, .undo_done = 1};
    const struct mgc_step_outcome none = {.state = MGC_STEP_DONE};
    assert_true(mgc_results_init(&results, &plan, NULL));
    assert_texts(&results, "", false);
    mgc_results_put_back(&results, &server, &none, false);
    assert_int_equal(results.put_back_count, 0);
    mgc_results_put_back(&results, &server, &one, false);
    mgc_results_put_back(&results, &server, &one, false);
    mgc_results_put_back(&results, &route, &one, true);
    assert_texts(&results, "server (host.server) 2 times, route (wsl.route)", false);
    mgc_results_destroy(&results);
}

static void what_is_left_behind_is_said(void **state)
{
    const struct mgc_step_outcome failed = {
        .state = MGC_STEP_DONE, .undo_failed = 1, .undo_text = (char *)"denied"};
    struct mgc_step_outcome lost = {.state = MGC_STEP_FAILED};
    mgc_error_set(&lost.error, MGC_E_LOST, "worker lost: silent");
    const struct mgc_step_outcome *cases[] = {&failed, &lost};
    for (size_t i = 0; i < 2; i++) {
        struct mgc_results results;
        assert_true(mgc_results_init(&results, &plan, NULL));
        mgc_results_put_back(&results, &route, cases[i], true);
        assert_texts(&results, "", true);
        assert_non_null(results.put_back[0].text);
        mgc_results_destroy(&results);
    }
}

static void what_a_lost_worker_undid_before_it_joined_again_is_said(void **state)
{
    const struct mgc_step_outcome one = {.state = MGC_STEP_DONE, .undo_done = 1};
    const struct mgc_step_outcome failed = {
        .state = MGC_STEP_DONE, .undo_failed = 1, .undo_text = (char *)"denied"};
    struct mgc_step_outcome lost = {.state = MGC_STEP_FAILED, .lost = MGC_LOST_WORKER};
    struct mgc_results results;
    mgc_error_set(&lost.error, MGC_E_LOST, "worker lost: silent");
    assert_true(mgc_results_init(&results, &plan, NULL));
    mgc_results_put_back(&results, &server, &one, false);
    mgc_results_put_back(&results, &server, &lost, false);
    mgc_results_put_back(&results, &route, &lost, true);
    mgc_results_put_back_on_rejoin(&results, "host");
    assert_texts(&results, "server (host.server) and by its worker when it joined again",
        true); /* the route's is not */
    mgc_results_put_back_on_rejoin(&results, "wsl");
    assert_texts(&results,
        "server (host.server) and by its worker when it joined again, "
        "route (wsl.route) by its worker when it joined again",
        false);
    mgc_results_put_back(&results, &route, &failed, true);
    mgc_results_put_back_on_rejoin(&results, "wsl"); /* what it said itself stands */
    assert_true(mgc_results_left_behind(&results));
    mgc_results_destroy(&results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_back_is_counted_by_step),
        cmocka_unit_test(what_is_left_behind_is_said),
        cmocka_unit_test(what_a_lost_worker_undid_before_it_joined_again_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
