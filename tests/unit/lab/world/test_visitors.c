#include "lab/world/visitors.h"

#include "tests/lib/check.h"

static void the_parent_is_found_behind_any_name(void **state)
{
    assert_int_equal(mgc_lab_stat_parent("17 (sleep) S 1 17 17 0 -1 4194304 107"), 1);
    assert_int_equal(mgc_lab_stat_parent("17 (a) R 9) b) S 0 17 17"), 0);
    assert_int_equal(mgc_lab_stat_parent("17 (x) Z 12345 0"), 12345);
}

static void what_is_no_such_line_has_no_parent(void **state)
{
    assert_int_equal(mgc_lab_stat_parent(""), -1);
    assert_int_equal(mgc_lab_stat_parent("17 sleep S 1"), -1);
    assert_int_equal(mgc_lab_stat_parent("17 (sleep)"), -1);
    assert_int_equal(mgc_lab_stat_parent("17 (sleep) S x"), -1);
}

#define BLOCK(text) text, sizeof(text) - 1

static void a_visitor_has_the_mark_and_the_lab(void **state)
{
    assert_true(
        mgc_lab_environ_visits(BLOCK("PATH=/bin\0MGLAB_VISITOR=1\0MGLAB_STATE=/s\0"), "/s"));
    assert_true(mgc_lab_environ_visits(BLOCK("MGLAB_STATE=/s\0MGLAB_VISITOR=1"), "/s"));
    assert_false(mgc_lab_environ_visits(BLOCK("MGLAB_STATE=/s\0"), "/s"));
    assert_false(mgc_lab_environ_visits(BLOCK("MGLAB_VISITOR=1\0MGLAB_STATE=/s2\0"), "/s"));
    assert_false(mgc_lab_environ_visits(BLOCK("MGLAB_VISITOR=1\0XMGLAB_STATE=/s\0"), "/s"));
    assert_false(mgc_lab_environ_visits("", 0, "/s"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_parent_is_found_behind_any_name),
        cmocka_unit_test(what_is_no_such_line_has_no_parent),
        cmocka_unit_test(a_visitor_has_the_mark_and_the_lab),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
