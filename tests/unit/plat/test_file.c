#include "common/plat/file.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/hash.h"
#include "common/base/open.h"
#include "tests/lib/check.h"
#include "tests/lib/tmpdir.h"

enum { LINK_DIRECTORY = 1 }; /* SYMBOLIC_LINK_FLAG_DIRECTORY */

#ifdef _WIN32
#include <windows.h>

#include "common/base/winpath.h"

#ifndef SYMBOLIC_LINK_FLAG_ALLOW_UNPRIVILEGED_CREATE
#define SYMBOLIC_LINK_FLAG_ALLOW_UNPRIVILEGED_CREATE 2
#endif
#endif

static void put(const char *path, const char *text)
{
    struct mgc_error err = {0};
    if (!mgc_file_write(path, text, strlen(text), 0644, &err))
        fail_msg("%s", err.text);
}

static void assert_content(const char *path, const char *want)
{
    struct mgc_buf buf = {0};
    struct mgc_error err = {0};
    if (!mgc_file_read(path, 1 << 20, &buf, &err))
        fail_msg("%s", err.text);
    assert_string_equal(mgc_buf_text(&buf), want);
    mgc_buf_destroy(&buf);
}

static size_t entries(const char *dir)
{
    struct mgc_dir_names names = {0};
    assert_true(mgc_dir_list(dir, &names, NULL));
    size_t count = names.count;
    mgc_dir_names_destroy(&names);
    return count;
}

static void test_read_appends_and_keeps_to_the_limit(void **state)
{
    const char *path = tmpdir_file("read");
    put(path, "0123456789");
    struct mgc_buf buf = {0};
    assert_true(mgc_buf_puts(&buf, "head "));
    assert_true(mgc_file_read(path, 10, &buf, NULL));
    assert_string_equal(mgc_buf_text(&buf), "head 0123456789");

    struct mgc_error err = {0};
    assert_false(mgc_file_read(path, 9, &buf, &err));
    assert_int_equal(err.code, MGC_E_NO_MEMORY);
    assert_non_null(strstr(err.text, path));
    assert_string_equal(mgc_buf_text(&buf), "head 0123456789");
    mgc_buf_destroy(&buf);
}

static void test_read_of_a_file_without_size(void **state)
{
#ifdef _WIN32
    skip(); /* no /proc */
#endif
    struct mgc_buf buf = {0};
    assert_true(mgc_file_read("/proc/self/status", 1 << 20, &buf, NULL));
    assert_non_null(strstr(mgc_buf_text(&buf), "Pid:"));
    mgc_buf_destroy(&buf);
}

#ifndef _WIN32
/* Nobody ever writes into them: whoever waits for that hangs until the test's time limit. */
static void test_only_regular_files_are_read(void **state)
{
    const char *path = tmpdir_file("fifo"), *to = tmpdir_file("copy");
    char hex[MGC_SHA256_HEX_SIZE];
    struct mgc_buf buf = {0};
    struct mgc_error err = {0};
    struct mgc_lock lock = MGC_LOCK_INIT;
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(mgc_file_read(path, 100, &buf, &err));
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, "a FIFO, expected a regular file"));
    assert_false(mgc_sha256_file(path, hex, NULL, &err));
    assert_non_null(strstr(err.text, "a FIFO, expected a regular file"));
    assert_false(mgc_file_copy(path, to, 0644, &err));
    assert_non_null(strstr(err.text, "a FIFO, expected a regular file"));
    assert_false(mgc_lock_take(&lock, path, &err));
    assert_false(mgc_file_read("/dev/tty", 100, &buf, &err));
    assert_false(mgc_file_read("/dev/zero", 100, &buf, &err));
    assert_non_null(strstr(err.text, "expected a regular file"));
    assert_false(mgc_file_read(tmpdir_path, 100, &buf, &err));
    assert_non_null(strstr(err.text, "a directory, expected a regular file"));
    assert_true(mgc_file_remove(path, &err));
    mgc_buf_destroy(&buf);
}
#endif

