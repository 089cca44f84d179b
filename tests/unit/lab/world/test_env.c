#include "lab/world/env.h"

#include <stdlib.h>
#include <string.h>

#include "tests/lib/check.h"

static const char *value_of(const struct mgc_lab_env *env, const char *key)
{
    size_t len = strlen(key);
    for (size_t i = 0; i < env->count; i++) {
        if (strncmp(env->items[i], key, len) == 0 && env->items[i][len] == '=')
            return env->items[i] + len + 1;
    }
    return NULL;
}

static void a_member_gets_its_own_home(void **state)
{
    struct mgc_lab_env env = {0};
    setenv("HOME", "/home/somebody", 1);
    setenv("ANDROID_SERIAL", "1234", 1);
    setenv("MGC_CLOCK_PLANT", "offset_ms=1", 1);
    setenv("PATH", "/somewhere/bin", 1);
    assert_true(mgc_lab_env_service(&env, "/state/host/home", NULL, NULL));
    assert_string_equal(value_of(&env, "HOME"), "/state/host/home");
    assert_string_equal(value_of(&env, "TMPDIR"), "/state/host/home/tmp");
    assert_string_equal(value_of(&env, "MGC_CLOCK_PLANT"), "offset_ms=1");
    assert_string_equal(value_of(&env, "PATH"), "/somewhere/bin");
    assert_null(value_of(&env, "ANDROID_SERIAL"));
    assert_null(env.items[env.count]);
    mgc_lab_env_destroy(&env);
}

static void a_lab_without_namespaces_names_its_adb_server(void **state)
{
    struct mgc_lab_env env = {0};
    assert_true(mgc_lab_env_service(&env, "/h", "15037", NULL));
    assert_string_equal(value_of(&env, "ANDROID_ADB_SERVER_PORT"), "15037");
    mgc_lab_env_destroy(&env);
}

static void only_our_own_variables_pass(void **state)
{
    assert_true(mgc_lab_env_passes("MGC_ANY=1"));
    assert_true(mgc_lab_env_passes("ASAN_OPTIONS=detect_leaks=0"));
    assert_false(mgc_lab_env_passes("ADB_SERVER_SOCKET=tcp:5037"));
    assert_false(mgc_lab_env_passes("ANDROID_ADB_SERVER_PORT=1"));
    assert_false(mgc_lab_env_passes("HOME=/root"));
    assert_false(mgc_lab_env_passes("PATHS=/x"));
}

static void destroy_takes_nothing(void **state)
{
    struct mgc_lab_env env = {0};
    mgc_lab_env_destroy(&env);
    mgc_lab_env_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_member_gets_its_own_home),
        cmocka_unit_test(a_lab_without_namespaces_names_its_adb_server),
        cmocka_unit_test(only_our_own_variables_pass),
        cmocka_unit_test(destroy_takes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
