/* The route task in a network namespace of the test's own (see test_route.c). */
#include "tests/lib/check.h"

#include <stdlib.h>

#include "tests/lib/namespace.h"
#include "tests/lib/task_run.h"
#include "worker-wsl/route/route.h"
#include "worker-wsl/tasks/tasks.h"

#define PHONE "192.168.21.181"

static struct mgc_wsl_worker worker = {"boot-1"};
static struct task_run run;

static void ip(const char *args)
{
    char line[256];
    snprintf(line, sizeof(line), "ip %s", args);
    if (system(line) != 0)
        fail_msg("%s", line);
}

/* First line of `ip route show PHONE`, without the newline. */
static const char *route(void)
{
    static char line[256];
    FILE *pipe = popen("ip route show " PHONE, "re");
    assert_non_null(pipe);
    if (!fgets(line, sizeof(line), pipe))
        line[0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    pclose(pipe);
    return line;
}

static int setup(void **state)
{
    if (tmpdir_setup(state) != 0)
        return -1;
    task_run_init(&run, mgc_wsl_kinds, mgc_wsl_undos, &worker);
    return 0;
}

static int teardown(void **state)
{
    task_run_destroy(&run);
    ip("route flush exact " PHONE "/32");
    return tmpdir_teardown(state);
}

static void start(const char *gateway)
{
    struct mgc_fields params = {0}, none = {0};
    mgc_fields_set_str(&params, "address", PHONE);
    mgc_fields_set_str(&params, "gateway", gateway);
    mgc_fields_set_str(&params, "interface", "w0");
    task_run_start(&run, "wsl.route", 60000, &params, &none);
    mgc_fields_destroy(&params);
}

static void holds_the_route_and_takes_it_back(void **state)
{
    (void)state;
    start("192.168.31.1");
    task_run_expect(&run, MGC_MSG_EVENT, "ready");
    assert_int_equal(strncmp(route(), PHONE " via 192.168.31.1 dev w0", 38), 0);
    assert_int_equal(mgc_journal_count(run.journal), 1);
    mgc_task_finish(run.task);
    const struct mgc_msg_result *result = task_run_result(&run);
    assert_int_equal(result->code, MGC_OK);
    assert_int_equal(result->undo_done, 1);
    assert_string_equal(mgc_fields_get_str(&result->facts, "before"), "none");
    assert_string_equal(mgc_fields_get_str(&result->facts, "source"), "192.168.31.20");
    assert_string_equal(route(), "");
}

static void restores_what_the_user_had(void **state)
{
    (void)state;
    ip("route add " PHONE " via 192.168.31.7 dev w0 metric 50");
    char before[256];
    snprintf(before, sizeof(before), "%s", route());
    start("192.168.31.1");
    task_run_expect(&run, MGC_MSG_EVENT, "ready");
    mgc_task_stop(run.task, MGC_E_CANCELLED, "enough");
    const struct mgc_msg_result *result = task_run_result(&run);
    assert_int_equal(result->code, MGC_E_CANCELLED);
    assert_int_equal(result->undo_failed, 0);
    assert_non_null(strstr(mgc_fields_get_str(&result->facts, "before"), "192.168.31.7"));
    assert_string_equal(route(), before);
}

static void leaves_what_somebody_else_set_meanwhile(void **state)
{
    (void)state;
    start("192.168.31.1");
    task_run_expect(&run, MGC_MSG_EVENT, "ready");
    ip("route replace " PHONE " via 192.168.31.9 dev w0");
    const struct mgc_msg_result *result = task_run_result(&run);
    assert_int_equal(result->code, MGC_E_LOST);
    assert_non_null(strstr(result->text, "192.168.31.9"));
    assert_int_equal(result->undo_failed, 0);
    assert_int_equal(strncmp(route(), PHONE " via 192.168.31.9 dev w0", 38), 0);
}

/* Also where the kernel tells of the link only, or of nothing that concerns the route. */
static void notices_that_the_route_is_gone(void **state)
{
    (void)state;
    static const char *const ways[] = {"route del " PHONE, "link set w0 down",
        "rule add to " PHONE " blackhole pref 10", "addr del 192.168.31.20/24 dev w0"};
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        start("192.168.31.1");
        task_run_expect(&run, MGC_MSG_EVENT, "ready");
        ip("route add 10.77.0.0/16 dev w0");
        ip("route del 10.77.0.0/16 dev w0");
        ip(ways[i]);
        const struct mgc_msg_result *result = task_run_result(&run);
        if (result->code != MGC_E_LOST)
            fail_msg("%s: code %d: %s", ways[i], (int)result->code, result->text);
        assert_int_equal(strncmp(route(), "", 1), 0);
        task_run_destroy(&run);
        if (system("ip rule del pref 10 2>/dev/null; ip addr replace 192.168.31.20/24 dev w0; "
                   "ip link set w0 up; ip route replace default via 192.168.31.2") != 0)
            fail_msg("put right after '%s'", ways[i]);
        task_run_init(&run, mgc_wsl_kinds, mgc_wsl_undos, &worker);
    }
}

