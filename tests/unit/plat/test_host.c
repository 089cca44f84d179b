#include "common/plat/host.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/env.h"

static void test_read(void **state)
{
    struct mgc_host host;
    assert_true(mgc_host_read(&host, NULL));
    assert_true(host.name[0]);
#ifdef _WIN32
    assert_memory_equal(host.os, "Windows 10.0.", 13);
    assert_int_equal(strlen(host.boot_id), strlen("boot-0123456789abcdef"));
    struct mgc_host again;
    assert_true(mgc_host_read(&again, NULL));
    assert_string_equal(host.boot_id, again.boot_id);
#else
    assert_memory_equal(host.os, "Linux ", 6);
    assert_int_equal(strlen(host.boot_id), 36);
#endif
    assert_true(host.arch[0]);
    assert_true(host.cpus >= 1);
    assert_true(host.memory_bytes > 1 << 20);
}

static void test_state_dir(void **state)
{
    char path[256];
#ifdef _WIN32
    env_set("LOCALAPPDATA", "C:\\x\\state");
    assert_true(mgc_host_state_dir(path, sizeof(path), NULL));
    assert_string_equal(path, "C:\\x\\state/mgcoord");
    struct mgc_error err = {0};
    assert_false(mgc_host_state_dir(path, 8, &err));
    env_unset("LOCALAPPDATA");
    assert_false(mgc_host_state_dir(path, sizeof(path), &err));
    assert_int_equal(err.code, MGC_E_NOT_FOUND);
#else
    env_set("XDG_STATE_HOME", "/x/state");
    assert_true(mgc_host_state_dir(path, sizeof(path), NULL));
    assert_string_equal(path, "/x/state/mgcoord");
    struct mgc_error err = {0};
    assert_false(mgc_host_state_dir(path, 8, &err));

    env_set("XDG_STATE_HOME", "relative/is/ignored");
    env_set("HOME", "/home/someone");
    assert_true(mgc_host_state_dir(path, sizeof(path), NULL));
    assert_string_equal(
        path, geteuid() == 0 ? "/var/lib/mgcoord" : "/home/someone/.local/state/mgcoord");
#endif
}

static void test_program(void **state)
{
    char path[4096];
    struct mgc_error err = {0};
    assert_true(mgc_host_program(path, sizeof(path), NULL));
#ifdef _WIN32
    assert_int_equal(path[1], ':');
#else
    assert_int_equal(path[0], '/');
#endif
    assert_non_null(strstr(path, "test_plat_host"));
    assert_false(mgc_host_program(path, 4, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_state_dir),
        cmocka_unit_test(test_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
