/* Which arms are compared, and why some are not. */
#include <stdlib.h>
#include <string.h>

#include "coordinator/merge/comparisons.h"
#include "coordinator/merge/settings.h"
#include "tests/lib/check.h"

enum { ARMS = 3, ROUNDS = 3, CELLS = 2 * ARMS * ROUNDS };

struct fixture {
    struct mgc_cell cells[CELLS];
    struct mgc_plan plan;
    struct mgc_results results;
};

static const char *const arms[ARMS] = {"monolith", "tcp", "inproc"};
static const double ms[ARMS][ROUNDS] = {{10, 10.2, 9.9}, {13, 13.1, 13.05}, {9.9, 10.4, 9.8}};

static void fill(struct mgc_cell_result *result, size_t arm, size_t round)
{
    struct mgc_fields *metrics = &result->verdict.metrics;
    result->verdict.state = MGC_VERDICT_MEASURED;
    mgc_fields_set_double(metrics, "kept_mean_ms", ms[arm][round]);
    mgc_fields_set_str(metrics, "apk_sha256", "a");
    mgc_fields_set_str(metrics, "library_sha256", "b");
    mgc_fields_set_str(metrics, "trace_sha256", "c");
    if (arm)
        mgc_fields_set_str(metrics, "surface", "server");
}

/* Two backends, three rounds, three arms. */
static void make(struct fixture *f)
{
    *f = (struct fixture){.plan = {.name = (char *)"p",
                              .run_id = (char *)"r",
                              .cells = f->cells,
                              .cell_count = CELLS,
                              .reference = (char *)"monolith"}};
    for (size_t i = 0; i < CELLS; i++)
        f->cells[i] = (struct mgc_cell){.kind = MGC_CELL_MEASURE,
            .id = (char *)"x",
            .lane = (char *)"matrix",
            .workload = (char *)"openra",
            .arm = (char *)arms[i % ARMS],
            .rep = (int64_t)(i / (2 * ARMS)) + 1,
            .expect = {.width = 640,
                .height = 480,
                .credit = i % ARMS ? 1 : 0,
                .backend = (char *)(i / ARMS % 2 ? "DirectVulkan" : "DirectGLES")}};
    assert_true(mgc_results_init(&f->results, &f->plan, NULL));
    mgc_fields_set_str(&f->results.device, "serialno", "s");
    for (size_t i = 0; i < CELLS; i++)
        fill(&f->results.cells[i], i % ARMS, i / (2 * ARMS));
}

static struct mgc_arm_comparison *compare(const struct fixture *f, size_t expected)
{
    struct mgc_arm_comparison *list;
    struct mgc_error err = {0};
    size_t count;
    if (!mgc_results_compare(&f->results, &list, &count, &err))
        fail_msg("%s", err.text);
    assert_int_equal(count, expected);
    return list;
}

static void every_backend_is_a_family(void **state)
{
    struct fixture f;
    make(&f);
    struct mgc_arm_comparison *list = compare(&f, 4);
    assert_string_equal(list[0].arm, "tcp");
    assert_string_equal(list[0].backend, "DirectGLES");
    assert_string_equal(list[2].backend, "DirectVulkan");
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(list[i].comparable, MGC_COMPARABLE_YES);
        assert_int_equal(list[i].rounds, ROUNDS);
        assert_int_equal(list[i].result.n, ROUNDS);
        assert_int_equal(
            list[i].result.conclusion, i % 2 == 0 ? MGC_CONCLUSION_SLOWER : MGC_CONCLUSION_NONE);
    }
    free(list);
    mgc_results_destroy(&f.results);
}

/* Each arm with one backend against itself with the other, in the same rounds. */
static void backends_are_compared_arm_by_arm(void **state)
{
    struct fixture f;
    struct mgc_arm_comparison *list;
    size_t count;
    make(&f);
    for (size_t i = 0; i < CELLS; i++) {
        double slower = i / ARMS % 2 ? 1.5 + 0.01 * (double)(i / (2 * ARMS)) : 1;
        mgc_fields_set_double(&f.results.cells[i].verdict.metrics, "kept_mean_ms",
            ms[i % ARMS][i / (2 * ARMS)] * slower);
    }
    f.results.cells[4].verdict.state = MGC_VERDICT_INVALID; /* DirectVulkan/tcp of round 1 */
    assert_true(mgc_results_compare_backends(&f.results, &list, &count, NULL));
    assert_int_equal(count, ARMS);
    for (size_t i = 0; i < ARMS; i++) {
        assert_string_equal(list[i].arm, arms[i]);
        assert_string_equal(list[i].reference, arms[i]);
        assert_string_equal(list[i].backend, "DirectVulkan");
        assert_string_equal(list[i].reference_backend, "DirectGLES");
        assert_int_equal(list[i].rounds, ROUNDS);
        assert_int_equal(list[i].result.n, i == 1 ? ROUNDS - 1 : ROUNDS);
        assert_true(list[i].result.ratio > 1.49 && list[i].result.ratio < 1.53);
        assert_int_equal(list[i].result.conclusion, MGC_CONCLUSION_SLOWER);
    }
    free(list);
    mgc_results_destroy(&f.results);
}

