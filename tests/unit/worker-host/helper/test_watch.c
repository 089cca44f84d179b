/* Watches of the real mgdevice: files, directories and processes that come and go. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/worker-host/helper/helper_case.h"

static void test_result_file_each_time(void **state)
{
    struct seen seen = {0};
    write_plainly("old.json", "{}");
    watch(&seen, &(struct mgc_helper_watch){.dir = tmpdir_path});
    assert_int_equal(
        find_event(&seen, MGC_DEVICE_FILE, MGC_DEVICE_FILE_FOUND, "old.json")->size, 2);
    write_plainly("result.json", "abc");
    await(&seen, MGC_DEVICE_FILE, MGC_DEVICE_FILE_CREATED, "result.json");
    assert_int_equal(
        await(&seen, MGC_DEVICE_FILE, MGC_DEVICE_FILE_WRITTEN, "result.json")->size, 3);
    seen.count = 0;
    write_plainly("result.json", "abcdef");
    assert_int_equal(
        await(&seen, MGC_DEVICE_FILE, MGC_DEVICE_FILE_WRITTEN, "result.json")->size, 6);
    seen.count = 0;
    write_file("result.json", "renamed into");
    assert_int_equal(
        await(&seen, MGC_DEVICE_FILE, MGC_DEVICE_FILE_REPLACED, "result.json")->size, 12);
    seen.count = 0;
    unlink(tmpdir_file("result.json"));
    await(&seen, MGC_DEVICE_FILE, MGC_DEVICE_FILE_GONE, "result.json");
}

static void test_only_named_files(void **state)
{
    static const char *const names[] = {"b", NULL};
    struct seen seen = {0};
    watch(&seen, &(struct mgc_helper_watch){.dir = tmpdir_path, .names = names});
    write_plainly("a", "x");
    write_plainly("b", "x");
    await(&seen, MGC_DEVICE_FILE, MGC_DEVICE_FILE_WRITTEN, "b");
    for (size_t i = 0; i < seen.count; i++)
        assert_string_equal(seen.items[i].name, "b");
}

static void test_directory_that_comes_later(void **state)
{
    struct seen seen = {0};
    char dir[MGC_PATH_MAX];
    snprintf(dir, sizeof(dir), "%s", tmpdir_file("app/output"));
    watch(&seen, &(struct mgc_helper_watch){.dir = dir});
    assert_int_equal(seen.count, 0);
    assert_true(mgc_dir_make(dir, 0755, &err));
    write_plainly("app/output/result.json", "12");
    /* Either as found with the directory or as written: the last word has its size. */
    const struct event *last = NULL;
    struct mgc_adb_wait wait = local_wait();
    while (!last || last->size != 2) {
        assert_true(mgc_helper_pump(helper, &wait, &err));
        last = seen.count ? &seen.items[seen.count - 1] : NULL;
    }
    assert_string_equal(last->name, "result.json");
    assert_true(mgc_dir_remove(tmpdir_file("app"), &err));
    await(&seen, MGC_DEVICE_FILE, MGC_DEVICE_FILE_GONE, ""); /* the directory itself */
    seen.count = 0;
    assert_true(mgc_dir_make(dir, 0755, &err));
    write_plainly("app/output/again", "12");
    while (!seen.count)
        assert_true(mgc_helper_pump(helper, &wait, &err));
    assert_string_equal(seen.items[0].name, "again");
}

static pid_t start_sleeper(const char *name)
{
    pid_t pid = fork();
    if (pid == 0) {
        execlp("sleep", name, "1000", (char *)NULL);
        _exit(127);
    }
    assert_true(pid > 0);
    return pid;
}

static void test_death_of_a_process(void **state)
{
    struct seen seen = {0};
    pid_t pid = start_sleeper("sleep");
    watch(&seen, &(struct mgc_helper_watch){.pid = (uint32_t)pid});
    assert_int_equal(find_event(&seen, MGC_DEVICE_PROC, MGC_DEVICE_PROC_FOUND, NULL)->pid, pid);
    kill(pid, SIGKILL); /* a zombie has ended, too: nobody waits for it here yet */
    assert_int_equal(await(&seen, MGC_DEVICE_PROC, MGC_DEVICE_PROC_ENDED, NULL)->pid, pid);
    waitpid(pid, NULL, 0);
}

static void test_pid_that_is_not_there(void **state)
{
    struct seen seen = {0};
    pid_t pid = start_sleeper("sleep");
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    watch(&seen, &(struct mgc_helper_watch){.pid = (uint32_t)pid});
    assert_int_equal(seen.count, 0);
}

static void test_process_of_a_package(void **state)
{
    struct seen seen = {0};
    char package[64];
    snprintf(package, sizeof(package), "org.test.p%d", (int)getpid());
    watch(&seen, &(struct mgc_helper_watch){.package = package, .scan_ms = 20});
    assert_int_equal(seen.count, 0);
    pid_t pid = start_sleeper(package);
    int64_t began_ns = await(&seen, MGC_DEVICE_PROC, MGC_DEVICE_PROC_STARTED, NULL)->mono_ns;
    assert_int_equal(seen.items[0].pid, pid);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    assert_true(await(&seen, MGC_DEVICE_PROC, MGC_DEVICE_PROC_ENDED, NULL)->mono_ns > began_ns);
}

static void test_cancel_ends_a_watch(void **state)
{
    struct seen seen = {0};
    struct mgc_adb_wait wait = local_wait();
    uint32_t id = watch(&seen, &(struct mgc_helper_watch){.dir = tmpdir_path});
    assert_true(mgc_helper_cancel(helper, id, &wait, &err));
    assert_int_equal(seen.items[seen.count - 1].type, MGC_DEVICE_DONE);
    size_t count = seen.count;
    write_plainly("late", "x");
    struct mgc_helper_clock clock;
    assert_true(mgc_helper_clock(helper, &clock, &wait, &err));
    assert_int_equal(seen.count, count);
    assert_true(mgc_helper_cancel(helper, id, &wait, &err)); /* again: no error */
}

static void test_watch_of_a_wrong_place(void **state)
{
    struct mgc_adb_wait wait = local_wait();
    uint32_t id;
    write_plainly("file", "x");
    struct mgc_helper_watch in_file = {.dir = tmpdir_file("file/below")};
    assert_false(mgc_helper_watch(helper, &in_file, NULL, NULL, &id, &wait, &err));
    assert_int_equal(err.code, MGC_E_NOT_FOUND);
    struct mgc_helper_watch relative = {.dir = "relative"};
    assert_false(mgc_helper_watch(helper, &relative, NULL, NULL, &id, &wait, &err));
    assert_int_equal(err.code, MGC_E_USAGE);
    assert_non_null(strstr(err.text, "device test"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DEVICE_TEST(test_result_file_each_time),
        DEVICE_TEST(test_only_named_files),
        DEVICE_TEST(test_directory_that_comes_later),
        DEVICE_TEST(test_death_of_a_process),
        DEVICE_TEST(test_pid_that_is_not_there),
        DEVICE_TEST(test_process_of_a_package),
        DEVICE_TEST(test_cancel_ends_a_watch),
        DEVICE_TEST(test_watch_of_a_wrong_place),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
