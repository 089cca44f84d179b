#include "common/plat/net.h"

#include <pthread.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/plat/stop.h"
#include "tests/lib/check.h"

static int64_t soon(void)
{
    return mgc_deadline_in_ms(60000);
}

struct pair {
    mgc_socket listener, client, server;
    unsigned port;
};

static void pair_open(struct pair *pair, const char *host)
{
    struct mgc_error err = {0};
    pair->listener = mgc_net_listen(host, 0, &err);
    if (pair->listener == MGC_SOCKET_NONE)
        fail_msg("%s", err.text);
    assert_true(mgc_net_local_port(pair->listener, &pair->port, NULL));
    assert_true(pair->port > 0);
    pair->client = mgc_net_connect(host, pair->port, soon(), -1, &err);
    if (pair->client == MGC_SOCKET_NONE)
        fail_msg("%s", err.text);
    pair->server = mgc_net_accept(pair->listener, soon(), -1, &err);
    assert_true(pair->server != MGC_SOCKET_NONE);
    assert_true(mgc_net_nodelay(pair->client, &err));
}

static void pair_close(struct pair *pair)
{
    mgc_net_close(pair->listener);
    mgc_net_close(pair->client);
    mgc_net_close(pair->server);
}

static void talk_over(const char *host)
{
    struct pair pair;
    pair_open(&pair, host);
    char got[8] = "";
    assert_true(mgc_net_send_all(pair.client, "hello", 5, soon(), -1, NULL));
    assert_true(mgc_net_recv_all(pair.server, got, 5, soon(), -1, NULL));
    assert_string_equal(got, "hello");
    pair_close(&pair);
}

static void test_talk(void **state)
{
    assert_true(mgc_net_init(NULL));
    talk_over("127.0.0.1");
    talk_over("localhost");
}

static void test_talk_over_ipv6(void **state)
{
    struct mgc_error err = {0};
    mgc_socket probe = mgc_net_listen("::1", 0, &err);
    if (probe == MGC_SOCKET_NONE) {
        print_message("no IPv6 loopback here: %s\n", err.text);
        skip();
    }
    mgc_net_close(probe);
    talk_over("::1");
}

static void test_end_of_stream(void **state)
{
    struct pair pair;
    pair_open(&pair, "127.0.0.1");
    assert_true(mgc_net_send_all(pair.client, "abc", 3, soon(), -1, NULL));
    mgc_net_shutdown_send(pair.client);
    char data[8];
    size_t len = 99;
    struct mgc_error err = {0};
    assert_false(mgc_net_recv_all(pair.server, data, 5, soon(), -1, &err));
    assert_int_equal(err.code, MGC_E_LOST);
    assert_non_null(strstr(err.text, "3 of 5"));
    assert_true(mgc_net_recv_some(pair.server, data, sizeof(data), &len, soon(), -1, NULL));
    assert_int_equal(len, 0);
    /* The other direction is still open. */
    assert_true(mgc_net_send_all(pair.server, "z", 1, soon(), -1, NULL));
    assert_true(mgc_net_recv_some(pair.client, data, sizeof(data), &len, soon(), -1, NULL));
    assert_int_equal(len, 1);
    pair_close(&pair);
}

static void test_deadlines(void **state)
{
    struct pair pair;
    pair_open(&pair, "127.0.0.1");
    struct mgc_error err = {0};
    char data[65536] = {0};
    size_t len;
    assert_false(mgc_net_recv_some(pair.server, data, 1, &len, mgc_deadline_in_ms(10), -1, &err));
    assert_int_equal(err.code, MGC_E_TIMEOUT);
    assert_non_null(strstr(err.text, "127.0.0.1:"));
    mgc_error_clear(&err);
    assert_true(mgc_net_accept(pair.listener, mgc_deadline_in_ms(10), -1, &err) == MGC_SOCKET_NONE);
    assert_int_equal(err.code, MGC_E_TIMEOUT);
    /* Nobody reads: the buffers fill up. */
    bool ok = true;
    for (int i = 0; ok && i < 10000; i++)
        ok = mgc_net_send_all(pair.client, data, sizeof(data), mgc_deadline_in_ms(20), -1, &err);
    assert_false(ok);
    assert_int_equal(err.code, MGC_E_TIMEOUT);
    pair_close(&pair);
}

