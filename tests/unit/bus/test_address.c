#include "tests/lib/check.h"

#include <string.h>

#include "common/bus/address.h"

static const struct {
    const char *text;
    const char *host; /* NULL: refused */
    unsigned port;
} cases[] = {
    {"tcp://127.0.0.1:40700", "127.0.0.1", 40700},
    {"tcp://pc-1.example:1", "pc-1.example", 1},
    {"tcp://[::1]:65535", "::1", 65535},
    {"tcp://[fe80::1%eth0]:7", "fe80::1%eth0", 7},
    {"", NULL, 0},
    {"127.0.0.1:1", NULL, 0},
    {"udp://127.0.0.1:1", NULL, 0},
    {"tcp://:1", NULL, 0},
    {"tcp://host", NULL, 0},
    {"tcp://host:", NULL, 0},
    {"tcp://host:0", NULL, 0},
    {"tcp://host:65536", NULL, 0},
    {"tcp://host:12a", NULL, 0},
    {"tcp://::1:7", NULL, 0},    /* IPv6 wants brackets */
    {"tcp://[host]:7", NULL, 0}, /* and nothing else has them */
    {"tcp://[::1]7", NULL, 0},
    {"tcp://[::1", NULL, 0},
    {"tcp://ho st:7", NULL, 0},
    {"tcp://*:7", NULL, 0},
};

static void test_table(void **state)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mgc_address address;
        struct mgc_error err = {0};
        bool ok = mgc_address_parse(cases[i].text, &address, &err);
        if (ok != (cases[i].host != NULL))
            fail_msg("'%s' was %s", cases[i].text, ok ? "accepted" : err.text);
        if (!ok) {
            assert_int_equal(err.code, MGC_E_CONFIG);
            continue;
        }
        assert_string_equal(address.host, cases[i].host);
        assert_int_equal(address.port, cases[i].port);
    }
}

static void test_length(void **state)
{
    char text[MGC_ADDRESS_SIZE + 8] = "tcp://";
    memset(text + 6, 'h', MGC_ADDRESS_SIZE - 8);
    strcpy(text + MGC_ADDRESS_SIZE - 2, ":7");
    assert_false(mgc_address_parse(text, NULL, NULL));
    strcpy(text + MGC_ADDRESS_SIZE - 3, ":7");
    assert_true(mgc_address_parse(text, NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
