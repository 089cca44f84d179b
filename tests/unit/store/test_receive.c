#include "coordinator/store/receive.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/plat/file.h"
#include "tests/lib/check.h"

#define SEC INT64_C(1000000000)

static int fsync_calls;
static bool fsync_fails;
int __real_fsync(int fd);
int __wrap_fsync(int fd);

int __wrap_fsync(int fd)
{
    fsync_calls++;
    if (!fsync_fails)
        return __real_fsync(fd);
    errno = EIO;
    return -1;
}

struct fixture {
    char dir[64];
    struct mgc_artifact artifacts[3];
    struct mgc_msg_result result;
    struct mgc_msg_credit last; /* name is copied */
    char last_name[64];
    int credits;
};

static void on_credit(void *user, struct mgc_msg *msg)
{
    struct fixture *f = user;
    f->last = msg->credit;
    snprintf(f->last_name, sizeof(f->last_name), "%s", msg->credit.name);
    f->credits++;
}

static void promise(struct fixture *f, const char *name, const void *data, size_t len)
{
    struct mgc_artifact *artifact = &f->artifacts[f->result.artifact_count++];
    struct mgc_sha256 hash;
    unsigned char digest[MGC_SHA256_SIZE];
    mgc_sha256_init(&hash);
    mgc_sha256_update(&hash, data, len);
    mgc_sha256_final(&hash, digest);
    mgc_sha256_hex(digest, artifact->sha256);
    artifact->name = (char *)name;
    artifact->size_bytes = len;
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    snprintf(f->dir, sizeof(f->dir), "/tmp/mgc-receive-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    f->result.task_id = 7;
    f->result.artifacts = f->artifacts;
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    assert_true(mgc_dir_remove(f->dir, NULL));
    free(f);
    return 0;
}

static void give(struct mgc_receive *receive, const char *name, uint64_t offset, const char *data,
    int64_t now_ns)
{
    struct mgc_msg_chunk chunk = {.task_id = 7, .name = (char *)name, .offset = offset};
    mgc_receive_chunk(receive, &chunk, data, strlen(data), now_ns);
}

static void assert_file(const struct fixture *f, const char *name, const char *text)
{
    char path[256];
    struct mgc_buf data = {0};
    snprintf(path, sizeof(path), "%s/%s", f->dir, name);
    assert_true(mgc_file_read(path, 4096, &data, NULL));
    assert_string_equal(mgc_buf_text(&data), text);
    mgc_buf_destroy(&data);
}

static bool dir_is_empty(const struct fixture *f)
{
    struct mgc_dir_names names;
    assert_true(mgc_dir_list(f->dir, &names, NULL));
    bool empty = names.count == 0;
    mgc_dir_names_destroy(&names);
    return empty;
}

static void files_come_one_after_the_other(void **state)
{
    struct fixture *f = *state;
    promise(f, "a.txt", "hello", 5);
    promise(f, "empty", "", 0);
    promise(f, "sub/b.txt", "world", 5);
    struct mgc_receive *receive = mgc_receive_new(&f->result, f->dir, on_credit, f, 0);
    assert_string_equal(f->last_name, "a.txt");
    assert_int_equal(f->last.received, 0);
    assert_int_equal(f->last.limit, 5);
    give(receive, "a.txt", 0, "he", 1);
    assert_int_equal(f->last.received, 2);
    give(receive, "a.txt", 2, "llo", 2);
    assert_string_equal(f->last_name, "sub/b.txt");
    assert_false(mgc_receive_done(receive));
    give(receive, "sub/b.txt", 0, "world", 3);
    assert_true(mgc_receive_done(receive));
    assert_int_equal(mgc_receive_error(receive)->code, MGC_OK);
    assert_int_equal(mgc_receive_bytes(receive), 10);
    mgc_receive_free(receive);
    assert_file(f, "a.txt", "hello");
    assert_file(f, "empty", "");
    assert_file(f, "sub/b.txt", "world");
}

static void repeats_and_gaps_change_nothing(void **state)
{
    struct fixture *f = *state;
    promise(f, "a.txt", "hello", 5);
    struct mgc_receive *receive = mgc_receive_new(&f->result, f->dir, on_credit, f, 0);
    give(receive, "a.txt", 0, "he", 1);
    give(receive, "a.txt", 0, "he", 2);
    give(receive, "a.txt", 4, "o", 3);
    give(receive, "other", 2, "llo", 4);
    assert_int_equal(f->last.received, 2);
    give(receive, "a.txt", 2, "llo", 5);
    assert_int_equal(mgc_receive_error(receive)->code, MGC_OK);
    assert_true(mgc_receive_done(receive));
    mgc_receive_free(receive);
    assert_file(f, "a.txt", "hello");
}

static void wrong_bytes_are_not_kept(void **state)
{
    struct fixture *f = *state;
    promise(f, "a.txt", "hello", 5);
    struct mgc_receive *receive = mgc_receive_new(&f->result, f->dir, on_credit, f, 0);
    give(receive, "a.txt", 0, "hellO", 1);
    assert_true(mgc_receive_done(receive));
    assert_int_equal(mgc_receive_error(receive)->code, MGC_E_INTEGRITY);
    mgc_receive_free(receive);
    assert_true(dir_is_empty(f));
}

static void more_than_promised_is_refused(void **state)
{
    struct fixture *f = *state;
    promise(f, "a.txt", "hello", 5);
    struct mgc_receive *receive = mgc_receive_new(&f->result, f->dir, on_credit, f, 0);
    give(receive, "a.txt", 0, "hello, world", 1);
    assert_int_equal(mgc_receive_error(receive)->code, MGC_E_INTEGRITY);
    mgc_receive_free(receive);
    assert_true(dir_is_empty(f));
}

static void unsafe_names_are_refused(void **state)
{
    struct fixture *f = *state;
    promise(f, "../a.txt", "hello", 5);
    struct mgc_receive *receive = mgc_receive_new(&f->result, f->dir, on_credit, f, 0);
    assert_int_equal(mgc_receive_error(receive)->code, MGC_E_PROTOCOL);
    assert_int_equal(f->credits, 0);
    mgc_receive_free(receive);
}

static void existing_files_are_never_overwritten(void **state)
{
    struct fixture *f = *state;
    char path[256];
    snprintf(path, sizeof(path), "%s/a.txt", f->dir);
    assert_true(mgc_file_write(path, "old", 3, 0600, NULL));
    promise(f, "a.txt", "hello", 5);
    struct mgc_receive *receive = mgc_receive_new(&f->result, f->dir, on_credit, f, 0);
    assert_int_equal(mgc_receive_error(receive)->code, MGC_E_EXISTS);
    mgc_receive_free(receive);
    assert_file(f, "a.txt", "old");
}

static void silence_is_asked_again_and_then_given_up(void **state)
{
    struct fixture *f = *state;
    promise(f, "a.txt", "hello", 5);
    struct mgc_receive *receive = mgc_receive_new(&f->result, f->dir, on_credit, f, 0);
    assert_int_equal(f->credits, 1);
    mgc_receive_tick(receive, SEC / 2);
    assert_int_equal(f->credits, 1);
    assert_int_equal(mgc_receive_due(receive), SEC);
    mgc_receive_tick(receive, SEC);
    assert_int_equal(f->credits, 2);
    give(receive, "a.txt", 0, "he", 20 * SEC);
    mgc_receive_tick(receive, 40 * SEC);
    assert_false(mgc_receive_done(receive));
    mgc_receive_tick(receive, 50 * SEC);
    assert_true(mgc_receive_done(receive));
    assert_int_equal(mgc_receive_error(receive)->code, MGC_E_TIMEOUT);
    mgc_receive_free(receive);
    assert_true(dir_is_empty(f));
}

static void empty_chunks_are_no_progress(void **state)
{
    struct fixture *f = *state;
    promise(f, "a.txt", "hello", 5);
    struct mgc_receive *receive = mgc_receive_new(&f->result, f->dir, on_credit, f, 0);
    for (int second = 1; second <= 30; second++)
        give(receive, "a.txt", 0, "", second * SEC);
    mgc_receive_tick(receive, 31 * SEC);
    assert_true(mgc_receive_done(receive));
    assert_int_equal(mgc_receive_error(receive)->code, MGC_E_TIMEOUT);
    mgc_receive_free(receive);
}

static void files_are_on_disk_before_it_is_over(void **state)
{
    struct fixture *f = *state;
    promise(f, "sub/a.txt", "hello", 5);
    struct mgc_receive *receive = mgc_receive_new(&f->result, f->dir, on_credit, f, 0);
    fsync_calls = 0;
    give(receive, "sub/a.txt", 0, "hello", 1);
    assert_true(mgc_receive_done(receive));
    assert_int_equal(fsync_calls, 2); /* the file and its directory */
    mgc_receive_free(receive);
}

static void a_file_that_cannot_be_synced_is_not_stored(void **state)
{
    struct fixture *f = *state;
    promise(f, "a.txt", "hello", 5);
    struct mgc_receive *receive = mgc_receive_new(&f->result, f->dir, on_credit, f, 0);
    fsync_fails = true;
    give(receive, "a.txt", 0, "hello", 1);
    fsync_fails = false;
    assert_true(mgc_receive_done(receive));
    assert_int_equal(mgc_receive_error(receive)->code, MGC_E_IO);
    mgc_receive_free(receive);
    assert_true(dir_is_empty(f));
}

static void slow_link_is_not_sent_back_all_the_time(void **state)
{
    struct fixture *f = *state;
    promise(f, "a.txt", "hello", 5);
    struct mgc_receive *receive = mgc_receive_new(&f->result, f->dir, on_credit, f, 0);
    mgc_receive_tick(receive, 1 * SEC);
    mgc_receive_tick(receive, 2 * SEC);
    assert_int_equal(f->credits, 2); /* the second repeat waits 2 s */
    give(receive, "a.txt", 0, "h", 25 * SEC / 10);
    int credits = f->credits;
    /* a chunk took 2.5 s here: silence is normal for 5 s */
    mgc_receive_tick(receive, 7 * SEC);
    assert_int_equal(f->credits, credits);
    mgc_receive_tick(receive, 8 * SEC);
    assert_int_equal(f->credits, credits + 1);
    mgc_receive_free(receive);
}

static void too_large_is_refused_before_a_byte_is_asked_for(void **state)
{
    struct fixture *f = *state;
    promise(f, "pathcheck.txt", "x", 1);
    f->artifacts[0].size_bytes = UINT64_C(1) << 62;
    struct mgc_receive *receive = mgc_receive_new(&f->result, f->dir, on_credit, f, SEC);
    assert_non_null(receive);
    assert_true(mgc_receive_done(receive));
    assert_int_equal(mgc_receive_error(receive)->code, MGC_E_PROTOCOL);
    assert_non_null(strstr(mgc_receive_error(receive)->text, "pathcheck.txt"));
    assert_int_equal(f->credits, 0);
    mgc_receive_free(receive);
    promise(f, "b", "x", 1);
    promise(f, "c", "x", 1);
    for (size_t i = 0; i < 3; i++)
        f->artifacts[i].size_bytes = (uint64_t)2 << 30;
    receive = mgc_receive_new(&f->result, f->dir, on_credit, f, SEC);
    assert_non_null(receive);
    assert_int_equal(mgc_receive_error(receive)->code, MGC_E_PROTOCOL);
    mgc_receive_free(receive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_come_one_after_the_other, set_up, tear_down),
        cmocka_unit_test_setup_teardown(repeats_and_gaps_change_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_bytes_are_not_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            too_large_is_refused_before_a_byte_is_asked_for, set_up, tear_down),
        cmocka_unit_test_setup_teardown(more_than_promised_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unsafe_names_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(existing_files_are_never_overwritten, set_up, tear_down),
        cmocka_unit_test_setup_teardown(empty_chunks_are_no_progress, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_are_on_disk_before_it_is_over, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            a_file_that_cannot_be_synced_is_not_stored, set_up, tear_down),
        cmocka_unit_test_setup_teardown(slow_link_is_not_sent_back_all_the_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            silence_is_asked_again_and_then_given_up, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
