/* A link test against the real device program, both on this machine. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/plat/net.h"
#include "common/plat/stop.h"
#include "tests/lib/check.h"
#include "tests/unit/worker-host/helper/local_link.h"
#include "worker-wsl/netbench/netbench.h"

#define CHECK_OK(call)                                                                             \
    do {                                                                                           \
        struct mgc_error err = {0};                                                                \
        if (!(call))                                                                               \
            fail_msg("%s", err.text);                                                              \
    } while (0)
#define CHECK_FAILS(call, expected)                                                                \
    do {                                                                                           \
        struct mgc_error err = {0};                                                                \
        assert_false(call);                                                                        \
        if (err.code != (expected))                                                                \
            fail_msg("%s: %s", mgc_code_name(err.code), err.text);                                 \
    } while (0)

enum { LIFETIME_MS = 60000, INTERVAL_MS = 50 };

struct phone {
    struct mgc_helper *helper;
    pid_t pid;
    uint32_t id;
    unsigned port;
    unsigned began, ended, stranger, busy, garbage;
    bool over;
    struct mgc_device_sink_end end;
};
static struct phone phone;
static const unsigned char token[MGC_DEVICE_TOKEN_SIZE] = "0123456789abcdef";

static void on_message(void *ctx, const struct mgc_device_msg *msg)
{
    (void)ctx;
    if (msg->type == MGC_DEVICE_SINK_READY)
        phone.port = msg->sink_ready.port;
    if (msg->type == MGC_DEVICE_SINK_END)
        phone.end = msg->sink_end;
    phone.over |= msg->type == MGC_DEVICE_DONE;
    if (msg->type != MGC_DEVICE_SINK_TOLD)
        return;
    assert_int_equal(msg->sink_told.address, INADDR_LOOPBACK);
    phone.began += msg->sink_told.what == MGC_DEVICE_SINK_BEGAN;
    phone.ended += msg->sink_told.what == MGC_DEVICE_SINK_ENDED;
    phone.stranger += msg->sink_told.what == MGC_DEVICE_SINK_STRANGER;
    phone.busy += msg->sink_told.what == MGC_DEVICE_SINK_BUSY;
    phone.garbage += msg->sink_told.what == MGC_DEVICE_SINK_GARBAGE;
}

static void begin(int64_t lifetime_ms)
{
    struct mgc_adb_wait wait = local_wait();
    struct mgc_helper_sink sink = {.lifetime_ms = lifetime_ms};
    memcpy(sink.token, token, sizeof(token));
    phone = (struct phone){0};
    phone.helper = local_helper(&phone.pid);
    assert_non_null(phone.helper);
    CHECK_OK(mgc_helper_sink(phone.helper, &sink, on_message, NULL, &phone.id, &wait, &err));
    assert_int_not_equal(phone.port, 0);
}

static int setup(void **state)
{
    begin(LIFETIME_MS);
    return 0;
}

/* What the sink has counted, at its end. */
static void end_sink(void)
{
    struct mgc_adb_wait wait = local_wait();
    CHECK_OK(mgc_helper_cancel(phone.helper, phone.id, &wait, &err));
    assert_true(phone.over);
}

static int teardown(void **state)
{
    mgc_helper_free(phone.helper);
    return 0;
}

static struct mgc_netbench_request request(void)
{
    struct mgc_netbench_request made = {.address = "127.0.0.1",
        .port = phone.port,
        .up = true,
        .down = true,
        .streams = 1,
        .duration_ms = 400,
        .interval_ms = INTERVAL_MS,
        .warmup_ms = 100,
        .probes = 5,
        .congestion = "",
        .timeout_ms = 20000,
        .deadline_ns = mgc_deadline_in_ms(60000),
        .stop_fd = -1};
    memcpy(made.token, token, sizeof(token));
    return made;
}

/* --- measuring -------------------------------------------------------------------------------- */

