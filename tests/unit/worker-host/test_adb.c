/* The client side of adb against a scripted server: every byte both ways is checked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/hash.h"
#include "common/plat/file.h"
#include "tests/lib/env.h"
#include "tests/lib/tmpdir.h"
#include "tests/unit/worker-host/fake_adb.h"
#include "worker-host/adb/appfile.h"
#include "worker-host/adb/conn.h"
#include "worker-host/adb/devices.h"
#include "worker-host/adb/shell.h"
#include "worker-host/adb/sync.h"

#define COUNT(steps) (sizeof(steps) / sizeof((steps)[0]))
#define TRANSPORT    FAKE_STEP("0016host:transport:phone:1", "OKAY")

static struct mgc_adb_wait wait_10s(void)
{
    return (struct mgc_adb_wait){mgc_deadline_in_ms(10000), -1};
}

static struct mgc_adb *client(void)
{
    struct mgc_error err = {0};
    struct mgc_adb *adb = mgc_adb_new(NULL, &err);
    if (!adb)
        fail_msg("%s", err.text);
    return adb;
}

static void test_version(void **state)
{
    static const struct fake_step steps[] = {FAKE_STEP("000chost:version", "OKAY00040029")};
    struct fake_adb *fake = fake_adb_start(steps, COUNT(steps));
    struct mgc_adb *adb = client();
    struct mgc_adb_wait wait = wait_10s();
    unsigned version = 0;
    assert_true(mgc_adb_server_version(adb, &version, &wait, NULL));
    assert_int_equal(version, 41);
    assert_int_equal(mgc_adb_streams_opened(adb), 0);
    mgc_adb_free(adb);
    fake_adb_stop(fake);
}

static void test_no_server(void **state)
{
    /* A port that was just given back: nobody listens there. */
    static const struct fake_step steps[] = {FAKE_CLOSE};
    struct fake_adb *fake = fake_adb_start(steps, 0);
    fake_adb_stop(fake);
    struct mgc_adb *adb = client();
    struct mgc_adb_wait wait = wait_10s();
    struct mgc_error err = {0};
    unsigned version;
    assert_false(mgc_adb_server_version(adb, &version, &wait, &err));
    assert_int_equal(err.code, MGC_E_REFUSED);
    assert_non_null(strstr(err.text, mgc_adb_address(adb)));
    mgc_adb_free(adb);
}

static void test_bad_port(void **state)
{
    struct mgc_error err = {0};
    env_set("ANDROID_ADB_SERVER_PORT", "70000");
    assert_null(mgc_adb_new(NULL, &err));
    assert_int_equal(err.code, MGC_E_USAGE);
    assert_non_null(strstr(err.text, "70000"));
}

static void test_shell(void **state)
{
    static const struct fake_step steps[] = {TRANSPORT, FAKE_STEP("0010shell,v2,raw:cmd", "OKAY"),
        FAKE_STEP("\0\2\0\0\0in\4\0\0\0\0", "\1\3\0\0\0out\2\2\0\0\0er\1\1\0\0\0!\3\1\0\0\0\7")};
    struct fake_adb *fake = fake_adb_start(steps, COUNT(steps));
    struct mgc_adb *adb = client();
    struct mgc_adb_wait wait = wait_10s();
    struct mgc_adb_result result = {0};
    struct mgc_adb_input input = {"in", 2};
    assert_true(mgc_adb_run(adb, "phone:1", "cmd", &input, &wait, &result, NULL));
    assert_int_equal(result.exit_code, 7);
    assert_string_equal(mgc_buf_text(&result.out), "out!");
    assert_string_equal(mgc_buf_text(&result.err), "er");
    assert_int_equal(mgc_adb_streams_opened(adb), 1);
    mgc_adb_result_destroy(&result);
    mgc_adb_free(adb);
    fake_adb_stop(fake);
}

