/* What cells of several phones share: the queue alone, and runs that wait in it. */
#include "coordinator/sched/slots.h"

#include <string.h>

#include "tests/lib/check.h"
#include "tests/unit/sched/bench.h"

/* ---- the queue ---- */

static char a, b, c, d; /* only their addresses matter */

static void remember_woken(void *user, void *whose)
{
    *(void **)user = whose;
}

static void who_comes_first_is_served_first(void **state)
{
    void *woken = NULL, *holder;
    struct mgc_slots slots = {.wake = remember_woken, .user = &woken};
    char *const all[] = {&a, &b, &c, &d};
    for (size_t i = 0; i < 4; i++)
        assert_true(mgc_slots_add(&slots, all[i]));
    assert_true(mgc_slots_take(&slots, "wsl1", 1, &a, &holder));
    assert_false(mgc_slots_take(&slots, "wsl1", 1, &c, &holder));
    assert_ptr_equal(holder, &a);
    assert_false(mgc_slots_take(&slots, "wsl1", 1, &b, &holder));
    assert_true(mgc_slots_take(&slots, "wsl1", 1, &a, NULL)); /* asks again */
    assert_true(mgc_slots_take(&slots, "wsl2", 1, &d, NULL)); /* another worker's */
    assert_null(woken);
    mgc_slots_drop(&slots, &a);
    assert_non_null(woken);
    assert_false(mgc_slots_take(&slots, "wsl1", 1, &b, &holder));
    assert_ptr_equal(holder, &c); /* it is c's turn, although it has not asked yet */
    assert_false(mgc_slots_take(&slots, "wsl1", 1, &a, NULL)); /* behind those that wait */
    assert_true(mgc_slots_take(&slots, "wsl1", 1, &c, NULL));
    mgc_slots_drop(&slots, &b); /* does not want it any more */
    assert_false(mgc_slots_take(&slots, "wsl1", 1, &a, NULL));
    mgc_slots_drop(&slots, &c);
    assert_true(mgc_slots_take(&slots, "wsl1", 1, &a, NULL));
    mgc_slots_drop(&slots, &b); /* has none: nothing */
    assert_false(mgc_slots_take(&slots, "wsl1", 1, &b, NULL));
    mgc_slots_destroy(&slots);
    (void)state;
}

static void several_at_a_time(void **state)
{
    struct mgc_slots slots = {0};
    char *const all[] = {&a, &b, &c};
    for (size_t i = 0; i < 3; i++)
        assert_true(mgc_slots_add(&slots, all[i]));
    assert_true(mgc_slots_take(&slots, "wsl1", 2, &a, NULL));
    assert_true(mgc_slots_take(&slots, "wsl1", 2, &b, NULL));
    assert_false(mgc_slots_take(&slots, "wsl1", 2, &c, NULL));
    mgc_slots_drop(&slots, &b);
    assert_true(mgc_slots_take(&slots, "wsl1", 2, &c, NULL));
    mgc_slots_destroy(&slots);
    (void)state;
}

/* ---- runs ---- */

static void wake(void *user, void *whose)
{
    struct bench *bench = whose;
    mgc_run_tick(bench->run, bench->now_ns);
    (void)user;
}

struct pair {
    struct mgc_slots slots;
    struct bench one, other;
};

/* Two phones of one WSL worker; the first one measures. */
static void begin(struct pair *pair)
{
    struct bench *const benches[] = {&pair->one, &pair->other};
    pair->slots = (struct mgc_slots){.wake = wake};
    for (size_t i = 0; i < 2; i++) {
        bench_start(benches[i], 2);
        benches[i]->slots = &pair->slots;
        assert_true(mgc_slots_add(&pair->slots, benches[i]));
        bench_join_all(benches[i]);
        bench_settle(benches[i]);
    }
    mgc_buf_clear(&pair->one.log);
    mgc_buf_clear(&pair->other.order);
}

static void end(struct pair *pair)
{
    bench_stop(&pair->one);
    bench_stop(&pair->other);
    mgc_slots_destroy(&pair->slots);
}

