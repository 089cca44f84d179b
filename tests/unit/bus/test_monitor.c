#include "tests/lib/check.h"

#include <string.h>

#include "common/bus/monitor.h"

static void test_meanings(void **state)
{
    struct mgc_error err = {0};
    assert_int_equal(mgc_monitor_judge(ZMQ_EVENT_CONNECTED, 7, &err), MGC_LINK_CONNECTED);
    assert_int_equal(mgc_monitor_judge(ZMQ_EVENT_HANDSHAKE_SUCCEEDED, 0, &err), MGC_LINK_READY);
    assert_int_equal(mgc_monitor_judge(ZMQ_EVENT_ACCEPTED, 0, &err), MGC_LINK_OTHER);
    assert_int_equal(err.code, MGC_OK);
    assert_int_equal(
        mgc_monitor_judge(ZMQ_EVENT_HANDSHAKE_FAILED_AUTH, 400, &err), MGC_LINK_KEY_REFUSED);
    assert_int_equal(err.code, MGC_E_DENIED);
    assert_non_null(strstr(err.text, "400"));
    assert_int_equal(
        mgc_monitor_judge(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL, 0, &err), MGC_LINK_NO_HANDSHAKE);
    assert_int_equal(err.code, MGC_E_DENIED);
    assert_non_null(strstr(err.text, "its own key changed"));
    assert_int_equal(mgc_monitor_judge(ZMQ_EVENT_DISCONNECTED, 0, &err), MGC_LINK_DOWN);
    assert_int_equal(err.code, MGC_E_LOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_meanings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