static void test_shell_output_cap(void **state)
{
    static const struct fake_step steps[] = {TRANSPORT, FAKE_STEP("0010shell,v2,raw:cmd", "OKAY"),
        FAKE_STEP("\4\0\0\0\0", "\1\5\0\0\0hello\3\1\0\0\0\0")};
    struct fake_adb *fake = fake_adb_start(steps, COUNT(steps));
    struct mgc_adb *adb = client();
    struct mgc_adb_wait wait = wait_10s();
    struct mgc_adb_result result = {.out = {.max = 4}};
    struct mgc_error err = {0};
    assert_false(mgc_adb_run(adb, "phone:1", "cmd", NULL, &wait, &result, &err));
    assert_int_equal(err.code, MGC_E_NO_MEMORY);
    mgc_adb_result_destroy(&result);
    mgc_adb_free(adb);
    fake_adb_stop(fake);
}

/* The stream ends without an exit code; the server then says what became of the device. */
static void lost_with(const struct fake_step *steps, size_t count, const char *want)
{
    struct fake_adb *fake = fake_adb_start(steps, count);
    struct mgc_adb *adb = client();
    struct mgc_adb_wait wait = wait_10s();
    struct mgc_adb_result result = {0};
    struct mgc_error err = {0};
    assert_false(mgc_adb_run(adb, "phone:1", "cmd", NULL, &wait, &result, &err));
    assert_int_equal(err.code, MGC_E_LOST);
    if (!strstr(err.text, want))
        fail_msg("'%s' lacks '%s'", err.text, want);
    mgc_adb_result_destroy(&result);
    mgc_adb_free(adb);
    fake_adb_stop(fake);
}

static void test_device_lost(void **state)
{
    static const struct fake_step offline[] = {TRANSPORT, FAKE_STEP("0010shell,v2,raw:cmd", "OKAY"),
        FAKE_STEP("\4\0\0\0\0", "\1\3\0\0\0out"), FAKE_CLOSE,
        FAKE_STEP("000ehost:devices-l", "OKAY0010phone:1 offline\n")};
    static const struct fake_step gone[] = {TRANSPORT, FAKE_STEP("0010shell,v2,raw:cmd", "OKAY"),
        FAKE_STEP("\4\0\0\0\0", ""), FAKE_CLOSE, FAKE_STEP("000ehost:devices-l", "OKAY0000")};
    lost_with(offline, COUNT(offline), "device phone:1 went offline");
    lost_with(gone, COUNT(gone), "device phone:1 went gone");
}

static void test_transport_refused(void **state)
{
    static const struct fake_step offline[] = {
        FAKE_STEP("0016host:transport:phone:1", "FAIL000edevice offline")};
    static const struct fake_step gone[] = {
        FAKE_STEP("0016host:transport:phone:1", "FAIL001adevice 'phone:1' not found")};
    lost_with(offline, COUNT(offline), "device phone:1 is offline");
    lost_with(gone, COUNT(gone), "device phone:1 is gone");
}

static void test_cancelled(void **state)
{
    static const struct fake_step steps[] = {
        TRANSPORT, FAKE_STEP("0010shell,v2,raw:cmd", "OKAY"), FAKE_STEP("\4\0\0\0\0", "")};
    struct fake_adb *fake = fake_adb_start(steps, COUNT(steps));
    struct mgc_adb *adb = client();
    struct mgc_adb_shell shell;
    struct mgc_adb_shell_piece piece;
    struct mgc_adb_wait wait = wait_10s();
    struct mgc_error err = {0};
    assert_true(mgc_adb_shell_open(&shell, adb, "phone:1", "cmd", &wait, NULL));
    assert_true(mgc_adb_shell_send_close(&shell, &wait, NULL));
    struct mgc_adb_wait past = {mgc_deadline_in_ms(-1), -1};
    assert_false(mgc_adb_shell_next(&shell, &piece, &past, &err));
    assert_true(err.code == MGC_E_TIMEOUT || err.code == MGC_E_LOST);
    mgc_adb_shell_close(&shell);
    mgc_adb_shell_close(&shell); /* once more does no harm */
    mgc_adb_free(adb);
    fake_adb_stop(fake);
}

