/* Files by the real mgdevice: removed, read back, put there. */
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/worker-host/helper/helper_case.h"

static unsigned state_of(const struct seen *seen, const char *name)
{
    for (size_t i = 0; i < seen->count; i++)
        if (strcmp(seen->items[i].name, name) == 0)
            return seen->items[i].state;
    return 0;
}

static void test_remove(void **state)
{
    static const char *const names[] = {
        "result.json", "nothing", "mgl.*.log", "*.none", "output/", "folder", NULL};
    struct seen seen = {0};
    struct mgc_adb_wait wait = local_wait();
    write_plainly("result.json", "12345");
    write_plainly("mgl.client.log", "x");
    write_plainly("mgl.server.log", "x");
    write_plainly("keep.log", "x");
    assert_true(mgc_dir_make(tmpdir_file("output/deep/er"), 0755, &err));
    assert_true(mgc_dir_make(tmpdir_file("folder"), 0755, &err));
    write_plainly("output/deep/file", "x");
    assert_int_equal(symlink(tmpdir_path, tmpdir_file("output/link")), 0);
    if (!mgc_helper_remove(helper, tmpdir_path, names, on_event, &seen, &wait, &err))
        fail_msg("%s", err.text);
    assert_int_equal(state_of(&seen, "result.json"), MGC_DEVICE_PRESENT);
    assert_int_equal(seen.items[0].size, 5);
    assert_int_equal(state_of(&seen, "nothing"), MGC_DEVICE_ABSENT);
    assert_int_equal(state_of(&seen, "mgl.client.log"), MGC_DEVICE_PRESENT);
    assert_int_equal(state_of(&seen, "mgl.server.log"), MGC_DEVICE_PRESENT);
    assert_int_equal(state_of(&seen, "*.none"), MGC_DEVICE_ABSENT);
    assert_int_equal(state_of(&seen, "output/"), MGC_DEVICE_PRESENT);
    assert_int_equal(state_of(&seen, "folder"), MGC_DEVICE_UNUSABLE); /* no "/": no tree is meant */
    assert_false(mgc_file_exists(tmpdir_file("output")));
    assert_true(mgc_file_exists(tmpdir_file("keep.log"))); /* the link was not followed */
}

static void test_remove_stays_below(void **state)
{
    static const char *const names[] = {"../x", NULL};
    struct mgc_adb_wait wait = local_wait();
    assert_false(mgc_helper_remove(helper, tmpdir_path, names, NULL, NULL, &wait, &err));
    assert_int_equal(err.code, MGC_E_USAGE);
}

static void test_read_files(void **state)
{
    struct mgc_buf into = {0}, big = {0};
    struct mgc_adb_wait wait = local_wait();
    char local[MGC_PATH_MAX], want[MGC_SHA256_HEX_SIZE];
    for (int i = 0; i < 300000; i++)
        mgc_buf_printf(&big, "%d\n", i);
    assert_true(mgc_file_write(tmpdir_file("big"), big.data, big.len, 0644, &err));
    write_plainly("small", "hello");
    write_plainly("empty", "");
    snprintf(local, sizeof(local), "%s", tmpdir_file("local"));
    struct mgc_helper_file files[] = {{.name = "big", .local = local},
        {.name = "small", .into = &into}, {.name = "absent", .into = &into}, {.name = "big"},
        {.name = "empty", .into = &into}, {.name = "."}, {.name = "absent"}};
    if (!mgc_helper_read(helper, tmpdir_path, files, 7, 1 << 30, &wait, &err))
        fail_msg("%s", err.text);
    assert_true(mgc_sha256_file(local, want, NULL, &err));
    assert_string_equal(files[0].sha256, want);
    assert_string_equal(files[3].sha256, want);
    assert_int_equal(files[0].size_bytes, big.len);
    assert_int_equal(files[0].state, MGC_DEVICE_PRESENT);
    assert_string_equal(mgc_buf_text(&into), "hello");
    assert_int_equal(files[2].state, MGC_DEVICE_ABSENT);
    assert_int_equal(files[4].state, MGC_DEVICE_PRESENT);
    assert_int_equal(files[4].size_bytes, 0);
    assert_int_equal(files[5].state, MGC_DEVICE_UNUSABLE);
    assert_int_equal(files[6].state, MGC_DEVICE_ABSENT);
    mgc_buf_destroy(&into);
    mgc_buf_destroy(&big);
}

