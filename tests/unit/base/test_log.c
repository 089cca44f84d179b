#include "common/base/log.h"

#include <stdlib.h>
#include <string.h>

#include "tests/lib/capture.h"

static void test_lines(void **state)
{
    struct capture capture;
    capture_open(&capture);
    mgc_log_init("prog", MGC_LOG_INFO);
    mgc_log_to(capture.file);
    mgc_debug("unseen");
    mgc_info("seen %d", 1);
    mgc_warn("two\n%s", "\033[1mlines");
    mgc_log_task(0x1a2b);
    mgc_err("labelled");
    mgc_log_task(0);
    mgc_warn("plain");
    mgc_log_init("prog", MGC_LOG_DEBUG);
    mgc_debug("now seen");
    mgc_log_to(NULL);
    char *text = capture_take(&capture);

    static const char *const want[] = {" info  prog: seen 1\n", " warn  prog: two ?[1mlines\n",
        " error prog [task 1a2b]: labelled\n", " warn  prog: plain\n", " debug prog: now seen\n"};
    const char *at = text;
    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        const char *found = strstr(at, want[i]);
        if (!found)
            fail_msg("'%s' is not in:\n%s", want[i], at);
        assert_int_equal(found - at, strlen("12:00:01.234"));
        at = found + strlen(want[i]);
    }
    assert_string_equal(at, "");
    free(text);
}

static void test_level_names(void **state)
{
    static const char *const names[] = {"debug", "info", "warn", "error"};
    for (int i = 0; i < 4; i++) {
        enum mgc_log_level level = MGC_LOG_DEBUG;
        assert_true(mgc_log_level_parse(names[i], &level));
        assert_int_equal(level, i);
    }
    enum mgc_log_level level = MGC_LOG_WARN;
    assert_false(mgc_log_level_parse("loud", &level));
    assert_int_equal(level, MGC_LOG_WARN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_level_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
