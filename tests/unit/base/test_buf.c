#include "common/base/buf.h"

#include <stdlib.h>
#include <string.h>

#include "tests/lib/check.h"

static void test_starts_empty(void **state)
{
    struct mgc_buf buf = {0};
    assert_string_equal(mgc_buf_text(&buf), "");
    assert_true(mgc_buf_ok(&buf));
    mgc_buf_clear(&buf);
    mgc_buf_consume(&buf, 10);
    mgc_buf_destroy(&buf);
    mgc_buf_destroy(&buf);
    mgc_buf_destroy(NULL);
}

static void test_appends_in_order(void **state)
{
    struct mgc_buf buf = {0};
    assert_true(mgc_buf_puts(&buf, "one "));
    assert_true(mgc_buf_putc(&buf, '2'));
    assert_true(mgc_buf_append(&buf, " three!!!", 6));
    assert_true(mgc_buf_append(&buf, NULL, 0));
    assert_true(mgc_buf_printf(&buf, " %d %s", 4, "five"));
    assert_string_equal(mgc_buf_text(&buf), "one 2 three 4 five");
    assert_int_equal(buf.len, strlen("one 2 three 4 five"));
    mgc_buf_destroy(&buf);
}

static void test_holds_any_byte(void **state)
{
    static const char bytes[] = {0, 1, 0, (char)255};
    struct mgc_buf buf = {0};
    assert_true(mgc_buf_append(&buf, bytes, sizeof(bytes)));
    assert_int_equal(buf.len, 4);
    assert_memory_equal(buf.data, bytes, 4);
    assert_int_equal(buf.data[4], 0);
    mgc_buf_destroy(&buf);
}

static void test_grows_through_many_sizes(void **state)
{
    struct mgc_buf buf = {0};
    for (int i = 0; i < 100000; i++)
        assert_true(mgc_buf_putc(&buf, (char)('a' + i % 26)));
    assert_int_equal(buf.len, 100000);
    assert_int_equal(buf.data[99999], 'a' + 99999 % 26);
    assert_int_equal(strlen(buf.data), 100000);
    mgc_buf_destroy(&buf);
}

static void test_max_is_exact_and_failure_sticks(void **state)
{
    struct mgc_buf buf;
    mgc_buf_init(&buf, 5);
    assert_true(mgc_buf_puts(&buf, "12345"));
    assert_false(mgc_buf_putc(&buf, '6'));
    assert_false(mgc_buf_ok(&buf));
    assert_false(mgc_buf_append(&buf, NULL, 0)); /* whole builders may check once, at the end */
    assert_string_equal(mgc_buf_text(&buf), "12345");
    assert_null(mgc_buf_steal(&buf));
    mgc_buf_clear(&buf);
    assert_true(mgc_buf_ok(&buf));
    assert_false(mgc_buf_printf(&buf, "%d", 123456));
    assert_false(mgc_buf_ok(&buf));
    mgc_buf_destroy(&buf);
    assert_int_equal(buf.max, 5);
}

static void test_reserve_cannot_overflow(void **state)
{
    struct mgc_buf buf = {0};
    assert_true(mgc_buf_puts(&buf, "x"));
    assert_false(mgc_buf_reserve(&buf, SIZE_MAX));
    assert_false(mgc_buf_ok(&buf));
    mgc_buf_destroy(&buf);
    assert_false(mgc_buf_reserve(&buf, MGC_BUF_MAX_DEFAULT + 1));
}

static void test_consume(void **state)
{
    struct mgc_buf buf = {0};
    assert_true(mgc_buf_puts(&buf, "header body"));
    mgc_buf_consume(&buf, 7);
    assert_string_equal(mgc_buf_text(&buf), "body");
    mgc_buf_consume(&buf, 0);
    assert_int_equal(buf.len, 4);
    mgc_buf_consume(&buf, 4);
    assert_int_equal(buf.len, 0);
    assert_string_equal(mgc_buf_text(&buf), "");
    mgc_buf_destroy(&buf);
}

static void test_steal(void **state)
{
    struct mgc_buf buf = {0};
    char *nothing = mgc_buf_steal(&buf);
    assert_string_equal(nothing, "");
    assert_true(mgc_buf_puts(&buf, "mine"));
    char *text = mgc_buf_steal(&buf);
    assert_string_equal(text, "mine");
    assert_int_equal(buf.len, 0);
    assert_null(buf.data);
    free(nothing);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_starts_empty),
        cmocka_unit_test(test_appends_in_order),
        cmocka_unit_test(test_holds_any_byte),
        cmocka_unit_test(test_grows_through_many_sizes),
        cmocka_unit_test(test_max_is_exact_and_failure_sticks),
        cmocka_unit_test(test_reserve_cannot_overflow),
        cmocka_unit_test(test_consume),
        cmocka_unit_test(test_steal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
