/* Barriers: one instant for all members, and what happens when there is none. */
#include "tests/unit/sched/bench.h"

#include <string.h>

#include "coordinator/sched/barrier.h"
#include "tests/lib/check.h"

static void release_is_one_instant_in_each_clock(void **state)
{
    struct bench bench;
    bench_start(&bench, 1);
    bench_join_all(&bench);
    bench_settle(&bench);
    bench_go(&bench);
    /* lead 100 ms from the plan is more than 4 round trips of 4 ms */
    assert_int_equal(bench.last_instant_ns[MGC_ROLE_HOST], bench.now_ns + 100 * MS + 5 * SEC);
    assert_int_equal(bench.last_instant_ns[MGC_ROLE_WSL], bench.now_ns + 100 * MS - 7 * SEC);
    bench_released(&bench, "server", 1 * MS);
    bench_released(&bench, "replay", 3 * MS);
    bench_done(&bench, "replay");
    bench_done(&bench, "server");
    bench_done(&bench, "logcat");
    assert_true(bench.last_release.released);
    assert_int_equal(bench.last_release.members, 2);
    assert_int_equal(bench.last_release.reported, 2);
    assert_int_equal(bench.last_release.skew_ns, 2 * MS);
    assert_int_equal(bench.last_release.uncertainty_ns, 2 * MS);
    bench_stop(&bench);
}

static void impossible_instants_are_no_report(void **state)
{
    struct bench bench;
    bench_start(&bench, 1);
    bench_join_all(&bench);
    bench_settle(&bench);
    bench_go(&bench);
    /* Its clock is 7 s behind ours, so in ours this is past 64 bits. */
    bench_released(&bench, "replay", INT64_MAX - bench.last_instant_ns[MGC_ROLE_WSL]);
    /* An instant that there is, but no skew between it and a good one. */
    bench_released(&bench, "server", INT64_MIN);
    bench_released(&bench, "replay", 0);
    bench_done(&bench, "replay");
    bench_done(&bench, "server");
    bench_done(&bench, "logcat");
    assert_true(bench.last_release.released);
    assert_int_equal(bench.last_release.reported, 1);
    assert_int_equal(bench.last_release.skew_ns, 0);
    bench_stop(&bench);
}

static void unknown_clock_delays_the_release(void **state)
{
    struct bench bench;
    bench_start(&bench, 1);
    bench_join_all(&bench);
    bench_settle(&bench);
    bench.offset_known = false;
    bench_go(&bench);
    assert_log(&bench, "");
    bench_pass(&bench, 1 * SEC);
    assert_log(&bench, "");
    bench.offset_known = true;
    bench_pass(&bench, 1 * SEC);
    assert_log(&bench, "host RELEASE server ok\nwsl RELEASE replay ok\n");
    bench_stop(&bench);
}

static void clock_that_stays_unknown_fails_the_barrier(void **state)
{
    struct bench bench;
    bench_start(&bench, 1);
    bench_join_all(&bench);
    bench_settle(&bench);
    bench.offset_known = false;
    bench_go(&bench);
    bench_pass(&bench, 21 * SEC);
    const char *log = mgc_buf_text(&bench.log);
    assert_non_null(
        strstr(log, "RELEASE server barrier 'start': a member's clock is still unknown"));
    assert_non_null(strstr(log, "wsl CANCEL replay"));
    bench_stop(&bench);
}

static void failing_member_releases_the_waiting_by_name(void **state)
{
    struct bench bench;
    bench_start(&bench, 1);
    bench_join_all(&bench);
    bench_settle(&bench);
    bench_ready(&bench, "logcat");
    bench_ready(&bench, "server");
    bench_arrive(&bench, "server");
    mgc_buf_clear(&bench.log);
    bench_fail(&bench, "replay", MGC_E_NOT_FOUND, "trace is missing");
    assert_log(&bench,
        "host RELEASE server barrier 'start': step 'replay' failed: trace is missing\n"
        "host FINISH server\n");
    bench_stop(&bench);
}

