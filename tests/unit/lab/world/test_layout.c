#include "lab/world/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/plat/file.h"
#include "tests/lib/check.h"

static void names_lie_below_the_state_directory(void **state)
{
    struct mgc_lab_layout layout;
    assert_true(mgc_lab_layout_fill(&layout, "/var/lab", "/opt/bin", NULL));
    assert_string_equal(layout.state, "/var/lab");
    assert_string_equal(layout.bin, "/opt/bin");
    assert_string_equal(layout.site, "/var/lab/site.yaml");
    assert_string_equal(layout.lab_json, "/var/lab/lab.json");
    assert_string_equal(layout.fixtures, "/var/lab/fixtures");
}

static void relative_names_become_absolute(void **state)
{
    struct mgc_lab_layout layout;
    assert_int_equal(chdir("/tmp"), 0);
    assert_true(mgc_lab_layout_fill(&layout, "lab", "bin", NULL));
    assert_string_equal(layout.state, "/tmp/lab");
    assert_string_equal(layout.bin, "/tmp/bin");
}

static void the_default_follows_the_environment(void **state)
{
    struct mgc_lab_layout layout;
    struct mgc_error err = {0};
    setenv("XDG_STATE_HOME", "/x/state", 1);
    assert_true(mgc_lab_layout_fill(&layout, NULL, "/b", NULL));
    assert_string_equal(layout.state, "/x/state/mglab/default");
    setenv("XDG_STATE_HOME", "relative", 1); /* the standard says: ignore */
    setenv("HOME", "/home/a", 1);
    assert_true(mgc_lab_layout_fill(&layout, NULL, "/b", NULL));
    assert_string_equal(layout.state, "/home/a/.local/state/mglab/default");
    unsetenv("HOME");
    assert_false(mgc_lab_layout_fill(&layout, NULL, "/b", &err));
    assert_int_equal(err.code, MGC_E_USAGE);
}

static void a_path_that_is_too_long_is_refused(void **state)
{
    struct mgc_lab_layout layout;
    struct mgc_error err = {0};
    char path[MGC_LAB_PATH_MAX];
    memset(path, 'a', sizeof path - 1);
    path[0] = '/';
    path[sizeof path - 1] = '\0';
    assert_false(mgc_lab_layout_fill(&layout, path, "/b", &err));
    assert_int_equal(err.code, MGC_E_USAGE);
}

static void programs_are_found_installed_or_built(void **state)
{
    char dir[] = "/tmp/mglab-layout-XXXXXX", path[MGC_LAB_PATH_MAX], want[MGC_LAB_PATH_MAX];
    struct mgc_lab_layout layout;
    struct mgc_error err = {0};
    assert_non_null(mkdtemp(dir));
    assert_true(mgc_lab_layout_fill(&layout, "/var/lab", dir, NULL));
    assert_false(mgc_lab_layout_find(&layout, "mgphone", path, &err));
    assert_int_equal(err.code, MGC_E_NOT_FOUND);
    assert_non_null(strstr(err.text, "mgphone"));
    snprintf(want, sizeof want, "%s/lab/phone", dir);
    assert_true(mgc_dir_make(want, 0755, NULL));
    snprintf(want, sizeof want, "%s/lab/phone/mgphone", dir);
    assert_true(mgc_file_write(want, "", 0, 0755, NULL));
    assert_true(mgc_lab_layout_find(&layout, "mgphone", path, NULL));
    assert_string_equal(path, want);
    snprintf(want, sizeof want, "%s/mgphone", dir);
    assert_true(mgc_file_write(want, "", 0, 0755, NULL));
    assert_true(mgc_lab_layout_find(&layout, "mgphone", path, NULL));
    assert_string_equal(path, want);
    assert_true(mgc_dir_remove(dir, NULL));
}

static void test_paths_that_are_none(void **state)
{
    static const char *const paths[] = {"", "new\nline", "bell\a", "/var/\x7f"};
    struct mgc_lab_layout layout;
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        struct mgc_error err = {0};
        assert_false(mgc_lab_layout_fill(&layout, paths[i], "/b", &err));
        assert_int_equal(err.code, MGC_E_USAGE);
        assert_non_null(strstr(err.text, "the state path"));
        assert_false(mgc_lab_layout_fill(&layout, "/s", paths[i], &err));
        assert_non_null(strstr(err.text, "the bin path"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths_that_are_none),
        cmocka_unit_test(names_lie_below_the_state_directory),
        cmocka_unit_test(relative_names_become_absolute),
        cmocka_unit_test(the_default_follows_the_environment),
        cmocka_unit_test(a_path_that_is_too_long_is_refused),
        cmocka_unit_test(programs_are_found_installed_or_built),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
