#include "tests/lib/check.h"

#include "lab/phone/ids.h"

static void reads_maps(void **state)
{
    const char *one = "         0       1000          1\n";
    const char *two = "         0       1000          1\n         1     100000      65536\n";
    assert_true(mgl_ids_map_covers(one, 0));
    assert_false(mgl_ids_map_covers(one, 2000));
    assert_true(mgl_ids_map_covers(two, 2000));
    assert_true(mgl_ids_map_covers(two, 65536));
    assert_false(mgl_ids_map_covers(two, 65537));
    assert_true(mgl_ids_map_covers("0 0 4294967295\n", 50123));
    assert_false(mgl_ids_map_covers("", 0));
    assert_false(mgl_ids_map_covers("junk\n", 0));
}

static void everybody_is_root_without_real_ids(void **state)
{
    mgl_ids_set_real(false);
    assert_int_equal(mgl_identity_uid(MGL_APP), 0);
    assert_true(mgl_identity_take(MGL_APP));
    mgl_ids_set_real(true);
    assert_int_equal(mgl_identity_uid(MGL_SHELL), 2000);
    assert_int_equal(mgl_identity_uid(MGL_APP), 10123);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_maps),
        cmocka_unit_test(everybody_is_root_without_real_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
