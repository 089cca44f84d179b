#include "tests/lib/check.h"

#include <string.h>

#include "common/bus/server_internal.h"

static void test_pick(void **state)
{
    int64_t picked = 0;
    struct mgc_error err = {0};
    assert_true(mgc_protocol_pick(1, 1, 1, 1, &picked, &err));
    assert_int_equal(picked, 1);
    assert_true(mgc_protocol_pick(1, 5, 3, 9, &picked, &err));
    assert_int_equal(picked, 5);
    assert_true(mgc_protocol_pick(4, 9, 1, 4, &picked, &err));
    assert_int_equal(picked, 4);
    assert_false(mgc_protocol_pick(3, 4, 1, 2, &picked, &err));
    assert_int_equal(err.code, MGC_E_VERSION);
    assert_non_null(strstr(err.text, "coordinator speaks 3 to 4, worker 1 to 2"));
    assert_false(mgc_protocol_pick(1, 2, 5, 3, &picked, &err)); /* an empty range has no version */
    assert_int_equal(picked, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pick)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
