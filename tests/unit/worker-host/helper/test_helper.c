/* The client against the real mgdevice: calls, events, and what goes wrong between the two. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/lib/check.h"
#include "tests/lib/tmpdir.h"
#include "tests/unit/worker-host/helper/local_link.h"

static struct mgc_helper *helper;
static pid_t device;
static struct mgc_error err;

static int start(void **state)
{
    tmpdir_setup(state);
    err = (struct mgc_error){0};
    helper = local_helper(&device);
    return 0;
}

static int stop(void **state)
{
    mgc_helper_free(helper);
    helper = NULL;
    return tmpdir_teardown(state);
}

/* --- what a callback saw ---------------------------------------------------------------------- */

struct event {
    unsigned type, what, state;
    int64_t pid, size, inode, mono_ns;
    char name[64];
};

struct seen {
    struct event items[256];
    size_t count;
};

static void on_event(void *ctx, const struct mgc_device_msg *msg)
{
    struct seen *seen = ctx;
    assert_true(seen->count < 256);
    struct event *event = &seen->items[seen->count++];
    *event = (struct event){.type = msg->type};
    if (msg->type == MGC_DEVICE_FILE) {
        event->what = msg->file.what;
        event->size = msg->file.size_bytes;
        event->inode = msg->file.inode;
        event->mono_ns = msg->file.mono_ns;
        snprintf(event->name, sizeof(event->name), "%s", msg->file.name);
    } else if (msg->type == MGC_DEVICE_PROC) {
        event->what = msg->proc.what;
        event->pid = msg->proc.pid;
        event->mono_ns = msg->proc.mono_ns;
        snprintf(event->name, sizeof(event->name), "%s", msg->proc.cmdline);
    } else if (msg->type == MGC_DEVICE_REMOVED) {
        event->state = msg->removed.state;
        event->size = msg->removed.size_bytes;
        snprintf(event->name, sizeof(event->name), "%s", msg->removed.name);
    }
}

static const struct event *find_event(
    const struct seen *seen, unsigned type, unsigned what, const char *name)
{
    for (size_t i = 0; i < seen->count; i++) {
        const struct event *event = &seen->items[i];
        if (event->type == type && event->what == what && (!name || strcmp(event->name, name) == 0))
            return event;
    }
    return NULL;
}

static const struct event *await(struct seen *seen, unsigned type, unsigned what, const char *name)
{
    struct mgc_adb_wait wait = local_wait();
    const struct event *event;
    while (!(event = find_event(seen, type, what, name)))
        if (!mgc_helper_pump(helper, &wait, &err))
            fail_msg("no event %u %u %s: %s", type, what, name ? name : "", err.text);
    return event;
}

static void write_file(const char *name, const char *text)
{
    assert_true(mgc_file_write(tmpdir_file(name), text, strlen(text), 0644, &err));
}

