/* Peers that do not answer, in a network namespace of the test's own: 192.168.31.77 is a neighbour
 * whose MAC nobody has, 172.21/16 is answered by "unreachable". */
#include "common/plat/net.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/plat/stop.h"
#include "tests/lib/check.h"
#include "tests/lib/namespace.h"

static void test_silence_is_a_timeout(void **state)
{
    struct mgc_error err = {0};
    mgc_socket got = mgc_net_connect("192.168.31.77", 5555, mgc_deadline_in_ms(50), -1, &err);
    assert_true(got == MGC_SOCKET_NONE);
    assert_int_equal(err.code, MGC_E_TIMEOUT);
    assert_non_null(strstr(err.text, "192.168.31.77 port 5555"));
}

static void test_no_way_is_unreachable(void **state)
{
    static const char *const hosts[] = {"172.21.0.5", "172.20.0.5"};
    for (size_t i = 0; i < 2; i++) {
        struct mgc_error err = {0};
        assert_true(mgc_net_connect(hosts[i], 5555, MGC_NEVER, -1, &err) == MGC_SOCKET_NONE);
        assert_int_equal(err.code, MGC_E_UNREACHABLE);
        assert_non_null(strstr(err.text, hosts[i]));
    }
}

static void *raise_it(void *arg)
{
    mgc_stop_raise(arg);
    return NULL;
}

static void test_stop_breaks_a_connect(void **state)
{
    struct mgc_stop stop;
    assert_true(mgc_stop_init(&stop, NULL));
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, raise_it, &stop), 0);
    struct mgc_error err = {0};
    mgc_socket got = mgc_net_connect("192.168.31.77", 5555, MGC_NEVER, stop.read_fd, &err);
    assert_true(got == MGC_SOCKET_NONE);
    assert_int_equal(err.code, MGC_E_CANCELLED);
    pthread_join(thread, NULL);
    mgc_stop_destroy(&stop);
}

static int build(void **state)
{
    return system("ip link set lo up && ip link add w0 type veth peer name w1 && "
                  "ip addr add 192.168.31.20/24 dev w0 && ip link set w0 up && ip link set w1 up "
                  "&& ip neigh add 192.168.31.77 lladdr 02:00:00:00:00:77 dev w0 nud permanent && "
                  "ip route add unreachable 172.21.0.0/16") == 0
               ? 0
               : -1;
}

int main(void)
{
    if (!namespace_enter())
        return CHECK_SKIP;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_silence_is_a_timeout),
        cmocka_unit_test(test_no_way_is_unreachable),
        cmocka_unit_test(test_stop_breaks_a_connect),
    };
    return cmocka_run_group_tests(tests, build, NULL);
}
