#include "coordinator/store/run_dir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/lib/check.h"

static char root[64];

static int set_up(void **state)
{
    snprintf(root, sizeof(root), "/tmp/mgc-run-dir-XXXXXX");
    assert_non_null(mkdtemp(root));
    return 0;
}

static int tear_down(void **state)
{
    return mgc_dir_remove(root, NULL) ? 0 : -1;
}

static void attempts_settle_and_superseded_ones_stay(void **state)
{
    struct mgc_run_dir dir;
    char first[MGC_PATH_MAX], second[MGC_PATH_MAX], settled[MGC_PATH_MAX], expected[MGC_PATH_MAX];
    assert_true(mgc_run_dir_open(&dir, root, "run1", NULL));
    assert_true(mgc_run_dir_attempt(&dir, "crosshost/bench-a", 1, first, NULL));
    assert_true(mgc_run_dir_attempt(&dir, "crosshost/bench-a", 2, second, NULL));
    assert_true(mgc_run_dir_settle(&dir, "crosshost/bench-a", 2, settled, NULL));
    snprintf(expected, sizeof(expected), "%s/run1/crosshost/bench-a", root);
    assert_string_equal(settled, expected);
    assert_true(mgc_file_exists(settled));
    assert_true(mgc_file_exists(first));
    assert_false(mgc_file_exists(second));
    mgc_run_dir_close(&dir);
}

static void no_empty_folder_stays_behind(void **state)
{
    struct mgc_run_dir dir;
    char path[MGC_PATH_MAX], attempts[MGC_PATH_MAX];
    assert_true(mgc_run_dir_open(&dir, root, "run1", NULL));
    assert_true(mgc_run_dir_attempt(&dir, "crosshost/bench-a", 1, path, NULL));
    assert_true(mgc_run_dir_attempt(&dir, "setup", 1, path, NULL));
    assert_true(mgc_run_dir_settle(&dir, "crosshost/bench-a", 1, path, NULL));
    snprintf(attempts, sizeof(attempts), "%s/run1/attempts/crosshost", root);
    assert_false(mgc_file_exists(attempts));
    snprintf(attempts, sizeof(attempts), "%s/run1/attempts/setup/a1", root);
    assert_true(mgc_file_exists(attempts));
    mgc_run_dir_close(&dir);
}

/* A cell of a resumed run whose verdict does not stand any more. */
static void a_settled_attempt_can_become_one_again(void **state)
{
    struct mgc_run_dir dir;
    struct mgc_error err = {0};
    char path[MGC_PATH_MAX];
    assert_true(mgc_run_dir_open(&dir, root, "run1", NULL));
    assert_int_equal(mgc_run_dir_last_attempt(&dir, "openra/tcp-r1"), 0);
    assert_true(mgc_run_dir_attempt(&dir, "openra/tcp-r1", 1, path, NULL));
    assert_true(mgc_run_dir_attempt(&dir, "openra/tcp-r1", 10, path, NULL));
    assert_true(mgc_run_dir_settle(&dir, "openra/tcp-r1", 10, path, NULL));
    assert_int_equal(mgc_run_dir_last_attempt(&dir, "openra/tcp-r1"), 1);
    assert_false(mgc_run_dir_unsettle(&dir, "openra/tcp-r1", 1, path, &err));
    assert_int_equal(err.code, MGC_E_EXISTS);
    assert_true(mgc_run_dir_unsettle(&dir, "openra/tcp-r1", 10, path, NULL));
    assert_true(mgc_file_exists(path));
    assert_int_equal(mgc_run_dir_last_attempt(&dir, "openra/tcp-r1"), 10);
    assert_true(mgc_run_dir_settle(&dir, "openra/tcp-r1", 10, path, NULL)); /* and back */
    mgc_run_dir_close(&dir);
}

static void nothing_is_overwritten(void **state)
{
    struct mgc_run_dir dir, again;
    char path[MGC_PATH_MAX];
    struct mgc_error err;
    assert_true(mgc_run_dir_open(&dir, root, "run1", NULL));
    assert_true(mgc_run_dir_attempt(&dir, "c", 1, path, NULL));
    assert_false(mgc_run_dir_attempt(&dir, "c", 1, path, &err));
    assert_int_equal(err.code, MGC_E_EXISTS);
    assert_true(mgc_run_dir_settle(&dir, "c", 1, path, NULL));
    assert_true(mgc_run_dir_attempt(&dir, "c", 2, path, NULL));
    assert_false(mgc_run_dir_settle(&dir, "c", 2, path, &err));
    assert_int_equal(err.code, MGC_E_EXISTS);
    mgc_run_dir_close(&dir);
    assert_true(mgc_run_dir_open(&again, root, "run1", &err));
    assert_false(mgc_run_dir_make(&again, &err));
    assert_int_equal(err.code, MGC_E_EXISTS);
    mgc_run_dir_close(&again);
}

static void one_run_at_a_time(void **state)
{
    struct mgc_run_dir dir, other;
    struct mgc_error err;
    char who[64];
    assert_true(mgc_run_dir_open(&dir, root, "run1", NULL));
    assert_false(mgc_run_dir_open(&other, root, "run2", &err));
    assert_int_equal(err.code, MGC_E_BUSY);
    snprintf(who, sizeof(who), "run 'run1' (process %ld)", (long)getpid());
    assert_non_null(strstr(err.text, who));
    assert_non_null(strstr(err.text, root));
    mgc_run_dir_close(&dir);
    assert_true(mgc_run_dir_open(&other, root, "run2", NULL));
    mgc_run_dir_close(&other);
    mgc_run_dir_close(NULL);
}