static void test_absent_file(void **state)
{
    const char *path = tmpdir_file("absent");
    struct mgc_buf buf = {0};
    struct mgc_error err = {0};
    uint64_t size = 77;
    assert_false(mgc_file_exists(path));
    assert_false(mgc_file_read(path, 10, &buf, &err));
    assert_int_equal(err.code, MGC_E_NOT_FOUND);
    assert_false(mgc_file_size(path, &size, &err));
    assert_int_equal(err.code, MGC_E_NOT_FOUND);
    assert_int_equal(size, 77);
    assert_true(mgc_file_remove(path, &err));
    assert_true(mgc_dir_remove(path, &err));
    mgc_buf_destroy(&buf);
}

static void test_write_replaces_and_sets_mode(void **state)
{
    const char *path = tmpdir_file("key");
    put(path, "old");
    size_t before = entries(tmpdir_path);
    assert_true(mgc_file_write(path, "new", 3, 0600, NULL));
    assert_content(path, "new");
#ifndef _WIN32 /* modes are of unix */
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
#endif
    assert_int_equal(entries(tmpdir_path), before);
    uint64_t size;
    assert_true(mgc_file_size(path, &size, NULL));
    assert_int_equal(size, 3);
}

static void test_failed_write_leaves_nothing(void **state)
{
    /* The rename fails: a directory is in the way. */
    assert_true(mgc_dir_make(tmpdir_file("inway/full"), 0755, NULL));
    struct mgc_error err = {0};
    size_t before = entries(tmpdir_path);
    assert_false(mgc_file_write(tmpdir_file("inway"), "x", 1, 0644, &err));
    assert_non_null(strstr(err.text, "inway"));
    assert_int_equal(entries(tmpdir_path), before);
    assert_false(mgc_file_write(tmpdir_file("no/such/dir"), "x", 1, 0644, &err));
    assert_int_equal(err.code, MGC_E_NOT_FOUND);
}

static void test_relative_path(void **state)
{
    char before[MGC_PATH_MAX];
    assert_non_null(getcwd(before, sizeof(before)));
    assert_int_equal(chdir(tmpdir_path), 0);
    put("relative", "r");
    assert_content("relative", "r");
    assert_int_equal(chdir(before), 0);
    assert_content(tmpdir_file("relative"), "r");
}

static void test_copy(void **state)
{
    struct mgc_buf big = {0};
    for (int i = 0; i < 60000; i++)
        assert_true(mgc_buf_printf(&big, "%07d\n", i));
    assert_true(mgc_file_write(tmpdir_file("big"), big.data, big.len, 0644, NULL));
    assert_true(mgc_file_copy(tmpdir_file("big"), tmpdir_file("copy"), 0640, NULL));
    assert_content(tmpdir_file("copy"), big.data);
    mgc_buf_destroy(&big);

    struct mgc_error err = {0};
    assert_false(mgc_file_copy(tmpdir_file("nope"), tmpdir_file("copy2"), 0640, &err));
    assert_int_equal(err.code, MGC_E_NOT_FOUND);
    assert_false(mgc_file_exists(tmpdir_file("copy2")));
    /* Reading a directory fails after the draft was made. */
    size_t before = entries(tmpdir_path);
    assert_false(mgc_file_copy(tmpdir_path, tmpdir_file("copy2"), 0640, &err));
    assert_int_equal(entries(tmpdir_path), before);
}

static void test_rename_and_remove(void **state)
{
    put(tmpdir_file("a"), "a");
    put(tmpdir_file("b"), "b");
    assert_true(mgc_file_rename(tmpdir_file("a"), tmpdir_file("b"), NULL));
    assert_content(tmpdir_file("b"), "a");
    assert_true(mgc_file_remove(tmpdir_file("b"), NULL));
    assert_false(mgc_file_exists(tmpdir_file("b")));
    struct mgc_error err = {0};
    assert_false(mgc_file_rename(tmpdir_file("a"), tmpdir_file("b"), &err));
    assert_int_equal(err.code, MGC_E_NOT_FOUND);
    assert_false(mgc_file_size(tmpdir_path, &(uint64_t){0}, &err));
}

