/* The key directory and enrolment files on disk, with the modes of a unix file system. */
#include "tests/lib/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/path.h"
#include "common/bus/keys.h"
#include "common/plat/file.h"
#include "tests/lib/temp.h"

/* Test keys of libzmq's manual page zmq_curve(7). */
#define PUBLIC "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"
#define SECRET "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs"
#define OTHER  "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"

#define HEAD    "name = wsl-1\nrole = wsl\ncoordinator = " OTHER "\n"
#define PAIR    "public = " PUBLIC "\nsecret = " SECRET "\n"
#define ADDRESS "address = tcp://127.0.0.1:40700\n"

struct dir {
    char root[MGC_PATH_MAX];
    char keys[MGC_PATH_MAX + 8];
    char enrol[MGC_PATH_MAX + 16];
};

static int make_dir(void **state)
{
    struct dir *dir = calloc(1, sizeof(*dir));
    temp_name(dir->root, sizeof(dir->root), "keys");
    if (!mgc_dir_make(dir->root, 0700, NULL))
        return -1;
    snprintf(dir->keys, sizeof(dir->keys), "%s/keys", dir->root);
    snprintf(dir->enrol, sizeof(dir->enrol), "%s/w.enrol", dir->root);
    *state = dir;
    return 0;
}

static int drop_dir(void **state)
{
    struct dir *dir = *state;
    mgc_dir_remove(dir->root, NULL);
    free(dir);
    return 0;
}

static const char *const addresses[] = {"tcp://127.0.0.1:1", "tcp://pc:2"};

static void check(bool ok, const struct mgc_error *err)
{
    if (!ok)
        fail_msg("%s", err->text);
}

static void test_life_of_a_key(void **state)
{
    struct dir *dir = *state;
    struct mgc_error err = {0};
    struct mgc_keyring ring;
    struct mgc_enrolment e;
    check(mgc_keys_init(dir->keys, &err), &err);
    assert_false(mgc_keys_init(dir->keys, &err));
    assert_int_equal(err.code, MGC_E_EXISTS);
    check(mgc_keys_add(dir->keys, "a-b", "wsl", addresses, 2, dir->enrol, &err), &err);
    assert_false(mgc_keys_add(dir->keys, "a-b", "wsl", addresses, 2, dir->enrol, &err));
    assert_int_equal(err.code, MGC_E_EXISTS);
    assert_false(mgc_keys_add(dir->keys, "c", "wsl", addresses, 2, dir->enrol, &err));
    assert_int_equal(err.code, MGC_E_EXISTS); /* would destroy the other worker's secret */
    char second[MGC_PATH_MAX + 24];
    snprintf(second, sizeof(second), "%s/second.enrol", dir->root);
    check(mgc_keys_add(dir->keys, "a", "host", addresses, 1, second, &err), &err);

    check(mgc_keyring_load(dir->keys, &ring, &err), &err);
    check(mgc_enrolment_load(dir->enrol, &e, &err), &err);
    assert_int_equal(ring.count, 2);
    assert_string_equal(ring.workers[0].name, "a"); /* by name, not by file name */
    assert_string_equal(ring.workers[1].name, "a-b");
    assert_string_equal(ring.workers[0].role, "host");
    assert_string_equal(e.coordinator_key, ring.coordinator.public_key);
    assert_string_equal(e.addresses[1], addresses[1]);
    const struct mgc_worker_key *key = mgc_keyring_find(&ring, e.own.public_key);
    assert_non_null(key);
    assert_string_equal(key->name, "a-b");
    assert_false(key->revoked);
    assert_null(mgc_keyring_find(&ring, ring.coordinator.public_key));
    mgc_keyring_destroy(&ring);

    check(mgc_keys_revoke(dir->keys, "a-b", &err), &err);
    check(mgc_keyring_load(dir->keys, &ring, &err), &err);
    assert_true(mgc_keyring_find(&ring, e.own.public_key)->revoked);
    mgc_keyring_destroy(&ring);
    mgc_keyring_destroy(NULL);
    mgc_enrolment_destroy(&e);
}

