/* The lab's own line about what an arm moved. */
#include <string.h>

#include "common/contract/moved.h"
#include "tests/lib/check.h"

static const char whole[] = "[12:00:30] [Android MobileGLTraceRe/INFO]: mglab: transport=tcp moved "
                            "ring=1 shared=20 socket=25912345 bytes";

static void a_line(void **state)
{
    struct mgc_moved moved = {0};
    (void)state;
    assert_true(mgc_moved_parse(whole, &moved));
    assert_int_equal(moved.ring_bytes, 1);
    assert_int_equal(moved.shared_bytes, 20);
    assert_int_equal(moved.socket_bytes, 25912345);
}

static void what_is_none(void **state)
{
    static const char *const lines[] = {"", "mglab: transport=", "mglab: transport=tcp",
        "mglab: transport=tcp moved", "mglab: transport=tcp moved ring=1 shared=2 socket= bytes",
        "mglab: transport=tcp moved ring=1 shared=2 socket=-3 bytes",
        "mglab: transport=tcp moved ring=1 shared=2 socket=99999999999999999999 bytes",
        "mglab: transport=tcp moved shared=2 ring=1 socket=3 bytes", "moved ring=1 shared=2"};
    struct mgc_moved moved = {7, 7, 7};
    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        assert_false(mgc_moved_parse(lines[i], &moved));
    assert_int_equal(moved.ring_bytes, 7);
}

static void a_cut_line(void **state)
{
    char cut[sizeof(whole)];
    struct mgc_moved moved;
    (void)state;
    for (size_t len = 0; len + 1 < sizeof(whole) - 1; len++) {
        memcpy(cut, whole, len);
        cut[len] = '\0';
        assert_false(mgc_moved_parse(cut, &moved));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line), cmocka_unit_test(what_is_none), cmocka_unit_test(a_cut_line)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