/* As a program writes, without a rename. */
static void write_plainly(const char *name, const char *text)
{
    FILE *file = fopen(tmpdir_file(name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static uint32_t watch(struct seen *seen, const struct mgc_helper_watch *what)
{
    uint32_t id = 0;
    struct mgc_adb_wait wait = local_wait();
    if (!mgc_helper_watch(helper, what, on_event, seen, &id, &wait, &err))
        fail_msg("%s", err.text);
    return id;
}

/* --- tests ------------------------------------------------------------------------------------ */

static void test_welcome(void **state)
{
    const struct mgc_helper_facts *facts = mgc_helper_facts(helper);
    assert_int_equal(facts->protocol, MGC_DEVICE_PROTOCOL);
    assert_string_equal(facts->build, MGC_VERSION);
    assert_int_equal(facts->pid, device);
    assert_int_equal(facts->uid, getuid());
    assert_int_equal(strlen(facts->boot_id), 36);
    assert_true(facts->mono_ns > 0 && facts->boottime_ns > 0);
}

static void test_clock(void **state)
{
    struct mgc_helper_clock clock;
    struct mgc_adb_wait wait = local_wait();
    assert_true(mgc_helper_clock(helper, &clock, &wait, &err));
    assert_true(clock.t1_ns <= clock.t2_ns); /* the same clock here */
    assert_true(clock.t2_ns <= clock.t3_ns);
    assert_true(clock.t3_ns <= clock.t4_ns);
}

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

struct rows {
    unsigned count, values, unreadable, ends, missed;
    uint32_t said_rows;
    int64_t last_due_ns, cost_us;
};

static void on_row(void *ctx, const struct mgc_device_msg *msg)
{
    struct rows *rows = ctx;
    const char *item = NULL, *text;
    int errnum;
    if (msg->type == MGC_DEVICE_SAMPLE_END) {
        rows->ends++;
        rows->said_rows = msg->sample_end.rows;
        rows->cost_us = msg->sample_end.user_us + msg->sample_end.sys_us;
    }
    if (msg->type != MGC_DEVICE_ROW)
        return;
    assert_int_equal(msg->row.row, rows->count++);
    assert_true(msg->row.due_ns > rows->last_due_ns);
    assert_true(msg->row.begin_ns >= msg->row.due_ns);
    rows->last_due_ns = msg->row.due_ns;
    rows->missed += msg->row.missed;
    while ((item = mgc_device_list_next(&msg->row.values, item))) {
        if (mgc_device_value(item, &text, &errnum))
            rows->values += strlen(text) > 0;
        else
            rows->unreadable += errnum == ENOENT;
    }
}

static void test_sample(void **state)
{
    static const char *const nodes[] = {
        "/proc/uptime", "/proc/no/such/node", "/proc/loadavg", NULL};
    struct rows rows = {0};
    struct mgc_adb_wait wait = local_wait();
    uint32_t id;
    assert_true(mgc_helper_sample(helper, nodes, 20, 3, on_row, &rows, &id, &wait, &err));
    while (!rows.ends)
        assert_true(mgc_helper_pump(helper, &wait, &err));
    assert_int_equal(rows.count, 3);
    assert_int_equal(rows.said_rows, 3);
    assert_int_equal(rows.values, 6);
    assert_int_equal(rows.unreadable, 3);
    rows = (struct rows){0};
    assert_true(mgc_helper_sample(helper, nodes, 20, 0, on_row, &rows, &id, &wait, &err));
    while (rows.count < 2)
        assert_true(mgc_helper_pump(helper, &wait, &err));
    assert_true(mgc_helper_cancel(helper, id, &wait, &err));
    assert_int_equal(rows.ends, 1);
    assert_int_equal(rows.said_rows, rows.count);
}

/* Far from the next one that is due, and each twice as far from the one before. */
static void test_sample_now(void **state)
{
    static const char *const nodes[] = {"/proc/uptime", NULL};
    struct rows rows = {0};
    struct mgc_adb_wait wait = local_wait();
    uint32_t id;
    assert_true(mgc_helper_sample(helper, nodes, 3600000, 0, on_row, &rows, &id, &wait, &err));
    while (rows.count < 1)
        assert_true(mgc_helper_pump(helper, &wait, &err));
    assert_true(mgc_helper_sample_now(helper, id, 1, 0, &wait, &err));
    assert_int_equal(rows.count, 2); /* before the answer */
    assert_true(mgc_helper_sample_now(helper, id, 3, 10, &wait, &err));
    int64_t first_ns = rows.last_due_ns;
    while (rows.count < 5)
        assert_true(mgc_helper_pump(helper, &wait, &err));
    assert_int_equal(rows.last_due_ns - first_ns, 30 * MGC_NS_PER_MS);
    assert_true(mgc_helper_cancel(helper, id, &wait, &err));
    assert_int_equal(rows.said_rows, 5);
    assert_int_equal(rows.missed, 0);
}

/* What is still to come of one call ends with the next. */
static void test_sample_now_once_more(void **state)
{
    static const char *const nodes[] = {"/proc/uptime", NULL};
    struct rows rows = {0};
    struct mgc_adb_wait wait = local_wait();
    uint32_t id;
    assert_true(mgc_helper_sample(helper, nodes, 3600000, 0, on_row, &rows, &id, &wait, &err));
    assert_true(mgc_helper_sample_now(helper, id, 16, 60000, &wait, &err));
    assert_true(mgc_helper_sample_now(helper, id, 1, 0, &wait, &err));
    assert_true(mgc_helper_cancel(helper, id, &wait, &err));
    assert_true(rows.count == 2 || rows.count == 3); /* with the one that was due at the begin */
    assert_int_equal(rows.ends, 1);
}

static void test_sample_now_is_refused(void **state)
{
    static const char *const nodes[] = {"/proc/uptime", NULL};
    struct rows rows = {0};
    struct mgc_adb_wait wait = local_wait();
    uint32_t id;
    assert_false(mgc_helper_sample_now(helper, 77, 1, 0, &wait, &err));
    assert_int_equal(err.code, MGC_E_USAGE);
    assert_non_null(strstr(err.text, "of request 77: expected 1 to 16"));
    assert_true(mgc_helper_sample(helper, nodes, 3600000, 0, on_row, &rows, &id, &wait, &err));
    assert_false(mgc_helper_sample_now(helper, id, 0, 0, &wait, &err));
    assert_false(mgc_helper_sample_now(helper, id, 17, 10, &wait, &err));
    assert_false(mgc_helper_sample_now(helper, id, 2, 0, &wait, &err));
    assert_false(mgc_helper_sample_now(helper, id, 2, 60001, &wait, &err));
    assert_true(mgc_helper_sample_now(helper, id, 1, 0, &wait, &err)); /* it goes on */
    assert_true(mgc_helper_cancel(helper, id, &wait, &err));
}

static void test_procs(void **state)
{
    struct seen seen = {0};
    struct mgc_adb_wait wait = local_wait();
    char package[64], cmdline[80];
    snprintf(package, sizeof(package), "org.test.q%d", (int)getpid());
    pid_t pid = start_sleeper(package);
    while (seen.count == 0) /* until it has become the sleeper */
        assert_true(mgc_helper_procs(helper, package, on_event, &seen, &wait, &err));
    assert_int_equal(seen.items[0].pid, pid);
    snprintf(cmdline, sizeof(cmdline), "%.60s 1000", package);
    assert_string_equal(seen.items[0].name, cmdline);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void test_death_of_the_device_program(void **state)
{
    struct mgc_adb_wait wait = local_wait();
    struct mgc_helper_clock clock;
    kill(device, SIGKILL);
    assert_false(mgc_helper_clock(helper, &clock, &wait, &err));
    assert_int_equal(err.code, MGC_E_LOST);
    assert_false(mgc_helper_clock(helper, &clock, &wait, &err)); /* and for good */
    assert_int_equal(err.code, MGC_E_LOST);
}

static void test_deadline_leaves_the_rest(void **state)
{
    struct mgc_adb_wait past = {1, -1}, wait = local_wait();
    struct mgc_helper_clock clock;
    kill(device, SIGSTOP);
    past.deadline_ns = mgc_deadline_in_ms(50);
    assert_false(mgc_helper_clock(helper, &clock, &past, &err));
    assert_int_equal(err.code, MGC_E_TIMEOUT);
    kill(device, SIGCONT);
    assert_true(mgc_helper_clock(helper, &clock, &wait, &err)); /* the late answer is dropped */
    assert_true(clock.t1_ns <= clock.t2_ns);
}

/* --- without a device program ----------------------------------------------------------------- */

static void check_start(const char *script, enum mgc_code code, const char *words)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    struct mgc_adb_wait wait = local_wait();
    pid_t pid;
    struct mgc_helper_link link = local_link(argv, &pid);
    err = (struct mgc_error){0};
    assert_null(mgc_helper_new(&link, "device test", "/data/x", &wait, &err));
    assert_int_equal(err.code, code);
    if (!strstr(err.text, words) || !strstr(err.text, "device test: /data/x did not start"))
        fail_msg("%s", err.text);
}

static void test_what_comes_instead(void **state)
{
    check_start("echo 'run-as: unknown package: a.b'; read x", MGC_E_FAILED,
        "it said \"run-as: unknown package: a.b\" instead");
    check_start("echo 'CANNOT LINK EXECUTABLE' >&2; exit 1", MGC_E_FAILED,
        "exit code 1: CANNOT LINK EXECUTABLE");
    check_start("exec /no/such/mgdevice", MGC_E_FAILED, "exit code 127");
    check_start("printf '\\211mgdev\\r\\r\\n'", MGC_E_FAILED, "instead of");
}

#define DEVICE_TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        DEVICE_TEST(test_welcome),
        DEVICE_TEST(test_clock),
        DEVICE_TEST(test_result_file_each_time),
        DEVICE_TEST(test_only_named_files),
        DEVICE_TEST(test_directory_that_comes_later),
        DEVICE_TEST(test_death_of_a_process),
        DEVICE_TEST(test_pid_that_is_not_there),
        DEVICE_TEST(test_process_of_a_package),
        DEVICE_TEST(test_cancel_ends_a_watch),
        DEVICE_TEST(test_watch_of_a_wrong_place),
        DEVICE_TEST(test_remove),
        DEVICE_TEST(test_remove_stays_below),
        DEVICE_TEST(test_read_files),
        DEVICE_TEST(test_read_up_to_a_limit),
        DEVICE_TEST(test_put),
        DEVICE_TEST(test_put_of_a_wrong_part_and_place),
        DEVICE_TEST(test_sample),
        DEVICE_TEST(test_sample_now),
        DEVICE_TEST(test_sample_now_once_more),
        DEVICE_TEST(test_sample_now_is_refused),
        DEVICE_TEST(test_procs),
        DEVICE_TEST(test_death_of_the_device_program),
        DEVICE_TEST(test_deadline_leaves_the_rest),
        cmocka_unit_test(test_what_comes_instead),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