static void test_refusals(void **state)
{
    struct dir *dir = *state;
    struct mgc_error err = {0};
    assert_false(mgc_keys_add(dir->keys, "w", "wsl", addresses, 1, dir->enrol, &err));
    assert_int_equal(err.code, MGC_E_NOT_FOUND); /* no coordinator.key yet */
    assert_false(mgc_file_exists(dir->enrol));
    check(mgc_keys_init(dir->keys, &err), &err);
    assert_false(mgc_keys_add(dir->keys, "../w", "wsl", addresses, 1, dir->enrol, &err));
    assert_int_equal(err.code, MGC_E_CONFIG);
    assert_false(mgc_keys_add(dir->keys, "w", "phone", addresses, 1, dir->enrol, &err));
    assert_false(mgc_keys_add(dir->keys, "w", "wsl", addresses, 0, dir->enrol, &err));
    static const char *const nonsense[] = {"pc"};
    assert_false(mgc_keys_add(dir->keys, "w", "wsl", nonsense, 1, dir->enrol, &err));
    assert_false(mgc_keys_revoke(dir->keys, "w", &err));
    assert_int_equal(err.code, MGC_E_NOT_FOUND);
}

static void write_text(const char *path, const char *text)
{
    struct mgc_error err = {0};
    check(mgc_file_write(path, text, strlen(text), 0600, &err), &err);
}

static void test_same_key_under_two_names(void **state)
{
    struct dir *dir = *state;
    struct mgc_error err = {0};
    struct mgc_keyring ring;
    char path[MGC_PATH_MAX + 64];
    check(mgc_keys_init(dir->keys, &err), &err);
    snprintf(path, sizeof(path), "%s/workers/one.key", dir->keys);
    write_text(path, "public = " PUBLIC "\nrole = wsl\nstate = active\n");
    snprintf(path, sizeof(path), "%s/workers/two.key", dir->keys);
    write_text(path, "public = " PUBLIC "\nrole = wsl\nstate = active\n");
    snprintf(path, sizeof(path), "%s/workers/README", dir->keys); /* other files do not matter */
    write_text(path, "hello");
    assert_false(mgc_keyring_load(dir->keys, &ring, &err));
    assert_int_equal(err.code, MGC_E_CONFIG);
    assert_non_null(strstr(err.text, "two.key: its public key is also that of 'one'"));
    assert_int_equal(ring.count, 0);
}

#ifndef _WIN32 /* modes are of unix; there, the directory's access list counts */
static void test_file_others_can_read(void **state)
{
    struct dir *dir = *state;
    struct mgc_error err = {0};
    struct mgc_enrolment e;
    write_text(dir->enrol, HEAD PAIR ADDRESS);
    check(mgc_enrolment_load(dir->enrol, &e, &err), &err);
    assert_int_equal(chmod(dir->enrol, 0640), 0);
    assert_false(mgc_enrolment_load(dir->enrol, &e, &err));
    assert_int_equal(err.code, MGC_E_CONFIG);
    assert_non_null(strstr(err.text, dir->enrol));
    mgc_enrolment_destroy(&e);
}

static void test_what_is_no_file_of_ours(void **state)
{
    struct dir *dir = *state;
    struct mgc_error err = {0};
    struct mgc_enrolment e;
    assert_false(mgc_enrolment_load(dir->root, &e, &err));
    assert_int_equal(err.code, MGC_E_CONFIG);
    assert_non_null(strstr(err.text, "expected a file"));
    if (geteuid() != 0)
        return; /* only root can give files away */
    write_text(dir->enrol, HEAD PAIR ADDRESS);
    assert_int_equal(chown(dir->enrol, 12345, (gid_t)-1), 0);
    assert_false(mgc_enrolment_load(dir->enrol, &e, &err));
    assert_int_equal(err.code, MGC_E_CONFIG);
    assert_non_null(strstr(err.text, "another user's (id 12345)"));
}

static void test_written_mode(void **state)
{
    struct dir *dir = *state;
    struct mgc_error err = {0};
    struct stat info;
    check(mgc_keys_init(dir->keys, &err), &err);
    check(mgc_keys_add(dir->keys, "w", "wsl", addresses, 1, dir->enrol, &err), &err);
    assert_int_equal(stat(dir->enrol, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(stat(dir->keys, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_life_of_a_key, make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(test_refusals, make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(test_same_key_under_two_names, make_dir, drop_dir),
#ifndef _WIN32
        cmocka_unit_test_setup_teardown(test_file_others_can_read, make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(test_what_is_no_file_of_ours, make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(test_written_mode, make_dir, drop_dir),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
