#include "tests/lib/check.h"

#include <stdio.h>
#include <string.h>

#include "common/bus/zap.h"

/* 32 bytes of zeros, which are 40 times "0" in Z85. */
static const unsigned char zeros[32];
#define ZEROS_Z85 "0000000000000000000000000000000000000000"

static struct mgc_worker_key worker = {.name = "wsl1", .role = "wsl", .public_key = ZEROS_Z85};

static struct mgc_zap_answer ask(size_t changed, const void *data, size_t len, size_t count)
{
    struct mgc_keyring ring = {.workers = &worker, .count = 1};
    struct mgc_zap_frame frames[MGC_ZAP_FRAMES + 1] = {
        {"1.0", 3}, {"1", 1}, {"mgcoord", 7}, {"10.0.0.9", 8}, {"", 0}, {"CURVE", 5}, {zeros, 32}};
    frames[changed] = (struct mgc_zap_frame){data, len};
    return mgc_zap_decide(&ring, frames, count);
}

static struct mgc_zap_answer ask_with(size_t changed, const void *data, size_t len)
{
    return ask(changed, data, len, MGC_ZAP_FRAMES);
}

static void test_known_key(void **state)
{
    struct mgc_zap_answer answer = ask_with(6, zeros, 32);
    assert_string_equal(answer.status, "200");
    assert_string_equal(answer.user_id, ZEROS_Z85);
    assert_int_equal(answer.why.code, MGC_OK);
}

static void check_refused(struct mgc_zap_answer answer, const char *status, const char *who)
{
    assert_string_equal(answer.status, status);
    assert_string_equal(answer.user_id, "");
    assert_int_not_equal(answer.why.code, MGC_OK);
    if (!strstr(answer.who, who))
        fail_msg("who is '%s', expected '%s' in it", answer.who, who);
}

static void test_refusals(void **state)
{
    unsigned char other[32] = {1};
    check_refused(ask_with(6, other, 32), "400", "from 10.0.0.9");
    worker.revoked = true;
    check_refused(ask_with(6, zeros, 32), "400", "worker 'wsl1' from 10.0.0.9");
    worker.revoked = false;
    check_refused(ask_with(6, zeros, 31), "400", "10.0.0.9");
    check_refused(ask_with(5, "NULL", 4), "400", "10.0.0.9");
    check_refused(ask_with(5, "PLAIN", 5), "400", "10.0.0.9");
    check_refused(ask_with(0, "1.1", 3), "500", "a connection");
    check_refused(ask_with(2, "other", 5), "500", "a connection");
    for (size_t count = 0; count <= MGC_ZAP_FRAMES + 1; count++) {
        if (count != MGC_ZAP_FRAMES)
            check_refused(ask(7, "", 0, count), "500", "a connection");
    }
}

static void test_address_is_made_printable(void **state)
{
    char text[300];
    memset(text, '\n', sizeof(text));
    worker.revoked = true;
    struct mgc_zap_answer answer = ask_with(3, text, sizeof(text));
    worker.revoked = false;
    assert_null(strchr(answer.who, '\n'));
    assert_non_null(strstr(answer.who, "???"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_key),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_address_is_made_printable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
