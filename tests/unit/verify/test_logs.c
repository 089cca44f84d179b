/* Logs as they come: floods, lines without end, bytes that are no text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "tests/lib/check.h"
#include "tests/unit/verify/fixture.h"

#define CLIENT "mobilegl.client.log"
#define PHONE  "phone-logcat.txt"

static void put_many(const struct fixture *f, const char *name, const char *line, size_t count)
{
    FILE *file = fopen(fixture_path(f, name), "ae");
    assert_non_null(file);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%s\n", line);
    assert_int_equal(fclose(file), 0);
}

static void a_flood_hides_nothing(void **state)
{
    struct fixture f;
    fixture_make(&f, MGC_MODE_BENCHMARK);
    put_many(&f, CLIENT, "MG_Remote client: the barrier for Clear (seq 99) woke; prose", 200000);
    fixture_judge(&f);
    assert_int_equal(f.verdict.state, MGC_VERDICT_MEASURED);
    fixture_append(&f, CLIENT, "MGPipe: Fatal{BarrierTimeout, \"Clear\"}");
    put_many(&f, CLIENT, "MGPipe: Fatal{BarrierTimeout, \"Clear\"} again", 50000);
    fixture_judge(&f);
    assert_string_equal(f.verdict.reason, "fatal-in-log");
    const struct mgc_evidence *fatal = fixture_evidence(&f, "fatal");
    assert_string_equal(fatal->source, CLIENT ":200012");
    assert_string_equal(fatal->seen, "MGPipe: Fatal{BarrierTimeout, \"Clear\"}");
    int64_t count;
    assert_true(mgc_fields_get_int(&f.verdict.metrics, "fatal_lines", &count));
    assert_int_equal(count, 50001);
    fixture_destroy(&f);
}

/* Append a line of 1 MiB with `text` at `offset` and without a newline. */
static void put_long(const struct fixture *f, const char *name, const char *text, size_t offset)
{
    size_t size = (size_t)1 << 20;
    char *line = malloc(size + 1);
    memset(line, 'a', size);
    line[size] = '\0';
    memcpy(line + offset, text, strlen(text));
    FILE *file = fopen(fixture_path(f, name), "ae");
    assert_non_null(file);
    assert_int_equal(fwrite(line, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    free(line);
}

static void a_long_line_hides_nothing(void **state)
{
    static const size_t offsets[] = {0, 4090, 4096, 4093, 8000, 700001, (1 << 20) - 6};
    for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
        struct fixture f;
        fixture_make(&f, MGC_MODE_BENCHMARK);
        put_long(&f, CLIENT, "Fatal{", offsets[i]);
        fixture_judge(&f);
        assert_string_equal(f.verdict.reason, "fatal-in-log");
        int64_t count;
        assert_true(mgc_fields_get_int(&f.verdict.metrics, "fatal_lines", &count));
        assert_int_equal(count, 1); /* a line counts once, however it was cut */
        fixture_destroy(&f);
    }
}

static void a_long_line_alone_is_harmless(void **state)
{
    struct fixture f;
    fixture_make(&f, MGC_MODE_BENCHMARK);
    put_long(&f, CLIENT, "GL_EXT_", 5000);
    put_long(&f, PHONE, "GL_EXT_", 5000);
    fixture_judge(&f);
    assert_int_equal(f.verdict.state, MGC_VERDICT_MEASURED);
    fixture_destroy(&f);
}

static void an_accepted_variable_is_no_marker_to_its_end(void **state)
{
    struct fixture f;
    fixture_make(&f, MGC_MODE_BENCHMARK);
    size_t size = 9000;
    char *line = malloc(size);
    snprintf(line, size, "Accepted env variable: X=%*s Fatal{x} running lockstep", 8000, "");
    fixture_append(&f, CLIENT, line);
    free(line);
    fixture_judge(&f);
    assert_int_equal(f.verdict.state, MGC_VERDICT_MEASURED);
    fixture_destroy(&f);
}

static void line_numbers_of_the_phone_are_the_files(void **state)
{
    struct fixture f;
    fixture_make(&f, MGC_MODE_BENCHMARK); /* three lines, one of them ours */
    put_many(&f, PHONE, "11-30 12:00:02.000 9 9 I Other: x", 10);
    put_many(&f, PHONE, "11-30 12:00:02.000 9 9 E MobileGL: MGPipe: Fatal{X}", 2);
    fixture_judge(&f);
    assert_string_equal(fixture_evidence(&f, "fatal")->source, PHONE ":14");
    assert_string_equal(fixture_evidence(&f, "log " PHONE)->seen, "15 lines");
    fixture_destroy(&f);
}

static void a_long_line_of_the_phone_hides_nothing(void **state)
{
    struct fixture f;
    fixture_make(&f, MGC_MODE_BENCHMARK);
    put_long(&f, PHONE, "11-30 12:00:02.000 9 9 E MobileGL: ", 0);
    fixture_append(&f, PHONE, " MGPipe: Fatal{X}"); /* the end of the same line */
    fixture_judge(&f);
    assert_string_equal(fixture_evidence(&f, "fatal")->source, PHONE ":4");
    assert_string_equal(f.verdict.reason, "fatal-in-log");
    fixture_destroy(&f);
}

static void bytes_that_are_no_text_do_not_matter(void **state)
{
    struct fixture f;
    fixture_make(&f, MGC_MODE_BENCHMARK);
    FILE *file = fopen(fixture_path(&f, CLIENT), "ae");
    for (int i = 0; i < 100000; i++)
        fputc(i * 7919 % 256, file);
    assert_int_equal(fclose(file), 0);
    fixture_judge(&f);
    assert_int_equal(f.verdict.state, MGC_VERDICT_MEASURED);
    fixture_destroy(&f);
}

static long peak_kb(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

/* 200 MB, written block by block; what decides stands in the last line. */
static void a_huge_log_needs_little_memory(void **state)
{
    static char block[1 << 20];
    static const char line[] = "11-30 12:00:02.000  4709  4711 I MobileGL: a frame was drawn\n";
    (void)state;
    struct fixture f;
    fixture_make(&f, MGC_MODE_BENCHMARK);
    size_t used = 0;
    for (; used + sizeof(line) <= sizeof(block); used += sizeof(line) - 1)
        memcpy(block + used, line, sizeof(line) - 1);
    FILE *file = fopen(fixture_path(&f, PHONE), "ae");
    assert_non_null(file);
    for (int i = 0; i < 200; i++)
        assert_int_equal(fwrite(block, 1, used, file), used);
    assert_int_equal(fclose(file), 0);
    fixture_append(
        &f, PHONE, "11-30 12:00:03.000 1 1 E MobileGL: MGPipe: Fatal{RingOverrun, \"x\"}");
    long before_kb = peak_kb();
    fixture_judge(&f);
    assert_string_equal(f.verdict.reason, "fatal-in-log");
    assert_true(peak_kb() - before_kb < 32 * 1024);
    fixture_destroy(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flood_hides_nothing),
        cmocka_unit_test(a_huge_log_needs_little_memory),
        cmocka_unit_test(a_long_line_hides_nothing),
        cmocka_unit_test(a_long_line_alone_is_harmless),
        cmocka_unit_test(an_accepted_variable_is_no_marker_to_its_end),
        cmocka_unit_test(line_numbers_of_the_phone_are_the_files),
        cmocka_unit_test(a_long_line_of_the_phone_hides_nothing),
        cmocka_unit_test(bytes_that_are_no_text_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