/* What the plan lists first, in whatever order they came. */
static void the_reference_backend_is_the_plans_first(void **state)
{
    struct fixture f;
    make(&f);
    assert_string_equal(mgc_results_reference_backend(&f.results), "DirectGLES");
    assert_true(mgc_results_add_setting(
        &f.results, "lanes.matrix.backends", "DirectVulkan, DirectGLES", "plan:1"));
    assert_string_equal(mgc_results_reference_backend(&f.results), "DirectVulkan");
    mgc_results_destroy(&f.results);
    for (size_t i = 0; i < CELLS; i++)
        f.cells[i].expect.backend = (char *)"DirectGLES";
    assert_true(mgc_results_init(&f.results, &f.plan, NULL));
    assert_null(mgc_results_reference_backend(&f.results));
    mgc_results_destroy(&f.results);
}

static void a_round_that_was_not_measured_is_left_out(void **state)
{
    struct fixture f;
    make(&f);
    f.results.cells[0].verdict.state = MGC_VERDICT_INVALID; /* the reference of round 1 */
    struct mgc_arm_comparison *list = compare(&f, 4);
    assert_int_equal(list[0].result.n, 2);
    assert_int_equal(list[0].result.left_out, 1);
    assert_int_equal(list[2].result.n, 3);
    free(list);
    mgc_results_destroy(&f.results);
}

static void what_differs_is_named(void **state)
{
    struct fixture f;
    char text[256];
    make(&f);
    f.cells[1].expect.width = 1280;
    struct mgc_arm_comparison *list = compare(&f, 4);
    assert_int_equal(list[0].comparable, MGC_COMPARABLE_NO);
    assert_int_equal(list[0].result.n, 0);
    mgc_arm_comparison_text(&list[0], text, sizeof(text));
    assert_non_null(strstr(text, "not compared: geometry differs"));
    assert_int_equal(list[1].result.n, 3);
    free(list);
    mgc_results_destroy(&f.results);
}

static void what_is_not_known_is_not_taken_for_equal(void **state)
{
    struct fixture f;
    make(&f);
    for (size_t i = 0; i < CELLS; i++)
        mgc_fields_remove(&f.results.cells[i].verdict.metrics, "trace_sha256");
    struct mgc_arm_comparison *list = compare(&f, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(list[i].comparable, MGC_COMPARABLE_UNKNOWN);
    free(list);
    mgc_results_destroy(&f.results);
}

static void builds_may_differ_where_the_arm_is_another_build(void **state)
{
    struct fixture f;
    make(&f);
    for (size_t i = 1; i < CELLS; i += ARMS) {
        f.cells[i].arm = (char *)"tcp@p14";
        mgc_fields_set_str(&f.results.cells[i].verdict.metrics, "apk_sha256", "other");
    }
    for (size_t i = 2; i < CELLS; i += ARMS)
        mgc_fields_set_str(&f.results.cells[i].verdict.metrics, "apk_sha256", "other");
    struct mgc_arm_comparison *list = compare(&f, 4);
    assert_int_equal(list[0].comparable, MGC_COMPARABLE_YES);
    assert_int_equal(list[1].comparable, MGC_COMPARABLE_NO);
    free(list);
    mgc_results_destroy(&f.results);
}

static void without_a_reference_nothing_is_compared(void **state)
{
    struct fixture f;
    make(&f);
    f.plan.reference = NULL;
    free(compare(&f, 0));
    mgc_results_destroy(&f.results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_backend_is_a_family),
        cmocka_unit_test(backends_are_compared_arm_by_arm),
        cmocka_unit_test(the_reference_backend_is_the_plans_first),
        cmocka_unit_test(a_round_that_was_not_measured_is_left_out),
        cmocka_unit_test(what_differs_is_named),
        cmocka_unit_test(what_is_not_known_is_not_taken_for_equal),
        cmocka_unit_test(builds_may_differ_where_the_arm_is_another_build),
        cmocka_unit_test(without_a_reference_nothing_is_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