/* Nobody waits for the deadline of a step whose worker could not be told. */
static void a_release_that_is_not_sent_fails_the_barrier_at_once(void **state)
{
    struct bench bench;
    bench_start(&bench, 1);
    bench_join_all(&bench);
    bench_settle(&bench);
    bench_ready(&bench, "logcat");
    bench_ready(&bench, "server");
    bench_arrive(&bench, "server");
    mgc_buf_clear(&bench.log);
    bench.unsent = MGC_MSG_RELEASE;
    bench.unsent_role = MGC_ROLE_HOST;
    bench_arrive(&bench, "replay");
    assert_log(&bench,
        "wsl RELEASE replay worker of role 'host' has no session: the release of its barrier was "
        "not sent\n"
        "host FINISH logcat\n"
        "wsl CANCEL replay\n");
    bench_fail(&bench, "replay", MGC_E_CANCELLED, "cancelled");
    bench_done(&bench, "logcat");
    assert_non_null(strstr(mgc_buf_text(&bench.log),
        "end cell1 a1 step 'server' (host.server): worker of role 'host' has no session: the "
        "release of its barrier was not sent (infrastructure)\n"));
    assert_false(bench.last_release.released);
    bench_stop(&bench);
}

static void barrier_names_the_missing_at_half_time_and_at_the_end(void **state)
{
    struct bench bench;
    bench_start(&bench, 1);
    bench_join_all(&bench);
    bench_settle(&bench);
    bench_ready(&bench, "logcat");
    bench_ready(&bench, "server");
    bench_arrive(&bench, "server");
    mgc_buf_clear(&bench.log);
    bench_pass(&bench, 10 * SEC);
    assert_log(&bench, "progress cell1 barrier 'start': half of the time is gone, still missing: "
                       "replay\n");
    bench_pass(&bench, 9 * SEC);
    assert_log(&bench, "");
    bench_pass(&bench, 1 * SEC);
    assert_log(&bench, "host RELEASE server barrier 'start': replay did not arrive within 20 s\n"
                       "wsl CANCEL replay\n");
    bench_stop(&bench);
}

/* Two of them on one worker, as a server and who watches it. */
static bool three_clocks(void *user, enum mgc_role role, int64_t *ret_offset_ns,
    int64_t *ret_uncertainty_ns, int64_t *ret_round_trip_ns)
{
    (void)user;
    bool host = role == MGC_ROLE_HOST;
    *ret_offset_ns = host ? 5 * SEC : -7 * SEC;
    *ret_uncertainty_ns = host ? 1 * MS : 3 * MS;
    *ret_round_trip_ns = host ? 1 * MS : 50 * MS;
    return true;
}

static void skew_is_that_of_all_members(void **state)
{
    (void)state;
    static const struct mgc_run_ops ops = {.offset = three_clocks};
    static const int64_t late_ns[] = {4 * MS, 1 * MS, 9 * MS};
    static const int64_t skew_ns[] = {0, 3 * MS, 8 * MS};
    struct mgc_barrier barrier;
    mgc_barrier_init(&barrier, "start", 60000, 100);
    for (size_t i = 0; i < 3; i++)
        assert_true(mgc_barrier_add(&barrier, 10 + i, i < 2 ? MGC_ROLE_HOST : MGC_ROLE_WSL));
    for (size_t i = 0; i < 3; i++) {
        assert_false(mgc_barrier_complete(&barrier));
        assert_true(mgc_barrier_arrive(&barrier, 10 + i, 1 * SEC));
    }
    assert_true(mgc_barrier_complete(&barrier));
    assert_true(mgc_barrier_release(&barrier, &ops, NULL, 2 * SEC));
    /* the slowest member's round trip and the least certain clock count */
    assert_int_equal(barrier.release.lead_ns, 200 * MS);
    assert_int_equal(barrier.release.uncertainty_ns, 3 * MS);
    for (size_t i = 0; i < 3; i++) {
        mgc_barrier_report(&barrier, 10 + i, mgc_barrier_instant(&barrier, i) + late_ns[i]);
        assert_int_equal(barrier.release.reported, i + 1);
        assert_int_equal(barrier.release.skew_ns, skew_ns[i]);
        mgc_barrier_report(&barrier, 10 + i, mgc_barrier_instant(&barrier, i)); /* said twice */
        assert_int_equal(barrier.release.reported, i + 1);
    }
    assert_int_equal(barrier.release.members, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(release_is_one_instant_in_each_clock),
        cmocka_unit_test(impossible_instants_are_no_report),
        cmocka_unit_test(unknown_clock_delays_the_release),
        cmocka_unit_test(clock_that_stays_unknown_fails_the_barrier),
        cmocka_unit_test(failing_member_releases_the_waiting_by_name),
        cmocka_unit_test(a_release_that_is_not_sent_fails_the_barrier_at_once),
        cmocka_unit_test(barrier_names_the_missing_at_half_time_and_at_the_end),
        cmocka_unit_test(skew_is_that_of_all_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