static void end_cell(struct bench *bench)
{
    bench_done(bench, "replay");
    bench_done(bench, "server");
    bench_done(bench, "logcat");
}

static void cells_take_turns_and_a_setup_does_not_wait(void **state)
{
    struct pair pair;
    begin(&pair);
    const char *waits = strstr(mgc_buf_text(&pair.other.log), "end setup a1 ok\n");
    assert_non_null(waits);
    assert_string_equal(
        waits, "end setup a1 ok\nprogress cell1: waiting for a slot\n"); /* said once */
    mgc_buf_clear(&pair.other.log);
    bench_pass(&pair.other, 500 * SEC); /* no deadline of the cell runs meanwhile */
    assert_log(&pair.other, "");
    bench_go(&pair.one);
    end_cell(&pair.one);
    assert_log(&pair.other, "begin cell1 a1\nhost TASK logcat\n");
    assert_non_null(strstr(
        mgc_buf_text(&pair.one.log), "end cell1 a1 ok\nprogress cell2: waiting for a slot\n"));
    bench_go(&pair.other);
    end_cell(&pair.other);
    assert_string_equal(mgc_buf_text(&pair.one.order),
        "begin setup a1\nend setup\nbegin cell1 a1\nend cell1\nbegin cell2 a1\n");
    bench_go(&pair.one);
    end_cell(&pair.one);
    /* the closing cell needs none */
    assert_non_null(strstr(mgc_buf_text(&pair.one.order), "end cell2\nbegin close a1\n"));
    assert_non_null(strstr(mgc_buf_text(&pair.other.order), "begin cell2 a1\n"));
    end(&pair);
    (void)state;
}

/* Who waits for a worker, or ends, does not stand in the way. */
static void a_run_that_cannot_begin_gives_its_turn_away(void **state)
{
    struct pair pair;
    begin(&pair);
    struct mgc_error why;
    mgc_error_set(&why, MGC_E_LOST, "silent");
    pair.other.online[MGC_ROLE_WSL] = false;
    mgc_run_worker_lost(pair.other.run, MGC_ROLE_WSL, &why, pair.other.now_ns);
    bench_go(&pair.one);
    end_cell(&pair.one);
    assert_non_null(strstr(mgc_buf_text(&pair.one.order), "end cell1\nbegin cell2 a1\n"));
    pair.other.online[MGC_ROLE_WSL] = true;
    mgc_run_worker_joined(pair.other.run, MGC_ROLE_WSL, pair.other.now_ns);
    bench_settle(&pair.other); /* route went with its worker */
    mgc_run_interrupt(pair.other.run, pair.other.now_ns);
    bench_go(&pair.one);
    end_cell(&pair.one);
    assert_non_null(strstr(mgc_buf_text(&pair.one.order), "end cell2\nbegin close a1\n"));
    assert_null(strstr(mgc_buf_text(&pair.other.order), "begin cell1"));
    end(&pair);
    (void)state;
}

/* A failed cell that is tried again waits behind the other phone. */
static void a_further_attempt_comes_after_the_others(void **state)
{
    struct pair pair;
    begin(&pair);
    bench_go(&pair.one);
    pair.one.after[pair.one.ends] = MGC_AFTER_AGAIN;
    bench_fail(&pair.one, "replay", MGC_E_LOST, "gone");
    bench_done(&pair.one, "server");
    bench_done(&pair.one, "logcat");
    assert_non_null(strstr(mgc_buf_text(&pair.other.order), "begin cell1 a1\n"));
    assert_null(strstr(mgc_buf_text(&pair.one.order), "begin cell1 a2\n"));
    bench_go(&pair.other);
    end_cell(&pair.other);
    assert_non_null(strstr(mgc_buf_text(&pair.one.order), "begin cell1 a2\n"));
    end(&pair);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_comes_first_is_served_first),
        cmocka_unit_test(several_at_a_time),
        cmocka_unit_test(cells_take_turns_and_a_setup_does_not_wait),
        cmocka_unit_test(a_run_that_cannot_begin_gives_its_turn_away),
        cmocka_unit_test(a_further_attempt_comes_after_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