static void a_crash_is_undone_at_the_next_start(void **state)
{
    (void)state;
    start("192.168.31.1");
    task_run_expect(&run, MGC_MSG_EVENT, "ready");
    /* What a new process finds on disk, while the old task "died" holding. */
    struct mgc_journal_config config = {.dir = tmpdir_file("journal"),
        .boot_id = "boot",
        .undos = mgc_wsl_undos,
        .worker = &worker};
    struct mgc_journal *journal = mgc_journal_open(&config, NULL);
    assert_int_equal(mgc_journal_count(journal), 1);
    mgc_journal_replay(journal, 1, 0, NULL, NULL);
    assert_int_equal(mgc_journal_count(journal), 0);
    mgc_journal_free(journal);
    assert_string_equal(route(), "");
    /* And once more, by the first owner: undo is idempotent. */
    mgc_task_finish(run.task);
    assert_int_equal(task_run_result(&run)->undo_failed, 0);
    assert_string_equal(route(), "");
}

static void after_a_restart_a_route_set_by_hand_is_not_brought_back(void **state)
{
    (void)state;
    struct mgc_error err = {0};
    struct mgc_fields before = {0};
    struct mgc_route_state old;
    ip("route add " PHONE " via 192.168.31.7 dev w0");
    assert_true(mgc_route_get(PHONE, &old, NULL) && mgc_route_to_fields(&old, &before));
    ip("route flush exact " PHONE "/32");
    mgc_fields_set_str(&before, "boot_id", "boot-0");
    if (!mgc_wsl_route_undo(&before, &worker, &err))
        fail_msg("%s", err.text);
    assert_string_equal(route(), "");
    mgc_fields_set_str(&before, "boot_id", "boot-1");
    if (!mgc_wsl_route_undo(&before, &worker, &err))
        fail_msg("%s", err.text);
    assert_int_equal(strncmp(route(), PHONE " via 192.168.31.7 dev w0", 38), 0);
    mgc_fields_destroy(&before);
}

static void fails_where_there_is_no_way(void **state)
{
    (void)state;
    start("10.99.99.99");
    const struct mgc_msg_result *result = task_run_result(&run);
    assert_int_not_equal(result->code, MGC_OK);
    assert_int_equal(result->undo_failed, 0);
    assert_string_equal(route(), "");
}

static int build(void **state)
{
    (void)state;
    ip("link set lo up");
    ip("link add w0 type veth peer name w1");
    ip("addr add 192.168.31.20/24 dev w0");
    ip("link set w0 up");
    ip("link set w1 up");
    ip("route add default via 192.168.31.2");
    return 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    if (!namespace_enter())
        return CHECK_SKIP;
    const struct CMUnitTest tests[] = {
        CASE(holds_the_route_and_takes_it_back),
        CASE(restores_what_the_user_had),
        CASE(leaves_what_somebody_else_set_meanwhile),
        CASE(notices_that_the_route_is_gone),
        CASE(a_crash_is_undone_at_the_next_start),
        CASE(after_a_restart_a_route_set_by_hand_is_not_brought_back),
        CASE(fails_where_there_is_no_way),
    };
    return cmocka_run_group_tests(tests, build, NULL);
}