static void test_read_up_to_a_limit(void **state)
{
    struct mgc_adb_wait wait = local_wait();
    struct mgc_buf into = {0};
    write_plainly("five", "12345");
    struct mgc_helper_file files[] = {{.name = tmpdir_file("five"), .into = &into}};
    assert_true(mgc_helper_read(helper, NULL, files, 1, 4, &wait, &err));
    assert_int_equal(files[0].state, MGC_DEVICE_TOO_LARGE);
    assert_int_equal(files[0].size_bytes, 5);
    assert_int_equal(into.len, 0);
    assert_true(mgc_helper_read(helper, NULL, files, 1, 5, &wait, &err));
    assert_int_equal(files[0].state, MGC_DEVICE_PRESENT);
    mgc_buf_destroy(&into);
}

static int64_t first_sent, last_sent;

static void on_sent(void *ctx, int64_t bytes)
{
    (void)ctx;
    if (first_sent < 0)
        first_sent = bytes;
    last_sent = bytes;
}

static bool put_file(const char *from, const char *to, unsigned mode)
{
    struct mgc_adb_wait wait = local_wait();
    struct mgc_helper_put put = {.local = from, .path = to, .mode = mode, .sent = on_sent};
    first_sent = last_sent = -1;
    return mgc_helper_put(helper, &put, &wait, &err);
}

static void test_put(void **state)
{
    struct mgc_buf big = {0};
    char from[MGC_PATH_MAX], to[MGC_PATH_MAX], hash[2][MGC_SHA256_HEX_SIZE];
    for (int i = 0; i < 100000; i++)
        mgc_buf_printf(&big, "%d\n", i);
    snprintf(from, sizeof(from), "%s", tmpdir_file("from"));
    snprintf(to, sizeof(to), "%s", tmpdir_file("to"));
    assert_true(mgc_file_write(from, big.data, big.len, 0644, &err));
    /* Half of it is there from an earlier try. */
    assert_true(mgc_file_write(tmpdir_file("to.part"), big.data, big.len / 2, 0644, &err));
    if (!put_file(from, to, 0640))
        fail_msg("%s", err.text);
    assert_true(mgc_sha256_file(from, hash[0], NULL, &err));
    assert_true(mgc_sha256_file(to, hash[1], NULL, &err));
    assert_string_equal(hash[0], hash[1]);
    struct stat st;
    assert_int_equal(stat(to, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    assert_false(mgc_file_exists(tmpdir_file("to.part")));
    assert_int_equal(first_sent, big.len / 2);
    assert_int_equal(last_sent, big.len);
    mgc_buf_destroy(&big);
}

static void test_put_of_a_wrong_part_and_place(void **state)
{
    char from[MGC_PATH_MAX], to[MGC_PATH_MAX];
    snprintf(from, sizeof(from), "%s", tmpdir_file("from"));
    snprintf(to, sizeof(to), "%s", tmpdir_file("to"));
    write_plainly("from", "right content");
    write_plainly("to.part", "wrong");
    assert_false(put_file(from, to, 0644));
    assert_int_equal(err.code, MGC_E_INTEGRITY);
    assert_false(mgc_file_exists(to));
    assert_true(put_file(from, to, 0644)); /* the wrong part is gone */
    assert_false(put_file(from, tmpdir_file("no/where"), 0644));
    assert_int_equal(err.code, MGC_E_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DEVICE_TEST(test_remove),
        DEVICE_TEST(test_remove_stays_below),
        DEVICE_TEST(test_read_files),
        DEVICE_TEST(test_read_up_to_a_limit),
        DEVICE_TEST(test_put),
        DEVICE_TEST(test_put_of_a_wrong_part_and_place),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