static void test_dir_make(void **state)
{
    static const char *const paths[] = {"d1/d2/d3", "d1/d2/d3", "d1//x/", "d1/d2"};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        struct mgc_error err = {0};
        if (!mgc_dir_make(tmpdir_file(paths[i]), 0755, &err))
            fail_msg("%s: %s", paths[i], err.text);
        assert_true(mgc_file_exists(tmpdir_file(paths[i])));
    }
    put(tmpdir_file("plain"), "");
    struct mgc_error err = {0};
    assert_false(mgc_dir_make(tmpdir_file("plain"), 0755, &err));
    assert_int_equal(err.code, MGC_E_EXISTS);
    assert_false(mgc_dir_make(tmpdir_file("plain/below"), 0755, &err));
    assert_false(mgc_dir_make("", 0755, &err));
}

static void test_dir_list_is_sorted(void **state)
{
    static const char *const want[] = {".hidden", "Z", "a", "b", "c-dir"};
    assert_true(mgc_dir_make(tmpdir_file("list/c-dir"), 0755, NULL));
    put(tmpdir_file("list/b"), "");
    put(tmpdir_file("list/a"), "");
    put(tmpdir_file("list/Z"), "");
    put(tmpdir_file("list/.hidden"), "");
    struct mgc_dir_names names = {0};
    assert_true(mgc_dir_list(tmpdir_file("list"), &names, NULL));
    assert_int_equal(names.count, 5);
    for (size_t i = 0; i < names.count; i++)
        assert_string_equal(names.names[i], want[i]);
    mgc_dir_names_destroy(&names);
    mgc_dir_names_destroy(&names);
    mgc_dir_names_destroy(NULL);
    struct mgc_error err = {0};
    assert_false(mgc_dir_list(tmpdir_file("list/a"), &names, &err));
}

/* `flags` are of CreateSymbolicLinkW. */
static void link_to(const char *target, const char *path, unsigned flags)
{
#ifdef _WIN32
    uint16_t *wide_target = mgc_winpath_new(target), *wide_path = mgc_winpath_new(path);
    assert_true(wide_target && wide_path);
    CreateSymbolicLinkW(
        wide_path, wide_target, flags | SYMBOLIC_LINK_FLAG_ALLOW_UNPRIVILEGED_CREATE);
    DWORD attributes = GetFileAttributesW(wide_path);
    free(wide_target);
    free(wide_path);
    if (attributes == INVALID_FILE_ATTRIBUTES || !(attributes & FILE_ATTRIBUTE_REPARSE_POINT)) {
        print_message("no symbolic links here: Wine 8 only pretends to make them, Windows wants a "
                      "right or the developer mode\n");
        skip();
    }
#else
    assert_int_equal(symlink(target, path), 0);
#endif
}

static void test_dir_remove(void **state)
{
    assert_true(mgc_dir_make(tmpdir_file("whole/x/y"), 0755, NULL));
    put(tmpdir_file("whole/x/file"), "f");
    struct mgc_error err = {0};
    if (!mgc_dir_remove(tmpdir_file("whole"), &err))
        fail_msg("%s", err.text);
    assert_false(mgc_file_exists(tmpdir_file("whole")));
    put(tmpdir_file("no-dir"), "p");
    assert_false(mgc_dir_remove(tmpdir_file("no-dir"), &err));
    assert_content(tmpdir_file("no-dir"), "p");
}

