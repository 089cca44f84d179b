#include "common/base/error.h"

#include <errno.h>
#include <string.h>

#include "tests/lib/check.h"

static void test_set(void **state)
{
    struct mgc_error err = {0};
    assert_false(mgc_error_set(&err, MGC_E_BUSY, "port %d is taken", 80));
    assert_int_equal(err.code, MGC_E_BUSY);
    assert_string_equal(err.text, "port 80 is taken");
    mgc_error_clear(&err);
    assert_int_equal(err.code, MGC_OK);
    assert_string_equal(err.text, "");
}

static void test_null_is_accepted(void **state)
{
    assert_false(mgc_error_set(NULL, MGC_E_BUSY, "x"));
    assert_false(mgc_error_errno(NULL, ENOSPC, "x"));
    assert_false(mgc_error_prefix(NULL, "x"));
    mgc_error_clear(NULL);
}

static void test_errno(void **state)
{
    struct mgc_error err = {0};
    assert_false(mgc_error_errno(&err, ENOSPC, "write '%s'", "/f"));
    assert_int_equal(err.code, MGC_E_NO_SPACE);
    assert_string_equal(err.text, "write '/f': No space left on device");
}

static void test_prefix_keeps_the_code(void **state)
{
    struct mgc_error err = {0};
    mgc_error_set(&err, MGC_E_LOST, "gone");
    assert_false(mgc_error_prefix(&err, "phone %s", "A1"));
    assert_false(mgc_error_prefix(&err, "cell %d", 3));
    assert_int_equal(err.code, MGC_E_LOST);
    assert_string_equal(err.text, "cell 3: phone A1: gone");
}

static void test_own_text_may_be_an_argument(void **state)
{
    struct mgc_error err = {0};
    mgc_error_set(&err, MGC_E_IO, "inner");
    mgc_error_set(&err, MGC_E_FAILED, "outer (%s)", err.text);
    assert_string_equal(err.text, "outer (inner)");
}

static void test_cut_is_marked(void **state)
{
    char text[MGC_ERROR_TEXT_MAX + 1];
    memset(text, 'x', sizeof(text));
    struct mgc_error err = {0};
    text[MGC_ERROR_TEXT_MAX - 1] = '\0'; /* just fits */
    mgc_error_set(&err, MGC_E_IO, "%s", text);
    assert_string_equal(err.text, text);
    text[MGC_ERROR_TEXT_MAX - 1] = 'x';
    text[MGC_ERROR_TEXT_MAX] = '\0';
    mgc_error_set(&err, MGC_E_IO, "%s", text);
    assert_int_equal(strlen(err.text), MGC_ERROR_TEXT_MAX - 1);
    assert_string_equal(err.text + MGC_ERROR_TEXT_MAX - 5, "x...");
}

static void test_code_names_are_there_and_unique(void **state)
{
    for (int i = 0; i < MGC_CODE_COUNT; i++) {
        assert_non_null(mgc_code_name((enum mgc_code)i));
        assert_string_not_equal(mgc_code_name((enum mgc_code)i), "unknown");
        for (int j = 0; j < i; j++)
            assert_string_not_equal(
                mgc_code_name((enum mgc_code)i), mgc_code_name((enum mgc_code)j));
    }
    assert_string_equal(mgc_code_name(MGC_CODE_COUNT), "unknown");
    assert_string_equal(mgc_code_name((enum mgc_code) - 1), "unknown");
}

/* They go over the wire: a number that moves breaks running workers. */
static void test_code_numbers_do_not_move(void **state)
{
    static const struct {
        enum mgc_code code;
        int number;
        const char *name;
    } rows[] = {
        {MGC_OK, 0, "ok"},
        {MGC_E_NO_SPACE, 5, "no-space"},
        {MGC_E_BUSY, 10, "busy"},
        {MGC_E_TIMEOUT, 11, "timeout"},
        {MGC_E_LOST, 15, "lost"},
        {MGC_E_INTEGRITY, 20, "integrity"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(rows[i].code, rows[i].number);
        assert_string_equal(mgc_code_name(rows[i].code), rows[i].name);
    }
}

static void test_code_from_errno(void **state)
{
    static const struct {
        int errnum;
        enum mgc_code code;
    } rows[] = {
        {0, MGC_OK},
        {ENOSPC, MGC_E_NO_SPACE},
#ifdef EDQUOT
        {EDQUOT, MGC_E_NO_SPACE},
#endif
        {ENOMEM, MGC_E_NO_MEMORY},
        {ENOENT, MGC_E_NOT_FOUND},
        {ESRCH, MGC_E_NOT_FOUND},
        {EEXIST, MGC_E_EXISTS},
        {EACCES, MGC_E_DENIED},
        {EPERM, MGC_E_DENIED},
        {EROFS, MGC_E_DENIED},
        {EADDRINUSE, MGC_E_BUSY},
        {ETIMEDOUT, MGC_E_TIMEOUT},
        {ECANCELED, MGC_E_CANCELLED},
        {ECONNREFUSED, MGC_E_REFUSED},
        {EHOSTUNREACH, MGC_E_UNREACHABLE},
        {ENETUNREACH, MGC_E_UNREACHABLE},
        {ECONNRESET, MGC_E_LOST},
        {EPIPE, MGC_E_LOST},
        {ENOSYS, MGC_E_UNSUPPORTED},
        {EIO, MGC_E_IO},
        {12345, MGC_E_IO},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(mgc_code_from_errno(rows[i].errnum), rows[i].code);
}

static void test_one_line(void **state)
{
    (void)state;
    struct mgc_error err;
    mgc_error_set(&err, MGC_E_FAILED, "phone says \"%s\"", "a\nb\033[2J");
    assert_string_equal(err.text, "phone says \"a b?[2J\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_one_line),
        cmocka_unit_test(test_null_is_accepted),
        cmocka_unit_test(test_errno),
        cmocka_unit_test(test_prefix_keeps_the_code),
        cmocka_unit_test(test_own_text_may_be_an_argument),
        cmocka_unit_test(test_cut_is_marked),
        cmocka_unit_test(test_code_names_are_there_and_unique),
        cmocka_unit_test(test_code_numbers_do_not_move),
        cmocka_unit_test(test_code_from_errno),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