static void check_way(const struct mgc_netbench_way *way, unsigned streams)
{
    struct mgc_netbench_figures figures = mgc_netbench_figures(way);
    int64_t window = 0;
    assert_true(way->measured);
    assert_int_equal(way->count, 8);
    assert_int_equal(way->stream_count, streams);
    for (size_t i = 0; i < streams; i++) {
        assert_true(way->streams[i].sent_bytes > 0);
        assert_int_equal(way->streams[i].sent_bytes, way->streams[i].received_bytes);
    }
    for (size_t i = 0; i < way->count; i++)
        window += way->bytes[i];
    assert_true(window > 0 && window <= figures.received_bytes);
    assert_int_equal(figures.window_ns, 300 * MGC_NS_PER_MS);
    assert_int_equal(figures.intervals, 6);
    assert_true(figures.bps > 0);
    assert_true(way->congestion[0] != '\0');
}

static void test_both_directions(void **state)
{
    struct mgc_netbench_request asked = request();
    struct mgc_netbench_result result;
    asked.streams = 3;
    CHECK_OK(mgc_netbench_run(&asked, &result, &err));
    check_way(&result.up, 3);
    check_way(&result.down, 3);
    assert_true(result.up.heard_bytes >= mgc_netbench_figures(&result.up).received_bytes);
    assert_int_equal(result.down.heard_bytes, 0);
    assert_int_equal(result.idle.n, 5);
    assert_true(result.idle.min_ns > 0 && result.idle.min_ns <= result.idle.median_ns &&
                result.idle.median_ns <= result.idle.p95_ns);
    end_sink();
    assert_int_equal(phone.end.sessions, 1);
    assert_int_equal(phone.end.refused, 0);
    assert_int_equal(phone.end.received_bytes, mgc_netbench_figures(&result.up).received_bytes);
    assert_int_equal(phone.end.sent_bytes, mgc_netbench_figures(&result.down).sent_bytes);
    assert_int_equal(phone.began, 1);
    assert_int_equal(phone.ended, 1);
    mgc_netbench_result_destroy(&result);
}

static void test_one_direction(void **state)
{
    struct mgc_netbench_request asked = request();
    struct mgc_netbench_result result;
    asked.up = false;
    asked.probes = 0;
    CHECK_OK(mgc_netbench_run(&asked, &result, &err));
    assert_false(result.up.measured);
    assert_int_equal(result.idle.n, 0);
    check_way(&result.down, 1);
    mgc_netbench_result_destroy(&result);
}

/* Loopback is end to end, so the marks arrive; and the port is the one that we have. */
static void test_marks(void **state)
{
    struct mgc_netbench_request asked = request();
    struct mgc_netbench_result result;
    asked.up = asked.down = false;
    CHECK_OK(mgc_netbench_run(&asked, &result, &err));
    assert_int_equal(mgc_netbench_path(&result.marks), MGC_NETBENCH_PATH_END_TO_END);
    assert_string_equal(result.marks.seen_address, "127.0.0.1");
    assert_string_equal(result.marks.own_address, "127.0.0.1");
    assert_int_equal(result.marks.seen_port, result.marks.own_port);
    mgc_netbench_result_destroy(&result);
}

static void test_one_session_after_another(void **state)
{
    for (int i = 0; i < 3; i++) {
        struct mgc_netbench_request asked = request();
        struct mgc_netbench_result result;
        asked.down = false;
        CHECK_OK(mgc_netbench_run(&asked, &result, &err));
        mgc_netbench_result_destroy(&result);
    }
    end_sink();
    assert_int_equal(phone.end.sessions, 3);
}

static bool refuse_load(void *ctx, struct mgc_error *err)
{
    ++*(int *)ctx;
    return mgc_error_set(err, MGC_E_FAILED, "a member failed");
}