static void test_dir_remove_does_not_follow_links(void **state)
{
    assert_true(mgc_dir_make(tmpdir_file("keep"), 0755, NULL));
    put(tmpdir_file("keep/precious"), "p");
    assert_true(mgc_dir_make(tmpdir_file("tree/x/y"), 0755, NULL));
    put(tmpdir_file("tree/x/file"), "f");
    link_to(tmpdir_file("keep"), tmpdir_file("tree/x/link"), LINK_DIRECTORY);
    link_to(tmpdir_file("keep"), tmpdir_file("toplink"), LINK_DIRECTORY);
    struct mgc_error err = {0};
    if (!mgc_dir_remove(tmpdir_file("tree"), &err))
        fail_msg("%s", err.text);
    assert_false(mgc_file_exists(tmpdir_file("tree")));
    assert_true(mgc_dir_remove(tmpdir_file("toplink"), NULL));
    assert_content(tmpdir_file("keep/precious"), "p");
    assert_false(mgc_dir_remove(tmpdir_file("keep/precious"), &err));
    assert_content(tmpdir_file("keep/precious"), "p");
}

/* What an editor of these names would call Unicode, and a path past the 260 characters of Windows.
 */
static void test_long_paths_and_names_that_are_not_ascii(void **state)
{
    static const char name[] = "\xC3\xA4rger-\xE6\xB5\x8B\xE8\xAF\x95-\xF0\x9F\x93\xB1";
    char path[MGC_PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s", tmpdir_path, name);
    for (int i = 0; i < 12; i++)
        snprintf(path + strlen(path), sizeof(path) - strlen(path), "/%040d", i);
    assert_true(strlen(path) > 500);
    struct mgc_error err = {0};
    if (!mgc_dir_make(path, 0755, &err))
        fail_msg("%s", err.text);
    snprintf(path + strlen(path), sizeof(path) - strlen(path), "/%s", name);
    put(path, "deep");
    assert_content(path, "deep");
    char hex[MGC_SHA256_HEX_SIZE];
    assert_true(mgc_sha256_file(path, hex, NULL, NULL));
    struct mgc_dir_names names = {0};
    assert_true(mgc_dir_list(tmpdir_path, &names, NULL));
    bool found = false;
    for (size_t i = 0; i < names.count; i++)
        found = found || strcmp(names.names[i], name) == 0;
    assert_true(found);
    mgc_dir_names_destroy(&names);
    if (!mgc_dir_remove(tmpdir_file(name), &err))
        fail_msg("%s", err.text);
    assert_false(mgc_file_exists(tmpdir_file(name)));
}

static void test_changed(void **state)
{
    int64_t changed_ns = 0;
    put(tmpdir_file("fresh"), "f");
    assert_true(mgc_file_changed(tmpdir_file("fresh"), &changed_ns, NULL));
    int64_t age_s = (mgc_wall_ns() - changed_ns) / MGC_NS_PER_S;
    assert_true(age_s > -3600 && age_s < 3600);
    assert_true(mgc_file_changed(tmpdir_path, &changed_ns, NULL));
    struct mgc_error err = {0};
    assert_false(mgc_file_changed(tmpdir_file("none"), &changed_ns, &err));
    assert_int_equal(err.code, MGC_E_NOT_FOUND);
}

static void *close_soon(void *arg)
{
    mgc_sleep_ms(50);
    fclose(arg);
    return NULL;
}

/* A reader keeps no writer from its work: Windows replaces no file that is open, so there the
 * writer waits until it is closed. */
static void test_replace_while_open(void **state)
{
    const char *path = tmpdir_file("open");
    put(path, "old");
    FILE *reader = mgc_open_read(path, NULL);
    assert_non_null(reader);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, close_soon, reader), 0);
    put(path, "new");
    pthread_join(thread, NULL);
    assert_content(path, "new");
}

static void test_remove_while_open(void **state)
{
    const char *path = tmpdir_file("gone");
    put(path, "x");
    FILE *reader = mgc_open_read(path, NULL);
    assert_non_null(reader);
    assert_true(mgc_file_remove(path, NULL));
    fclose(reader);
    assert_false(mgc_file_exists(path));
}

