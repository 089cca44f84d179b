#include "lab/world/roster.h"

#include <string.h>

#include "tests/lib/check.h"

static const struct mgc_lab_roster one = {.phones = 1, .pairs = 1};
static const struct mgc_lab_roster most = {
    .phones = MGC_LAB_PHONES_MAX, .pairs = MGC_LAB_PAIRS_MAX, .loopback = true};

static void one_phone_has_the_names_of_old(void **state)
{
    struct mgc_lab_phone phone;
    struct mgc_lab_pair pair;
    mgc_lab_roster_phone(&one, 1, &phone);
    assert_string_equal(phone.name, "");
    assert_string_equal(phone.member, "mgphone");
    assert_string_equal(phone.serialno, "mglab0001");
    assert_string_equal(phone.adb, "10.99.0.2:5555");
    assert_string_equal(phone.address, "192.168.21.181");
    assert_int_equal(phone.port, 40613);
    assert_int_equal(phone.sink_port, 40614);
    mgc_lab_roster_pair(&one, 1, &pair);
    assert_string_equal(pair.host, "host");
    assert_string_equal(pair.wsl, "wsl");
    assert_int_equal(pair.adb_port, 0);
    assert_int_equal(mgc_lab_roster_bus_port(&one), 40700);
    assert_int_equal(mgc_lab_roster_find(&one, ""), 1);
    assert_int_equal(mgc_lab_roster_find(&one, "p1"), 0);
}

static void of_several_no_two_share_anything(void **state)
{
    struct mgc_lab_phone a, b;
    for (int i = 1; i <= most.phones; i++) {
        mgc_lab_roster_phone(&most, i, &a);
        assert_int_equal(mgc_lab_roster_find(&most, a.name), i);
        assert_in_range(a.pair, 1, most.pairs);
        assert_in_range(a.port, MGC_LAB_PORTS_FROM, MGC_LAB_PORTS_TO);
        assert_int_not_equal(a.port, mgc_lab_roster_bus_port(&most));
        for (int j = 1; j < i; j++) {
            mgc_lab_roster_phone(&most, j, &b);
            assert_string_not_equal(a.name, b.name);
            assert_string_not_equal(a.member, b.member);
            assert_string_not_equal(a.serialno, b.serialno);
            assert_string_not_equal(a.adb, b.adb);
            assert_string_not_equal(a.address, b.address);
            assert_true(a.port != b.port && a.port != b.sink_port && a.sink_port != b.port);
        }
    }
}

static void phones_go_round_over_the_pairs(void **state)
{
    const struct mgc_lab_roster four = {.phones = 4, .pairs = 2};
    static const int expected[] = {1, 2, 1, 2};
    struct mgc_lab_phone phone;
    struct mgc_lab_pair pair;
    for (int i = 1; i <= 4; i++) {
        mgc_lab_roster_phone(&four, i, &phone);
        assert_int_equal(phone.pair, expected[i - 1]);
    }
    mgc_lab_roster_pair(&four, 2, &pair);
    assert_string_equal(pair.host, "host2");
    assert_string_equal(pair.wsl, "wsl2");
    assert_int_equal(pair.adb_port, 15038);
}

static void wrong_numbers_are_refused_by_name(void **state)
{
    static const struct {
        struct mgc_lab_roster roster;
        const char *says;
    } bad[] = {{{0, 1, true}, "--phones 0"}, {{65, 1, true}, "expected 1 to 64"},
        {{64, 17, true}, "--pairs 17"}, {{2, 3, true}, "at most as many pairs as phones (2)"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct mgc_error err = {0};
        assert_false(mgc_lab_roster_check(&bad[i].roster, &err));
        assert_int_equal(err.code, MGC_E_USAGE);
        assert_non_null(strstr(err.text, bad[i].says));
    }
    assert_true(mgc_lab_roster_check(&most, NULL));
    assert_true(mgc_lab_roster_check(&one, NULL));
}

static void a_directory_is_split_only_among_several(void **state)
{
    char path[MGC_LAB_PATH_MAX];
    assert_true(mgc_lab_roster_dir(&one, "/s/phone", "", path, NULL));
    assert_string_equal(path, "/s/phone");
    assert_true(mgc_lab_roster_dir(&most, "/s/phone", "p7", path, NULL));
    assert_string_equal(path, "/s/phone/p7");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_phone_has_the_names_of_old),
        cmocka_unit_test(of_several_no_two_share_anything),
        cmocka_unit_test(phones_go_round_over_the_pairs),
        cmocka_unit_test(wrong_numbers_are_refused_by_name),
        cmocka_unit_test(a_directory_is_split_only_among_several),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