static void test_no_load_without_leave(void **state)
{
    int asked_for = 0;
    struct mgc_netbench_request asked = request();
    struct mgc_netbench_result result;
    asked.before_load = refuse_load;
    asked.ctx = &asked_for;
    CHECK_FAILS(mgc_netbench_run(&asked, &result, &err), MGC_E_FAILED);
    assert_int_equal(asked_for, 1);
    assert_int_equal(result.idle.n, 5);
    end_sink();
    assert_int_equal(phone.end.received_bytes, 0);
    mgc_netbench_result_destroy(&result);
}

static void test_congestion_control(void **state)
{
    struct mgc_netbench_request asked = request();
    struct mgc_netbench_result result;
    asked.congestion = "reno"; /* every Linux has it */
    CHECK_OK(mgc_netbench_run(&asked, &result, &err));
    assert_string_equal(result.up.congestion, "reno");
    assert_string_equal(result.down.congestion, "reno");
    mgc_netbench_result_destroy(&result);
    asked.congestion = "nosuch";
    asked.up = false;
    assert_false(mgc_netbench_run(&asked, &result, NULL));
    mgc_netbench_result_destroy(&result);
}

/* --- who is not let in ------------------------------------------------------------------------ */

static void test_a_stranger(void **state)
{
    struct mgc_netbench_request asked = request();
    struct mgc_netbench_result result;
    struct mgc_error err;
    asked.token[15] ^= 1;
    assert_false(mgc_netbench_run(&asked, &result, &err));
    assert_int_equal(err.code, MGC_E_DENIED);
    assert_non_null(strstr(err.text, "the token is not this sink's"));
    end_sink();
    assert_int_equal(phone.stranger, 1);
    assert_int_equal(phone.end.refused, 1);
    assert_int_equal(phone.end.sessions, 0);
}

static int connect_to_it(void)
{
    struct mgc_error err = {0};
    int fd = (int)mgc_net_connect("127.0.0.1", phone.port, mgc_deadline_in_ms(20000), -1, &err);
    assert_true(fd >= 0);
    return fd;
}

static void wait_for_its_end(int fd)
{
    char byte;
    size_t len = 1;
    while (len > 0)
        if (!mgc_net_recv_some(fd, &byte, 1, &len, mgc_deadline_in_ms(20000), -1, NULL))
            break;
    close(fd);
}

static void test_garbage(void **state)
{
    int fd = connect_to_it();
    static const char words[] = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n\r\n";
    assert_true(send(fd, words, sizeof(words) - 1, MSG_NOSIGNAL) > 0);
    wait_for_its_end(fd);
    close(connect_to_it()); /* says nothing at all */
    struct mgc_netbench_request asked = request();
    struct mgc_netbench_result result;
    asked.down = false; /* a good client is served nevertheless */
    CHECK_OK(mgc_netbench_run(&asked, &result, &err));
    mgc_netbench_result_destroy(&result);
    end_sink();
    assert_int_equal(phone.garbage, 2);
    assert_int_equal(phone.end.refused, 2);
    assert_int_equal(phone.end.sessions, 1);
}

/* Says hello by hand; the connection stays. */
static int enter(int64_t session, unsigned stream, enum mgc_device_type expected)
{
    struct mgc_buf out = {0};
    struct mgc_device_stream in = {0};
    struct mgc_device_msg msg = {.type = MGC_DEVICE_SINK_HELLO,
        .id = 1,
        .sink_hello = {{token, sizeof(token)}, session, (uint16_t)stream}};
    int fd = connect_to_it();
    assert_true(mgc_device_put_preamble(&out) && mgc_device_put_message(&out, &msg));
    assert_int_equal(out.len, MGC_SINK_HELLO_SIZE);
    assert_true(mgc_net_send_all(fd, out.data, out.len, mgc_deadline_in_ms(20000), -1, NULL));
    while (mgc_device_stream_next(&in, &msg, NULL) == MGC_DEVICE_MORE) {
        char byte;
        assert_true(mgc_net_recv_all(fd, &byte, 1, mgc_deadline_in_ms(20000), -1, NULL));
        assert_true(mgc_device_stream_feed(&in, &byte, 1, NULL));
    }
    assert_int_equal(msg.type, expected);
    if (expected == MGC_DEVICE_SINK_SEEN)
        assert_int_equal(in.used + MGC_DEVICE_PREAMBLE_SIZE, MGC_SINK_SEEN_SIZE);
    mgc_device_stream_destroy(&in);
    mgc_buf_destroy(&out);
    return fd;
}

