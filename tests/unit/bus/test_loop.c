#include "tests/lib/check.h"

#include <string.h>

#include "common/base/clock.h"
#include "common/bus/loop.h"
#include "common/plat/stop.h"

static struct mgc_loop *loop;
static char order[64];

static void note(char c)
{
    size_t len = strlen(order);
    assert_true(len + 1 < sizeof(order));
    order[len] = c;
    order[len + 1] = '\0';
}

static int make_loop(void **state)
{
    loop = mgc_loop_new(NULL);
    order[0] = '\0';
    return loop ? 0 : -1;
}

static int drop_loop(void **state)
{
    mgc_loop_free(loop);
    return 0;
}

static void run(void)
{
    struct mgc_error err = {0};
    if (!mgc_loop_run(loop, &err))
        fail_msg("%s", err.text);
}

static void on_a(void *user)
{
    note('a');
}

static void on_b(void *user)
{
    note('b');
}

static void on_quit(void *user)
{
    note('q');
    mgc_loop_quit(loop);
}

static void test_timers_in_order(void **state)
{
    int64_t now = mgc_mono_ns();
    mgc_loop_add_timer(loop, now + 30 * MGC_NS_PER_MS, on_quit, NULL);
    mgc_loop_add_timer(loop, now + 20 * MGC_NS_PER_MS, on_b, NULL);
    mgc_loop_add_timer(loop, now + 10 * MGC_NS_PER_MS, on_a, NULL);
    uint64_t gone = mgc_loop_add_timer(loop, now + 15 * MGC_NS_PER_MS, on_a, NULL);
    assert_true(gone != 0);
    mgc_loop_remove_timer(loop, gone);
    mgc_loop_remove_timer(loop, 12345678);
    mgc_loop_remove_timer(loop, 0);
    run();
    assert_string_equal(order, "abq");
    assert_true(mgc_mono_ns() >= now + 30 * MGC_NS_PER_MS); /* never early */
}

static void test_quit_before_run(void **state)
{
    mgc_loop_quit(loop);
    run(); /* returns at once, and only once */
    mgc_loop_add_timer(loop, mgc_mono_ns(), on_quit, NULL);
    run();
    assert_string_equal(order, "q");
}

/* Two descriptors that are both ready: whichever is called first removes the other. */
struct pair {
    struct mgc_stop one, two;
    int calls;
};

static void on_one(void *user)
{
    struct pair *pair = user;
    pair->calls++;
    mgc_loop_remove_fd(loop, pair->one.read_fd);
    mgc_loop_remove_fd(loop, pair->two.read_fd);
}

static void test_handler_removes_others(void **state)
{
    struct pair pair = {0};
    struct mgc_error err = {0};
    assert_true(mgc_stop_init(&pair.one, &err) && mgc_stop_init(&pair.two, &err));
    mgc_stop_raise(&pair.one);
    mgc_stop_raise(&pair.two);
    assert_true(mgc_loop_add_fd(loop, pair.one.read_fd, on_one, &pair, &err));
    assert_true(mgc_loop_add_fd(loop, pair.two.read_fd, on_one, &pair, &err));
    mgc_loop_add_timer(loop, mgc_mono_ns() + 20 * MGC_NS_PER_MS, on_quit, NULL);
    run();
    assert_int_equal(pair.calls, 1);
    mgc_stop_destroy(&pair.one);
    mgc_stop_destroy(&pair.two);
}

static void add_itself(void *user)
{
    int *calls = user;
    if (++*calls == 1000)
        mgc_loop_quit(loop);
    mgc_loop_add_timer(loop, mgc_mono_ns(), add_itself, user);
}

static void on_ready(void *user)
{
    struct pair *pair = user;
    if (++pair->calls == 3)
        mgc_loop_quit(loop);
}

static void test_busy_timer_does_not_starve_descriptors(void **state)
{
    struct pair pair = {0};
    int timer_calls = 0;
    struct mgc_error err = {0};
    assert_true(mgc_stop_init(&pair.one, &err));
    mgc_stop_raise(&pair.one);
    assert_true(mgc_loop_add_fd(loop, pair.one.read_fd, on_ready, &pair, &err));
    mgc_loop_add_timer(loop, mgc_mono_ns(), add_itself, &timer_calls);
    run();
    assert_int_equal(pair.calls, 3);
    mgc_stop_destroy(&pair.one);
}

static void test_free_takes_null(void **state)
{
    mgc_loop_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_timers_in_order, make_loop, drop_loop),
        cmocka_unit_test_setup_teardown(test_quit_before_run, make_loop, drop_loop),
        cmocka_unit_test_setup_teardown(test_handler_removes_others, make_loop, drop_loop),
        cmocka_unit_test_setup_teardown(
            test_busy_timer_does_not_starve_descriptors, make_loop, drop_loop),
        cmocka_unit_test(test_free_takes_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
