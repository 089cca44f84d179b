/* The run.json of a run on several phones: which it takes, and which it does not believe. */
#include "coordinator/restore/fleet.h"

#include <string.h>

#include "tests/lib/check.h"
#include "tests/lib/tmpdir.h"

static bool read_text(const char *text, struct mgc_fleet_list *ret_list, struct mgc_error *err)
{
    assert_true(mgc_file_write(tmpdir_file("run.json"), text, strlen(text), 0644, NULL));
    return mgc_fleet_list_read(tmpdir_path, ret_list, err);
}

static void its_phones_are_found(void **state)
{
    struct mgc_fleet_list list;
    char path[MGC_PATH_MAX];
    struct mgc_error err;
    assert_true(read_text("{\"schema\": \"mgcoord-fleet-1\", \"start_wall_s\": 1796000000.5, "
                          "\"plan\": {\"name\": \"nightly\", \"run_id\": \"run\"}, \"phones\": "
                          "[\"p2\", \"p1\"]}",
        &list, &err));
    assert_string_equal(list.run_id, "run");
    assert_string_equal(list.plan, "nightly");
    assert_int_equal(list.count, 2);
    assert_string_equal(list.phones[0], "p2");
    assert_int_equal(list.start_wall_ns, INT64_C(1796000000500000000));
    assert_true(mgc_fleet_part("/r/run", list.phones[1], path));
    assert_string_equal(path, "/r/run/phones/p1");
    assert_null(mgc_restore(tmpdir_path, &err)); /* no run by itself */
    assert_int_equal(err.code, MGC_E_USAGE);
    mgc_fleet_list_destroy(&list);
    mgc_fleet_list_destroy(&list);
    mgc_fleet_list_destroy(NULL);
    (void)state;
}

static const struct {
    const char *text;
    enum mgc_code code;
} bad[] = {
    {"{\"schema\": \"mgcoord-run-1\"}", MGC_E_NOT_FOUND},
    {"{}", MGC_E_NOT_FOUND},
    {"[1]", MGC_E_NOT_FOUND},
    {"{\"schema\": \"mgcoord-fleet-1\"}", MGC_E_PROTOCOL},
    {"{\"schema\": \"mgcoord-fleet-1\", \"plan\": {\"name\": \"a\", \"run_id\": \"..\"}, "
     "\"phones\": [\"p1\"]}",
        MGC_E_PROTOCOL},
    {"{\"schema\": \"mgcoord-fleet-1\", \"plan\": {\"name\": \"a\", \"run_id\": \"b\"}, "
     "\"phones\": []}",
        MGC_E_PROTOCOL},
    {"{\"schema\": \"mgcoord-fleet-1\", \"plan\": {\"name\": \"a\", \"run_id\": \"b\"}, "
     "\"phones\": [\"../p1\"]}",
        MGC_E_PROTOCOL},
    {"{\"schema\": \"mgcoord-fleet-1\", \"plan\": {\"name\": \"a\", \"run_id\": \"b\"}, "
     "\"phones\": [\"a/b\"]}",
        MGC_E_PROTOCOL},
    {"{\"schema\": \"mgcoord-fleet-1\", \"plan\": {\"name\": \"a\", \"run_id\": \"b\"}, "
     "\"phones\": [7]}",
        MGC_E_PROTOCOL},
};

static void others_are_not_believed(void **state)
{
    struct mgc_fleet_list list;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct mgc_error err = {0};
        assert_false(read_text(bad[i].text, &list, &err));
        if (err.code != bad[i].code)
            fail_msg("%zu: %s", i, err.text);
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_phones_are_found),
        cmocka_unit_test(others_are_not_believed),
    };
    return cmocka_run_group_tests(tests, tmpdir_setup, tmpdir_teardown);
}
