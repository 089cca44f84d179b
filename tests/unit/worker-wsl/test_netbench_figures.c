/* Figures of a link test, by hand. */
#include <string.h>

#include "common/base/clock.h"
#include "tests/lib/check.h"
#include "worker-wsl/netbench/netbench.h"

static struct mgc_netbench_way a_way(int64_t *bytes, size_t count)
{
    return (struct mgc_netbench_way){.measured = true,
        .duration_ns = (int64_t)count * 100 * MGC_NS_PER_MS,
        .interval_ns = 100 * MGC_NS_PER_MS,
        .bytes = bytes,
        .count = count,
        .streams = {{100, 100}, {20, 30}},
        .stream_count = 2,
        .retransmits = -1};
}

static void test_throughput(void **state)
{
    int64_t bytes[] = {1000, 3000, 2000, 4000};
    struct mgc_netbench_way way = a_way(bytes, 4);
    struct mgc_netbench_figures figures = mgc_netbench_figures(&way);
    assert_int_equal(figures.bytes, 10000);
    assert_int_equal(figures.bps, 200000); /* 80,000 bits in 0.4 s */
    assert_int_equal(figures.intervals, 4);
    assert_int_equal(figures.sent_bytes, 120);
    assert_int_equal(figures.received_bytes, 130);
    assert_true(figures.has_cv);
    assert_float_equal(figures.cv, 1290.994 / 2500, 1e-5);
}

static void test_warm_up(void **state)
{
    int64_t bytes[] = {1, 1, 2000, 2000};
    struct mgc_netbench_way way = a_way(bytes, 4);
    way.warmup_ns = 150 * MGC_NS_PER_MS; /* two intervals */
    struct mgc_netbench_figures figures = mgc_netbench_figures(&way);
    assert_int_equal(figures.bytes, 4000);
    assert_int_equal(figures.window_ns, 200 * MGC_NS_PER_MS);
    assert_int_equal(figures.bps, 160000);
    assert_int_equal(figures.intervals, 2);
    assert_float_equal(figures.cv, 0, 1e-9);
    way.warmup_ns = 60 * MGC_NS_PER_S; /* never all of it */
    figures = mgc_netbench_figures(&way);
    assert_int_equal(figures.bytes, 2000);
    assert_int_equal(figures.intervals, 1);
    assert_false(figures.has_cv);
}

/* The last interval is shorter: it counts for the throughput, not for the spread. */
static void test_a_part_at_the_end(void **state)
{
    int64_t bytes[] = {1000, 1000, 500};
    struct mgc_netbench_way way = a_way(bytes, 3);
    way.duration_ns = 250 * MGC_NS_PER_MS;
    struct mgc_netbench_figures figures = mgc_netbench_figures(&way);
    assert_int_equal(figures.bps, 80000);
    assert_int_equal(figures.intervals, 2);
    assert_float_equal(figures.cv, 0, 1e-9);
}

static void test_nothing_came(void **state)
{
    int64_t bytes[] = {0, 0, 0};
    struct mgc_netbench_way way = a_way(bytes, 3);
    struct mgc_netbench_figures figures = mgc_netbench_figures(&way);
    assert_int_equal(figures.bps, 0);
    assert_false(figures.has_cv);
    way.measured = false;
    figures = mgc_netbench_figures(&way);
    assert_int_equal(figures.window_ns, 0);
}

static void test_round_trips(void **state)
{
    int64_t one[] = {5};
    struct mgc_netbench_rtt rtt = mgc_netbench_rtt_of(one, 1);
    assert_int_equal(rtt.min_ns, 5);
    assert_int_equal(rtt.median_ns, 5);
    assert_int_equal(rtt.p95_ns, 5);
    int64_t many[20];
    for (int64_t i = 0; i < 20; i++)
        many[i] = 20 - i;
    rtt = mgc_netbench_rtt_of(many, 20);
    assert_int_equal(rtt.n, 20);
    assert_int_equal(rtt.min_ns, 1);
    assert_int_equal(rtt.median_ns, 10);
    assert_int_equal(rtt.p95_ns, 19);
    assert_int_equal(mgc_netbench_rtt_of(NULL, 0).n, 0);
}

/* What was seen of each (lab): end to end, through a NAT, through a proxy. */
static void test_path(void **state)
{
    struct mgc_netbench_marks marks = {.mss = 1203,
        .own_address = "192.168.31.20",
        .seen_address = "192.168.31.20",
        .seen_mss = 1191,
        .seen_timestamps = true};
    char text[200];
    assert_int_equal(mgc_netbench_path(&marks), MGC_NETBENCH_PATH_END_TO_END);
    strcpy(marks.seen_address, "192.168.31.2");
    assert_int_equal(mgc_netbench_path(&marks), MGC_NETBENCH_PATH_END_TO_END);
    mgc_netbench_path_reason(&marks, text, sizeof(text));
    assert_non_null(strstr(text, "another address: 192.168.31.2"));
    marks.seen_wscale = 10;
    assert_int_equal(mgc_netbench_path(&marks), MGC_NETBENCH_PATH_MIDDLEBOX);
    marks.seen_wscale = 0;
    marks.seen_mss = 1448;
    assert_int_equal(mgc_netbench_path(&marks), MGC_NETBENCH_PATH_MIDDLEBOX);
    marks.seen_mss = 1100; /* clamped */
    assert_int_equal(mgc_netbench_path(&marks), MGC_NETBENCH_PATH_UNKNOWN);
    marks.seen_timestamps = false;
    marks.seen_mss = 1203;
    assert_int_equal(mgc_netbench_path(&marks), MGC_NETBENCH_PATH_END_TO_END);
    marks.seen_mss = 0;
    assert_int_equal(mgc_netbench_path(&marks), MGC_NETBENCH_PATH_UNKNOWN);
    assert_string_equal(mgc_netbench_path_name(MGC_NETBENCH_PATH_UNKNOWN), "cannot-tell");
}

static void test_facts(void **state)
{
    int64_t bytes[] = {1000, 3000};
    struct mgc_netbench_result result = {.up = a_way(bytes, 2)};
    struct mgc_fields fields = {0};
    struct mgc_buf text = {0};
    int64_t value = 0;
    result.up.loaded = (struct mgc_netbench_rtt){3, 10, 20, 30};
    assert_true(mgc_netbench_to_fields(&result, &fields));
    assert_true(mgc_fields_get_int(&fields, "up_bps", &value));
    assert_int_equal(value, 160000);
    assert_true(mgc_fields_get_int(&fields, "up_rtt_p95_ns", &value));
    assert_int_equal(value, 30);
    assert_true(mgc_fields_get_int(&fields, "rtt_n", &value));
    assert_int_equal(value, 0);
    assert_null(mgc_fields_get(&fields, "rtt_min_ns"));
    assert_null(mgc_fields_get(&fields, "up_retransmits")); /* not known */
    assert_null(mgc_fields_get(&fields, "down_bps"));
    assert_string_equal(mgc_fields_get_str(&fields, "path"), "cannot-tell");
    assert_true(mgc_netbench_put_csv(&result, &text));
    assert_string_equal(mgc_buf_text(&text), "way,index,begin_ms,end_ms,bytes,bps\n"
                                             "up,0,0,100,1000,80000\n"
                                             "up,1,100,200,3000,240000\n");
    mgc_buf_destroy(&text);
    mgc_fields_destroy(&fields);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_throughput),
        cmocka_unit_test(test_warm_up),
        cmocka_unit_test(test_a_part_at_the_end),
        cmocka_unit_test(test_nothing_came),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_path),
        cmocka_unit_test(test_facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
