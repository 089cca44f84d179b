#include "lab/world/signals.h"

#include <signal.h>

#include "tests/lib/check.h"

static void numbers_and_names(void **state)
{
    int sig = 0;
    assert_true(mgc_lab_signal_parse("-9", &sig));
    assert_int_equal(sig, SIGKILL);
    assert_true(mgc_lab_signal_parse("-STOP", &sig));
    assert_int_equal(sig, SIGSTOP);
    assert_true(mgc_lab_signal_parse("-SIGTERM", &sig));
    assert_int_equal(sig, SIGTERM);
}

static void options_are_no_signals(void **state)
{
    int sig = 5;
    static const char *const bad[] = {
        "", "-", "--", "--state", "-0", "-999", "-NOPE", "KILL", "9", "-9x", "-SIG"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(mgc_lab_signal_parse(bad[i], &sig));
    assert_int_equal(sig, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_names),
        cmocka_unit_test(options_are_no_signals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
