/* Runs that could not begin: a line each, the last of them shown. */
#include "coordinator/night/skipped.h"

#include <string.h>

#include "tests/lib/check.h"
#include "tests/lib/tmpdir.h"

static void record(const char *plan, int64_t seconds, const char *why)
{
    struct mgc_skipped skipped = {.wall_ns = seconds * INT64_C(1000000000),
        .plan = plan,
        .run_id = "r1",
        .exit_code = 3,
        .why = why};
    assert_true(mgc_skipped_record(tmpdir_path, &skipped, NULL));
}

static const char *shown(const char *plan, size_t max, struct mgc_buf *out)
{
    mgc_buf_clear(out);
    assert_true(mgc_skipped_print(tmpdir_path, plan, max, out, NULL));
    return mgc_buf_text(out);
}

static void none_is_no_failure(void **state)
{
    struct mgc_buf out = {0};
    (void)state;
    assert_string_equal(shown(NULL, 5, &out), "");
    mgc_buf_destroy(&out);
}

static void last_ones_come_oldest_first(void **state)
{
    struct mgc_buf out = {0};
    (void)state;
    record("nightly", 0, "the bench is \"taken\"");
    record("aa", 60, "no space\nleft");
    record("nightly", 3600, "again");
    assert_string_equal(shown(NULL, 2, &out),
        "1970-01-01T00:01:00Z aa: no space left\n1970-01-01T01:00:00Z nightly: again\n");
    assert_string_equal(shown("nightly", 5, &out),
        "1970-01-01T00:00:00Z nightly: the bench is \"taken\"\n"
        "1970-01-01T01:00:00Z nightly: again\n");
    mgc_buf_destroy(&out);
}

static void lines_that_are_none_of_ours_are_passed_over(void **state)
{
    struct mgc_buf out = {0};
    FILE *file = fopen(tmpdir_file("skipped.jsonl"), "a");
    (void)state;
    assert_non_null(file);
    fputs("\n{\"time\": 1}\n[]\n{\"time\":\"t\",\"plan\":\"p\",\"why\":\"cut", file);
    fclose(file);
    assert_string_equal(shown("nightly", 1, &out), "1970-01-01T01:00:00Z nightly: again\n");
    mgc_buf_destroy(&out);
}

static void place_that_cannot_be_written_to_is_named(void **state)
{
    struct mgc_skipped skipped = {.plan = "p", .run_id = "r", .why = "w"};
    struct mgc_error err;
    (void)state;
    assert_false(mgc_skipped_record(tmpdir_file("skipped.jsonl"), &skipped, &err));
    assert_non_null(strstr(err.text, "skipped.jsonl"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_is_no_failure),
        cmocka_unit_test(last_ones_come_oldest_first),
        cmocka_unit_test(lines_that_are_none_of_ours_are_passed_over),
        cmocka_unit_test(place_that_cannot_be_written_to_is_named),
    };
    return cmocka_run_group_tests(tests, tmpdir_setup, tmpdir_teardown);
}