static void *raise_it(void *arg)
{
    mgc_stop_raise(arg);
    return NULL;
}

static void test_stop_breaks_every_wait(void **state)
{
    struct pair pair;
    pair_open(&pair, "127.0.0.1");
    struct mgc_stop stop;
    assert_true(mgc_stop_init(&stop, NULL));
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, raise_it, &stop), 0);
    struct mgc_error err = {0};
    char byte;
    assert_false(mgc_net_recv_all(pair.server, &byte, 1, MGC_NEVER, stop.read_fd, &err));
    assert_int_equal(err.code, MGC_E_CANCELLED);
    pthread_join(thread, NULL);
    mgc_error_clear(&err);
    assert_true(mgc_net_accept(pair.listener, MGC_NEVER, stop.read_fd, &err) == MGC_SOCKET_NONE);
    assert_int_equal(err.code, MGC_E_CANCELLED);
    mgc_stop_destroy(&stop);
    pair_close(&pair);
}

static void test_connect_errors(void **state)
{
    /* A port that was free a moment ago. */
    unsigned port;
    mgc_socket listener = mgc_net_listen("127.0.0.1", 0, NULL);
    assert_true(mgc_net_local_port(listener, &port, NULL));
    mgc_net_close(listener);
    struct {
        const char *host;
        unsigned port;
        enum mgc_code code;
    } rows[] = {
        {"127.0.0.1", port, MGC_E_REFUSED},
        {"127.0.0.1", 70000, MGC_E_USAGE},
        {"255.255.255.255", 9, MGC_E_UNREACHABLE},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct mgc_error err = {0};
        assert_true(
            mgc_net_connect(rows[i].host, rows[i].port, soon(), -1, &err) == MGC_SOCKET_NONE);
        if (err.code != rows[i].code)
            fail_msg("%s: %s (%s)", rows[i].host, mgc_code_name(err.code), err.text);
        assert_non_null(strstr(err.text, rows[i].host));
    }
}

static void test_stop_breaks_a_name_lookup(void **state)
{
    struct mgc_stop stop;
    assert_true(mgc_stop_init(&stop, NULL));
    mgc_stop_raise(&stop);
    struct mgc_error err = {0};
    assert_true(mgc_net_connect("no-such-name.invalid", 1, MGC_NEVER, stop.read_fd, &err) ==
                MGC_SOCKET_NONE);
    assert_int_equal(err.code, MGC_E_CANCELLED);
    mgc_stop_destroy(&stop);
}

static void test_listen_on_a_taken_port(void **state)
{
    unsigned port;
    mgc_socket first = mgc_net_listen("127.0.0.1", 0, NULL);
    assert_true(mgc_net_local_port(first, &port, NULL));
    struct mgc_error err = {0};
    assert_true(mgc_net_listen("127.0.0.1", port, &err) == MGC_SOCKET_NONE);
    assert_int_equal(err.code, MGC_E_BUSY);
    mgc_net_close(first);
    mgc_net_close(MGC_SOCKET_NONE);
}

static void test_peer_reset_is_lost(void **state)
{
    struct pair pair;
    pair_open(&pair, "127.0.0.1");
    assert_true(mgc_net_send_all(pair.client, "unread", 6, soon(), -1, NULL));
    mgc_net_close(pair.server); /* with unread bytes: the kernel answers with a reset */
    pair.server = MGC_SOCKET_NONE;
    struct mgc_error err = {0};
    char byte;
    size_t len = 1;
    /* Depending on arrival order the reset is seen by receive or by send; SIGPIPE never comes. */
    while (mgc_net_recv_some(pair.client, &byte, 1, &len, soon(), -1, &err) && len > 0)
        ;
    while (err.code == MGC_OK && mgc_net_send_all(pair.client, "x", 1, soon(), -1, &err))
        ;
    assert_int_equal(err.code, MGC_E_LOST);
    pair_close(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_talk),
        cmocka_unit_test(test_talk_over_ipv6),
        cmocka_unit_test(test_end_of_stream),
        cmocka_unit_test(test_deadlines),
        cmocka_unit_test(test_stop_breaks_every_wait),
        cmocka_unit_test(test_connect_errors),
        cmocka_unit_test(test_stop_breaks_a_name_lookup),
        cmocka_unit_test(test_listen_on_a_taken_port),
        cmocka_unit_test(test_peer_reset_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
