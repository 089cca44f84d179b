#include "tests/lib/check.h"

#include <string.h>

#include "common/base/hash.h"
#include "lab/phone/store.h"

static void says_it_is_the_lab(void **state)
{
    struct mgl_store store;
    assert_true(mgl_store_init(&store, false));
    assert_string_equal(mgl_store_get(&store, MGL_SPACE_PROP, "ro.product.model"), "lab phone");
    assert_string_equal(mgl_store_get(&store, MGL_SPACE_PROP, "ro.mglab.uids"), "none");
    assert_non_null(strstr(mgl_store_get(&store, MGL_SPACE_PROP, "ro.build.fingerprint"), "mglab"));
    mgl_store_destroy(&store);
}

static void every_start_is_a_boot(void **state)
{
    struct mgl_store a, b;
    assert_true(mgl_store_init(&a, true));
    assert_true(mgl_store_init(&b, true));
    assert_string_not_equal(mgl_store_get(&a, MGL_SPACE_PROP, "ro.mglab.boot"),
        mgl_store_get(&b, MGL_SPACE_PROP, "ro.mglab.boot"));
    mgl_store_destroy(&a);
    mgl_store_destroy(&b);
}

static void guards_properties(void **state)
{
    struct mgl_store store;
    char longest[93];
    memset(longest, 'v', sizeof(longest));
    longest[92] = 0;
    assert_true(mgl_store_init(&store, true));
    assert_false(mgl_store_may_put(&store, MGL_SPACE_PROP, "ro.serialno", "x"));
    assert_true(mgl_store_may_put(&store, MGL_SPACE_PROP, "ro.new", "x"));
    assert_false(mgl_store_may_put(&store, MGL_SPACE_PROP, "debug.x", longest));
    longest[91] = 0;
    assert_true(mgl_store_may_put(&store, MGL_SPACE_PROP, "debug.x", longest));
    assert_false(mgl_store_may_put(&store, MGL_SPACE_PROP, "", "x"));
    mgl_store_destroy(&store);
}

static void absent_is_a_state(void **state)
{
    struct mgl_store store;
    enum mgl_space space;
    assert_true(mgl_store_init(&store, true));
    assert_null(mgl_store_get(&store, MGL_SPACE_GLOBAL, "nothing"));
    assert_true(mgl_store_put(&store, MGL_SPACE_GLOBAL, "key", ""));
    assert_string_equal(mgl_store_get(&store, MGL_SPACE_GLOBAL, "key"), "");
    assert_true(mgl_store_put(&store, MGL_SPACE_GLOBAL, "key", NULL));
    assert_null(mgl_store_get(&store, MGL_SPACE_GLOBAL, "key"));
    assert_true(mgl_space_parse("doze", &space));
    assert_int_equal(space, MGL_SPACE_DOZE);
    assert_false(mgl_space_parse("dozy", &space));
    mgl_store_destroy(&store);
    mgl_store_destroy(NULL);
}

static void controls_services(void **state)
{
    static const char name[] = "init.svc.thermal-engine";
    struct mgl_store store;
    assert_true(mgl_store_init(&store, true));
    assert_string_equal(mgl_store_get(&store, MGL_SPACE_PROP, name), "running");
    assert_true(mgl_store_control(&store, "ctl.stop", "thermal-engine"));
    assert_string_equal(mgl_store_get(&store, MGL_SPACE_PROP, name), "stopped");
    assert_true(mgl_store_control(&store, "ctl.restart", "thermal-engine"));
    assert_string_equal(mgl_store_get(&store, MGL_SPACE_PROP, name), "running");
    assert_false(mgl_store_control(&store, "ctl.stop", "no-such-service"));
    assert_false(mgl_store_control(&store, "ctl.sigstop", "thermal-engine"));
    mgl_store_destroy(&store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_it_is_the_lab),
        cmocka_unit_test(every_start_is_a_boot),
        cmocka_unit_test(guards_properties),
        cmocka_unit_test(absent_is_a_state),
        cmocka_unit_test(controls_services),
    };
    return mgc_random_init(NULL) ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
