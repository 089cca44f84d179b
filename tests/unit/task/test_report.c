#include "tests/lib/check.h"

#include "common/base/clock.h"
#include "common/task/report.h"

struct seen {
    struct mgc_loop *loop;
    int looks, wanted;
    int64_t last_ns;
};

static void look(void *user)
{
    struct seen *seen = user;
    seen->last_ns = mgc_mono_ns();
    if (++seen->looks == seen->wanted)
        mgc_loop_quit(seen->loop);
}

static void test_looks_after_each_in_any_order(void **state)
{
    struct seen seen = {.loop = mgc_loop_new(NULL), .wanted = 2};
    struct mgc_report report;
    int64_t now_ns = mgc_mono_ns(), later_ns = now_ns + 200 * MGC_NS_PER_MS;
    mgc_report_init(&report, seen.loop, look, &seen);
    mgc_report_after(&report, later_ns);
    mgc_report_after(&report, now_ns);
    assert_true(mgc_loop_run(seen.loop, NULL));
    assert_int_equal(seen.looks, 2);
    assert_true(seen.last_ns > later_ns);
    mgc_report_destroy(&report);
    mgc_loop_free(seen.loop);
}

/* What a broken peer says must not keep others waiting. */
static void test_absurd_instants(void **state)
{
    struct seen seen = {.loop = mgc_loop_new(NULL), .wanted = 1};
    struct mgc_report report;
    mgc_report_init(&report, seen.loop, look, &seen);
    mgc_report_after(&report, INT64_MAX);
    mgc_report_after(&report, INT64_MAX / 2);
    mgc_report_after(&report, mgc_mono_ns());
    assert_true(mgc_loop_run(seen.loop, NULL));
    assert_int_equal(seen.looks, 1);
    mgc_report_destroy(&report);
    mgc_report_destroy(NULL);
    mgc_loop_free(seen.loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_looks_after_each_in_any_order),
        cmocka_unit_test(test_absurd_instants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
