/* meta.txt and verify.txt of the old scripts, whole, short, damaged. */
#include <stdlib.h>
#include <string.h>

#include "coordinator/legacy/parse.h"
#include "tests/lib/check.h"

static struct mgc_fields meta(const char *text)
{
    struct mgc_fields fields;
    struct mgc_error err = {0};
    if (!mgc_old_meta_parse(text, strlen(text), &fields, &err))
        fail_msg("%s: %s", text, err.text);
    return fields;
}

static void text_is(const struct mgc_fields *fields, const char *name, const char *expected)
{
    const char *text = mgc_fields_get_str(fields, name);
    if (!text || !expected)
        assert_ptr_equal(text, expected);
    else
        assert_string_equal(text, expected);
}

static void number_is(const struct mgc_fields *fields, const char *name, int64_t expected)
{
    int64_t value;
    assert_true(mgc_fields_get_int(fields, name, &value));
    assert_int_equal(value, expected);
}

static void the_whole_form(void **state)
{
    struct mgc_fields f =
        meta("arm=tcp rep=1 workload=openra duration_s=31 battery_temp_dc=312 status=finished "
             "passed=true mode=benchmark\r\n--- am start ---\r\narm=shm rep=9\r\n");
    text_is(&f, "arm", "tcp");
    text_is(&f, "rep", "1");
    text_is(&f, "mode", "benchmark");
    number_is(&f, "duration_s", 31);
    number_is(&f, "battery_temp_dc", 312);
    assert_int_equal(f.count, 8);
    mgc_fields_destroy(&f);
}

static void the_short_form(void **state)
{
    struct mgc_fields f =
        meta("arm=tcp rep=ssim workload=rd12 duration_s=30 listening_wait_s=30\n");
    number_is(&f, "listening_wait_s", 30);
    text_is(&f, "status", NULL);
    text_is(&f, "mode", NULL);
    mgc_fields_destroy(&f);
}

static void the_form_of_p14(void **state)
{
    struct mgc_fields f = meta("tag=base wl=openra backend=DirectVulkan arm=shm@p14 rep=2 mode=run "
                               "status=finished passed=true dur=14 temp0=31 temp1=33");
    text_is(&f, "workload", "openra");
    text_is(&f, "backend", "DirectVulkan");
    text_is(&f, "temp1", "33");
    number_is(&f, "duration_s", 14);
    mgc_fields_destroy(&f);
}

static void what_has_no_value_is_absent(void **state)
{
    struct mgc_fields f = meta("arm=tcp rep=1 duration_s= battery_temp_dc=hot status= passed=\xff "
                               "mode=a\x01"
                               "b rep=2 arm=shm other=1 == =x");
    assert_int_equal(f.count, 2);
    text_is(&f, "arm", "tcp");
    text_is(&f, "rep", "1");
    mgc_fields_destroy(&f);
}

static void no_meta_at_all(void **state)
{
    static const char *const texts[] = {"", "\n", "arm=", "No such file", "arm=tcp", "rep=1",
        "\narm=tcp rep=1\n",
        ("\xff\xfe"
         "a\0r")};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct mgc_fields f;
        struct mgc_error err = {0};
        assert_false(mgc_old_meta_parse(texts[i], strlen(texts[i]), &f, &err));
        assert_int_equal(err.code, MGC_E_PROTOCOL);
        assert_int_equal(f.count, 0);
    }
}

static void verify_of_run_matrix(void **state)
{
    static const char text[] = "arm=shm\r\nTRANSPORT_MARKER=spawn:OK\r\n"
                               "SECOND_PROCESS_SPAWN_ARMED=OK: [x] reached at \"@a=b\"\r\n"
                               "LOCKSTEP_WARNING=absent\nnot a line\nlower=1\nFATAL_LINES=2";
    struct mgc_fields f;
    assert_true(mgc_old_verify_parse(text, strlen(text), &f, NULL));
    text_is(&f, "arm", "shm");
    text_is(&f, "TRANSPORT_MARKER", "spawn:OK");
    text_is(&f, "SECOND_PROCESS_SPAWN_ARMED", "OK: [x] reached at \"@a=b\"");
    text_is(&f, "FATAL_LINES", "2");
    assert_int_equal(f.count, 5);
    mgc_fields_destroy(&f);
}

static void verify_of_p14(void **state)
{
    static const char text[] =
        "arm=tcp backend=DirectGLES\nBACKEND=OK\nARM=OK(tcp)\nRUN_AHEAD=OK\n";
    struct mgc_fields f;
    assert_true(mgc_old_verify_parse(text, strlen(text), &f, NULL));
    text_is(&f, "backend", "DirectGLES");
    text_is(&f, "ARM", "OK(tcp)");
    mgc_fields_destroy(&f);
}

/* Every cut, and a byte of every kind in every place: never a crash, never a longer list. */
static void damaged_in_every_place(void **state)
{
    static const char text[] = "arm=tcp rep=1 workload=openra duration_s=31 status=finished\nA=b\n";
    static const unsigned char bytes[] = {0, '\n', '\r', ' ', '=', 0xff, 'A'};
    for (size_t i = 0; i < sizeof(text); i++) {
        for (size_t b = 0; b < sizeof(bytes); b++) {
            char *copy = malloc(sizeof(text)); /* of its own size: sanitizers see a step beyond */
            struct mgc_fields f = {0};
            memcpy(copy, text, sizeof(text));
            copy[i] = (char)bytes[b];
            mgc_old_meta_parse(copy, i + 1, &f, NULL);
            assert_true(f.count <= 5);
            mgc_fields_destroy(&f);
            mgc_old_verify_parse(copy, sizeof(text), &f, NULL);
            assert_true(f.count <= MGC_OLD_KEYS_MAX);
            mgc_fields_destroy(&f);
            free(copy);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_whole_form),
        cmocka_unit_test(the_short_form),
        cmocka_unit_test(the_form_of_p14),
        cmocka_unit_test(what_has_no_value_is_absent),
        cmocka_unit_test(no_meta_at_all),
        cmocka_unit_test(verify_of_run_matrix),
        cmocka_unit_test(verify_of_p14),
        cmocka_unit_test(damaged_in_every_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
