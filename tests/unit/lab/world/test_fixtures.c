#include "lab/world/fixtures.h"

#include <string.h>

#include "tests/lib/check.h"

static bool parse(const char *text, struct mgc_lab_fixtures *ret, struct mgc_error *err)
{
    return mgc_lab_fixtures_parse(text, strlen(text), ret, err);
}

static void workloads_come_in_order(void **state)
{
    struct mgc_lab_fixtures fixtures;
    assert_true(parse("{\"openra\": {\"trace\": \"openra.trace\", \"golden\": \"o.png\", "
                      "\"width\": 640, \"frames\": 16},"
                      " \"rd12\": {\"trace\": \"r\", \"golden\": \"g\", \"frames\": 251}}",
        &fixtures, NULL));
    assert_int_equal(fixtures.count, 2);
    assert_string_equal(fixtures.items[0].name, "openra");
    assert_string_equal(fixtures.items[0].trace, "openra.trace");
    assert_string_equal(fixtures.items[0].golden, "o.png");
    assert_int_equal(fixtures.items[0].frames, 16);
    assert_string_equal(fixtures.items[1].name, "rd12");
    assert_int_equal(fixtures.items[1].frames, 251);
}

static void what_is_missing_is_an_error(void **state)
{
    static const char *const bad[] = {"", "{}", "[]", "{\"a\": 1}", "{\"a\": {}}",
        "{\"a\": {\"trace\": \"t\", \"golden\": \"g\"}}",
        "{\"a\": {\"trace\": \"t\", \"golden\": \"g\", \"frames\": 0}}",
        "{\"a\": {\"trace\": \"t\", \"golden\": \"g\", \"frames\": \"16\"}}",
        "{\"a\": {\"trace\": \"../t\", \"golden\": \"g\", \"frames\": 1}}",
        "{\"a\": {\"trace\": \"t\", \"golden\": \"d/g\", \"frames\": 1}}",
        "{\"a: b\": {\"trace\": \"t\", \"golden\": \"g\", \"frames\": 1}}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct mgc_lab_fixtures fixtures = {.count = 77};
        struct mgc_error err = {0};
        assert_false(parse(bad[i], &fixtures, &err));
        assert_int_not_equal(err.code, MGC_OK);
        assert_int_equal(fixtures.count, 77);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workloads_come_in_order),
        cmocka_unit_test(what_is_missing_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
