#include "lab/link/settings.h"

#include <string.h>

#include "common/base/path.h"
#include "common/plat/file.h"
#include "tests/lib/check.h"
#include "tests/lib/tmpdir.h"

static void a_knob_changes_what_it_names_and_nothing_else(void **state)
{
    struct mgc_lab_link_settings settings = {0};
    assert_true(mgc_lab_link_knob_apply(&settings, "link-profile", "wifi", NULL));
    int64_t jitter = settings.profile.jitter_ns;
    assert_true(mgc_lab_link_knob_apply(&settings, "link-delay-ms", "40", NULL));
    assert_true(mgc_lab_link_knob_apply(&settings, "link-rate-mbit", "10", NULL));
    assert_int_equal(settings.profile.delay_ns, 40000000);
    assert_int_equal(settings.profile.rate_bps, 10000000);
    assert_int_equal(settings.profile.wake_ns, 0);
    assert_int_equal(settings.profile.jitter_ns, jitter);
    assert_false(settings.cut);
    assert_true(mgc_lab_link_knob_apply(&settings, "link-cut", "5s", NULL));
    assert_true(settings.cut);
}

static void a_bad_value_is_named_and_changes_nothing(void **state)
{
    static const char *const bad[][2] = {{"link-profile", "wlan"}, {"link-delay-ms", "-1"},
        {"link-delay-ms", "5001"}, {"link-rate-mbit", "0"}, {"link-cut", "soon"}};
    struct mgc_lab_link_settings settings = {0}, before = {0};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct mgc_error err = {0};
        assert_true(mgc_lab_link_knob_known(bad[i][0]));
        assert_false(mgc_lab_link_knob_apply(&settings, bad[i][0], bad[i][1], &err));
        assert_int_equal(err.code, MGC_E_USAGE);
        assert_non_null(strstr(err.text, bad[i][0]));
        assert_non_null(strstr(err.text, bad[i][1]));
    }
    assert_memory_equal(&settings, &before, sizeof settings);
    assert_false(mgc_lab_link_knob_known("proxy-mode"));
    assert_false(mgc_lab_link_knob_apply(&settings, "proxy-mode", "drop", NULL));
}

static void put(const char *dir, const char *name, const char *value)
{
    char path[MGC_PATH_MAX];
    assert_true(mgc_path_join(path, sizeof path, dir, name));
    assert_true(mgc_file_write(path, value, strlen(value), 0644, NULL));
}

/* The profile of the command line, another one by knob, and a knob on top of that. */
static void files_are_applied_profile_first(void **state)
{
    struct mgc_lab_link_settings settings = {0};
    const char *dir = tmpdir_path;
    assert_true(mgc_lab_link_settings_read("ethernet", dir, &settings, NULL));
    assert_int_equal(settings.profile.rate_bps, 1000000000);
    put(dir, "link-delay-ms", "7");
    put(dir, "link-profile", "wan40");
    assert_true(mgc_lab_link_settings_read("ethernet", dir, &settings, NULL));
    assert_int_equal(settings.profile.rate_bps, 100000000);
    assert_int_equal(settings.profile.delay_ns, 7000000);
}

static void the_queue_grows_with_rate_and_delay(void **state)
{
    struct mgc_lab_link_settings settings = {0};
    assert_true(mgc_lab_link_settings_read("ethernet", tmpdir_path, &settings, NULL));
    assert_int_equal(settings.profile.queue_bytes, 1024 * 1024);
    put(tmpdir_path, "link-delay-ms", "40");
    put(tmpdir_path, "link-rate-mbit", "400");
    assert_true(mgc_lab_link_settings_read("ethernet", tmpdir_path, &settings, NULL));
    assert_int_equal(settings.profile.queue_bytes, 8000000); /* 2 x 400 Mbit/s x 80 ms */
}

static void a_bad_file_is_refused_and_the_old_settings_stay(void **state)
{
    struct mgc_lab_link_settings settings = {.cut = true};
    struct mgc_error err = {0};
    put(tmpdir_path, "link-profile", "moon");
    assert_false(mgc_lab_link_settings_read("ethernet", tmpdir_path, &settings, &err));
    assert_non_null(strstr(err.text, "moon"));
    assert_true(settings.cut);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_knob_changes_what_it_names_and_nothing_else),
        cmocka_unit_test(a_bad_value_is_named_and_changes_nothing),
        cmocka_unit_test_setup_teardown(
            files_are_applied_profile_first, tmpdir_setup, tmpdir_teardown),
        cmocka_unit_test_setup_teardown(
            the_queue_grows_with_rate_and_delay, tmpdir_setup, tmpdir_teardown),
        cmocka_unit_test_setup_teardown(
            a_bad_file_is_refused_and_the_old_settings_stay, tmpdir_setup, tmpdir_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