static void test_one_client_at_a_time(void **state)
{
    struct mgc_netbench_request asked = request();
    struct mgc_netbench_result result;
    struct mgc_error err;
    int first = enter(7, 0, MGC_DEVICE_SINK_SEEN);
    assert_false(mgc_netbench_run(&asked, &result, &err));
    assert_int_equal(err.code, MGC_E_BUSY);
    close(enter(8, 1, MGC_DEVICE_FAILED)); /* a stream of another session */
    close(enter(7, 1, MGC_DEVICE_SINK_SEEN));
    close(first);
    end_sink();
    assert_int_equal(phone.busy, 2);
    assert_int_equal(phone.end.sessions, 1);
    assert_int_equal(phone.end.refused, 2);
}

/* --- ends ------------------------------------------------------------------------------------- */

static void test_it_ends_by_itself(void **state)
{
    struct mgc_adb_wait wait = local_wait();
    mgc_helper_free(phone.helper);
    begin(100);
    int fd = enter(7, 0, MGC_DEVICE_SINK_SEEN);
    while (!phone.over)
        CHECK_OK(mgc_helper_pump(phone.helper, &wait, &err));
    assert_int_equal(phone.end.sessions, 1);
    wait_for_its_end(fd);
    assert_true(mgc_net_connect("127.0.0.1", phone.port, mgc_deadline_in_ms(20000), -1, NULL) ==
                MGC_SOCKET_NONE);
}

struct later {
    struct mgc_stop stop;
    pid_t kill;
};

/* As soon as there is load. */
static bool on_load(void *ctx, struct mgc_error *err)
{
    struct later *later = ctx;
    if (later->kill)
        kill(later->kill, SIGKILL);
    else
        mgc_stop_raise(&later->stop);
    return true;
}

static void test_stop(void **state)
{
    struct later later = {.stop = MGC_STOP_INIT};
    struct mgc_netbench_request asked = request();
    struct mgc_netbench_result result;
    assert_true(mgc_stop_init(&later.stop, NULL));
    asked.stop_fd = later.stop.read_fd;
    asked.before_load = on_load;
    asked.ctx = &later;
    asked.duration_ms = 30000;
    CHECK_FAILS(mgc_netbench_run(&asked, &result, &err), MGC_E_CANCELLED);
    mgc_netbench_result_destroy(&result);
    mgc_stop_destroy(&later.stop);
}

static void test_death_of_the_sink(void **state)
{
    struct later later = {.stop = MGC_STOP_INIT, .kill = phone.pid};
    struct mgc_netbench_request asked = request();
    struct mgc_netbench_result result;
    asked.before_load = on_load;
    asked.ctx = &later;
    asked.duration_ms = 30000;
    assert_false(mgc_netbench_run(&asked, &result, NULL));
    assert_false(result.up.measured);
    mgc_netbench_result_destroy(&result);
}

static void test_nobody_there(void **state)
{
    struct mgc_netbench_request asked = request();
    struct mgc_netbench_result result;
    end_sink();
    CHECK_FAILS(mgc_netbench_run(&asked, &result, &err), MGC_E_REFUSED);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_both_directions),
        TEST(test_one_direction),
        TEST(test_marks),
        TEST(test_one_session_after_another),
        TEST(test_no_load_without_leave),
        TEST(test_congestion_control),
        TEST(test_a_stranger),
        TEST(test_garbage),
        TEST(test_one_client_at_a_time),
        TEST(test_it_ends_by_itself),
        TEST(test_stop),
        TEST(test_death_of_the_sink),
        TEST(test_nobody_there),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