static void documents_are_for_all_to_read_and_for_us_to_write(void **state)
{
    struct mgc_run_dir dir;
    char path[MGC_PATH_MAX];
    struct stat info;
    assert_true(mgc_run_dir_open(&dir, root, "run-mode", NULL));
    assert_true(mgc_run_dir_make(&dir, NULL));
    assert_true(mgc_run_dir_write(&dir, "summary.json", "{}", 2, NULL));
    assert_true(mgc_path_join(path, sizeof(path), dir.path, "summary.json"));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0644);
    mgc_run_dir_close(&dir);
}

static void a_run_says_who_and_where_it_is(void **state)
{
    struct mgc_run_dir dir;
    struct mgc_run_note note;
    char lock[MGC_PATH_MAX];
    snprintf(lock, sizeof(lock), "%s/%s", root, MGC_RUN_LOCK);
    assert_false(mgc_run_note_read(lock, &note));
    assert_true(mgc_run_dir_open(&dir, root, "run1", NULL));
    assert_true(mgc_run_note_read(lock, &note));
    assert_string_equal(note.run_id, "run1");
    assert_int_equal(note.pid, getpid());
    assert_string_equal(note.socket, "");
    assert_true(mgc_run_dir_announce(&dir, "/a b/control.sock", NULL));
    assert_true(mgc_run_note_read(lock, &note));
    assert_string_equal(note.socket, "/a b/control.sock");
    mgc_run_dir_close(&dir);
    assert_false(mgc_run_note_read(lock, &note));
}

/* A lock file as a killed run would leave it, naming `socket`. */
static void leave_note(const char *run_id, const char *socket)
{
    char lock[MGC_PATH_MAX], text[2 * MGC_PATH_MAX];
    snprintf(lock, sizeof(lock), "%s/%s", root, MGC_RUN_LOCK);
    int len = snprintf(text, sizeof(text), "4711\nrun %s\nsocket %s\n", run_id, socket);
    assert_true(mgc_file_write(lock, text, (size_t)len, 0600, NULL));
}

static bool is_there_after_the_next_run(const char *path)
{
    struct mgc_run_dir dir;
    assert_true(mgc_run_dir_open(&dir, root, "next", NULL));
    mgc_run_dir_close(&dir);
    return mgc_file_exists(path);
}

static void make_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    assert_true(strlen(path) < sizeof(address.sun_path));
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    close(fd);
}

/* The note is a file that anybody may have written. */
static void only_a_killed_runs_own_socket_is_removed(void **state)
{
    char dir[MGC_PATH_MAX], path[MGC_PATH_MAX], spelled[MGC_PATH_MAX];
    snprintf(path, sizeof(path), "%s/precious", root);
    assert_true(mgc_file_write(path, "x", 1, 0600, NULL));
    leave_note("old", path);
    assert_true(is_there_after_the_next_run(path));

    snprintf(dir, sizeof(dir), "%s/old", root);
    assert_true(mgc_dir_make(dir, 0700, NULL));
    snprintf(path, sizeof(path), "%s/old/control.sock", root);
    assert_true(mgc_file_write(path, "x", 1, 0600, NULL)); /* the place, but no socket */
    leave_note("old", path);
    assert_true(is_there_after_the_next_run(path));
    assert_true(mgc_file_remove(path, NULL));

    make_socket(path);
    leave_note("other", path); /* a socket, but not of that run */
    assert_true(is_there_after_the_next_run(path));
    snprintf(spelled, sizeof(spelled), "%s/old/../old/control.sock", root);
    leave_note("old", spelled);
    assert_false(is_there_after_the_next_run(path));
}

static void a_link_in_the_lock_files_place_is_not_followed(void **state)
{
    struct mgc_run_dir dir;
    struct mgc_buf text = {0};
    char precious[MGC_PATH_MAX], lock[MGC_PATH_MAX];
    snprintf(precious, sizeof(precious), "%s/precious", root);
    snprintf(lock, sizeof(lock), "%s/%s", root, MGC_RUN_LOCK);
    assert_true(mgc_file_write(precious, "mine", 4, 0600, NULL));
    assert_int_equal(symlink(precious, lock), 0);
    assert_false(mgc_run_dir_open(&dir, root, "next", NULL));
    assert_true(mgc_file_read(precious, 100, &text, NULL));
    assert_string_equal(mgc_buf_text(&text), "mine");
    mgc_buf_destroy(&text);
}

static void note_is(const char *text, bool ok, long pid, const char *run_id)
{
    struct mgc_run_note note;
    assert_int_equal(mgc_run_note_parse(text, strlen(text), &note), ok);
    assert_int_equal(note.pid, pid);
    assert_string_equal(note.run_id, run_id);
}

static void strange_notes_name_nobody(void **state)
{
    note_is("", false, 0, "");
    note_is("\n", false, 0, "");
    note_is("12x\nrun a\n", false, 0, "");
    note_is("-1\n", false, 0, "");
    note_is("99999999999999999999999999\n", false, 0, "");
    note_is("12", true, 12, "");
    note_is("12\nrunning a\nrun \nfuture x y\nrun b", true, 12, "b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            attempts_settle_and_superseded_ones_stay, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_settled_attempt_can_become_one_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_is_overwritten, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_empty_folder_stays_behind, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_run_at_a_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            documents_are_for_all_to_read_and_for_us_to_write, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_run_says_who_and_where_it_is, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            only_a_killed_runs_own_socket_is_removed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            a_link_in_the_lock_files_place_is_not_followed, set_up, tear_down),
        cmocka_unit_test(strange_notes_name_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