static void test_connect_dance(void **state)
{
    static const struct fake_step steps[] = {
        FAKE_STEP("000ehost:devices-l", "OKAY0010phone:1 offline\n"), FAKE_CLOSE,
        FAKE_STEP("000ehost:devices-l", "OKAY0010phone:1 offline\n"), FAKE_CLOSE,
        FAKE_STEP("0017host:disconnect:phone:1", "OKAY0014disconnected phone:1"), FAKE_CLOSE,
        FAKE_STEP("0014host:connect:phone:1", "OKAY0014connected to phone:1"), FAKE_CLOSE,
        FAKE_STEP("0012host:track-devices", "OKAY0010phone:1\toffline\n000fphone:1\tdevice\n")};
    struct fake_adb *fake = fake_adb_start(steps, COUNT(steps));
    struct mgc_adb *adb = client();
    struct mgc_adb_wait wait = wait_10s();
    struct mgc_error err = {0};
    if (!mgc_adb_device_ready(adb, "phone:1", &wait, &err))
        fail_msg("%s", err.text);
    mgc_adb_free(adb);
    fake_adb_stop(fake);
}

static void test_pull(void **state)
{
    static const struct fake_step steps[] = {TRANSPORT, FAKE_STEP("0005sync:", "OKAY"),
        FAKE_STEP("RECV\2\0\0\0/a", "DATA\3\0\0\0abcDATA\2\0\0\0deDONE\0\0\0\0")};
    struct fake_adb *fake = fake_adb_start(steps, COUNT(steps));
    struct mgc_adb *adb = client();
    struct mgc_adb_wait wait = wait_10s();
    struct mgc_adb_transfer done;
    const char *path = tmpdir_file("file");
    assert_true(mgc_adb_pull(adb, "phone:1", "/a", path, NULL, &wait, &done, NULL));
    assert_int_equal(done.bytes, 5);
    char hex[MGC_SHA256_HEX_SIZE];
    assert_true(mgc_sha256_file(path, hex, NULL, NULL));
    assert_string_equal(done.sha256, hex);
    mgc_adb_free(adb);
    fake_adb_stop(fake);
}

static void test_pull_fails_without_a_file(void **state)
{
    static const struct fake_step steps[] = {TRANSPORT, FAKE_STEP("0005sync:", "OKAY"),
        FAKE_STEP("RECV\2\0\0\0/a", "DATA\3\0\0\0abcFAIL\7\0\0\0no more")};
    struct fake_adb *fake = fake_adb_start(steps, COUNT(steps));
    struct mgc_adb *adb = client();
    struct mgc_adb_wait wait = wait_10s();
    struct mgc_adb_transfer done;
    struct mgc_error err = {0};
    const char *path = tmpdir_file("none");
    assert_false(mgc_adb_pull(adb, "phone:1", "/a", path, NULL, &wait, &done, &err));
    assert_non_null(strstr(err.text, "no more"));
    assert_false(mgc_file_exists(tmpdir_file("none")));
    assert_false(mgc_file_exists(tmpdir_file("none.part")));
    mgc_adb_free(adb);
    fake_adb_stop(fake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_no_server),
        cmocka_unit_test(test_bad_port),
        cmocka_unit_test(test_shell),
        cmocka_unit_test(test_shell_output_cap),
        cmocka_unit_test(test_device_lost),
        cmocka_unit_test(test_transport_refused),
        cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_connect_dance),
        cmocka_unit_test(test_pull),
        cmocka_unit_test(test_pull_fails_without_a_file),
    };
    return cmocka_run_group_tests(tests, tmpdir_setup, tmpdir_teardown);
}
