/* A full disk: a small tmpfs in a mount namespace of the test's own. */
#include "common/plat/file.h"

#include <stdlib.h>
#include <sys/mount.h>

#include "tests/lib/check.h"
#include "tests/lib/namespace.h"
#include "tests/lib/tmpdir.h"

static void assert_only_old_file(void)
{
    struct mgc_dir_names names = {0};
    assert_true(mgc_dir_list(tmpdir_path, &names, NULL));
    assert_int_equal(names.count, 1);
    assert_string_equal(names.names[0], "file");
    mgc_dir_names_destroy(&names);
    struct mgc_buf buf = {0};
    assert_true(mgc_file_read(tmpdir_file("file"), 100, &buf, NULL));
    assert_string_equal(mgc_buf_text(&buf), "old");
    mgc_buf_destroy(&buf);
}

static void test_write_to_a_full_disk_keeps_the_old_file(void **state)
{
    assert_true(mgc_file_write(tmpdir_file("file"), "old", 3, 0644, NULL));
    size_t len = 1 << 20;
    char *data = calloc(1, len);
    assert_non_null(data);
    struct mgc_error err = {0};
    assert_false(mgc_file_write(tmpdir_file("file"), data, len, 0644, &err));
    assert_int_equal(err.code, MGC_E_NO_SPACE);
    assert_non_null(strstr(err.text, tmpdir_file("file")));
    assert_only_old_file();
    free(data);
}

static void test_copy_to_a_full_disk_keeps_the_old_file(void **state)
{
    struct mgc_error err = {0};
    assert_false(mgc_file_copy("/proc/self/exe", tmpdir_file("file"), 0644, &err));
    assert_int_equal(err.code, MGC_E_NO_SPACE);
    assert_only_old_file();
}

static int mount_small(void **state)
{
    return tmpdir_setup(state) == 0 &&
                   mount("tmpfs", tmpdir_path, "tmpfs", 0, "size=16k,mode=700") == 0
               ? 0
               : -1;
}

static int unmount_small(void **state)
{
    umount2(tmpdir_path, MNT_DETACH);
    return tmpdir_teardown(state);
}

int main(void)
{
    if (!namespace_enter())
        return CHECK_SKIP;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write_to_a_full_disk_keeps_the_old_file),
        cmocka_unit_test(test_copy_to_a_full_disk_keeps_the_old_file),
    };
    return cmocka_run_group_tests(tests, mount_small, unmount_small);
}