static void test_free_bytes(void **state)
{
    uint64_t bytes = 0;
    assert_true(mgc_dir_free_bytes(tmpdir_path, &bytes, NULL));
    assert_true(bytes > 0);
    struct mgc_error err = {0};
    assert_false(mgc_dir_free_bytes(tmpdir_file("none"), &bytes, &err));
    assert_int_equal(err.code, MGC_E_NOT_FOUND);
}

static void test_lock(void **state)
{
    struct mgc_lock first = MGC_LOCK_INIT, second = MGC_LOCK_INIT;
    struct mgc_error err = {0};
    const char *path = tmpdir_file("lock");
    assert_true(mgc_lock_take(&first, path, &err));
    assert_false(mgc_lock_take(&second, path, &err));
    assert_int_equal(err.code, MGC_E_BUSY);
    char want[64];
    snprintf(want, sizeof(want), "held by process %ld", (long)getpid());
    assert_non_null(strstr(err.text, want));
    mgc_lock_release(&first);
    mgc_lock_release(&first);
    assert_true(mgc_lock_take(&second, path, &err));
    mgc_lock_release(&second);
    mgc_lock_release(NULL);
    assert_false(mgc_lock_take(&first, tmpdir_file("no/dir/lock"), &err));
    assert_int_equal(err.code, MGC_E_NOT_FOUND);
}

static void test_public_lock(void **state)
{
    (void)state;
    struct mgc_lock first = MGC_LOCK_INIT, second = MGC_LOCK_INIT;
    struct mgc_error err = {0};
    struct mgc_buf text = {0};
    const char *path = tmpdir_file("public");
    assert_true(mgc_lock_take_public(&first, path, &err));
#ifndef _WIN32
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0666);
#endif
    assert_true(mgc_lock_note(&first, "who = me\n", &err));
    assert_false(mgc_lock_take_public(&second, path, &err));
    assert_int_equal(err.code, MGC_E_BUSY);
    assert_true(mgc_file_read(path, 100, &text, NULL));
    assert_non_null(strstr(mgc_buf_text(&text), "\nwho = me\n"));
    mgc_buf_clear(&text);
    assert_true(mgc_lock_note(&first, "", &err));
    mgc_lock_release(&first);
    assert_true(mgc_file_read(path, 100, &text, NULL));
    assert_int_equal(text.len, 0);
    assert_true(mgc_lock_take_public(&second, path, &err));
    mgc_lock_release(&second);
    mgc_buf_destroy(&text);
}

static void test_public_lock_refuses_a_link(void **state)
{
    struct mgc_lock lock = MGC_LOCK_INIT;
    struct mgc_error err = {0};
    put(tmpdir_file("target"), "");
    link_to(tmpdir_file("target"), tmpdir_file("link"), 0);
    assert_false(mgc_lock_take_public(&lock, tmpdir_file("link"), &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_appends_and_keeps_to_the_limit),
        cmocka_unit_test(test_read_of_a_file_without_size),
#ifndef _WIN32
        cmocka_unit_test(test_only_regular_files_are_read),
#endif
        cmocka_unit_test(test_absent_file),
        cmocka_unit_test(test_write_replaces_and_sets_mode),
        cmocka_unit_test(test_failed_write_leaves_nothing),
        cmocka_unit_test(test_relative_path),
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_rename_and_remove),
        cmocka_unit_test(test_dir_make),
        cmocka_unit_test(test_dir_list_is_sorted),
        cmocka_unit_test(test_dir_remove),
        cmocka_unit_test(test_dir_remove_does_not_follow_links),
        cmocka_unit_test(test_long_paths_and_names_that_are_not_ascii),
        cmocka_unit_test(test_changed),
        cmocka_unit_test(test_replace_while_open),
        cmocka_unit_test(test_remove_while_open),
        cmocka_unit_test(test_free_bytes),
        cmocka_unit_test(test_lock),
        cmocka_unit_test(test_public_lock),
        cmocka_unit_test(test_public_lock_refuses_a_link),
    };
    return cmocka_run_group_tests(tests, tmpdir_setup, tmpdir_teardown);
}
