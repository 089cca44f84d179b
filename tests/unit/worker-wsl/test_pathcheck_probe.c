/* Probing real sockets, in a network namespace of the test's own:
 *
 *   w0 192.168.31.20/24   192.168.31.77 is a neighbour whose MAC nobody has: silence
 *   w0 10.6.0.1           one of our own addresses stands for the phone: real refusals and accepts
 */
#include "worker-wsl/pathcheck/pathcheck.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "common/plat/net.h"
#include "common/plat/stop.h"
#include "tests/lib/check.h"
#include "tests/lib/namespace.h"

#define PHONE "10.6.0.1"

static const char *program; /* mgpathcheck */

static void setup_ip(const char *args)
{
    char line[256];
    snprintf(line, sizeof(line), "ip %s", args);
    if (system(line) != 0)
        fail_msg("%s", line);
}

static struct mgc_path_evidence probe(const char *address, int64_t timeout_ms)
{
    struct mgc_path_request request = {.address = address, .timeout_ms = timeout_ms, .stop_fd = -1};
    struct mgc_path_evidence evidence;
    struct mgc_error err = {0};
    if (!mgc_pathcheck_probe(&request, &evidence, &err))
        fail_msg("%s", err.text);
    assert_string_equal(evidence.address, address);
    assert_int_equal(evidence.count, 3);
    return evidence;
}

static void assert_all(const struct mgc_path_evidence *evidence, enum mgc_path_outcome outcome)
{
    char text[128];
    for (size_t i = 0; i < evidence->count; i++) {
        if (evidence->probes[i].outcome != outcome)
            fail_msg("%s", mgc_path_probe_text(&evidence->probes[i], text, sizeof(text)));
        assert_true(evidence->probes[i].took_us >= 0);
    }
}

/* Exit code of mgpathcheck with its output thrown away. */
static int run(const char *args)
{
    char line[4096 + 256];
    snprintf(line, sizeof(line), "'%s' %s >/dev/null 2>&1", program, args);
    int status = system(line);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_refused(void **state)
{
    struct mgc_path_evidence got = probe(PHONE, 60000);
    assert_all(&got, MGC_PATH_REFUSED);
    assert_int_equal(got.probes[0].errnum, ECONNREFUSED);
    assert_int_equal(got.probes[2].port, 40612);
    assert_string_equal(got.source, PHONE);
    assert_int_equal(run(PHONE), 0);
}

static void test_accepted(void **state)
{
    mgc_socket listener = mgc_net_listen(PHONE, 9, NULL);
    assert_true(listener != MGC_SOCKET_NONE);
    struct mgc_path_evidence got = probe(PHONE, 60000);
    int code = run(PHONE), other = run("--port 10 --port=11 " PHONE);
    mgc_net_close(listener);
    assert_int_equal(got.probes[0].outcome, MGC_PATH_REFUSED);
    assert_int_equal(got.probes[1].outcome, MGC_PATH_ACCEPTED);
    assert_int_equal(got.probes[1].errnum, 0);
    assert_int_equal(code, 1);
    assert_int_equal(other, 0);
}

static void test_silent(void **state)
{
    struct mgc_path_evidence got = probe("192.168.31.77", 50);
    assert_all(&got, MGC_PATH_SILENT);
    for (size_t i = 0; i < got.count; i++)
        assert_true(got.probes[i].took_us >= 50000);
    assert_string_equal(got.source, "192.168.31.20");
    assert_int_equal(run("--timeout 50ms 192.168.31.77"), 2);
}

static void test_no_route(void **state)
{
    struct mgc_path_evidence got = probe("172.20.0.5", 60000);
    assert_all(&got, MGC_PATH_UNREACHABLE);
    assert_int_equal(got.probes[0].errnum, ENETUNREACH);
    assert_string_equal(got.source, "");
    assert_int_equal(run("172.20.0.5"), 2);
}

static void test_unreachable(void **state)
{
    setup_ip("route add unreachable 172.21.0.0/16");
    struct mgc_path_evidence got = probe("172.21.0.5", 60000);
    assert_all(&got, MGC_PATH_UNREACHABLE);
    assert_int_equal(got.probes[0].errnum, EHOSTUNREACH);
}

static void test_stop(void **state)
{
    struct mgc_stop stop;
    assert_true(mgc_stop_init(&stop, NULL));
    mgc_stop_raise(&stop);
    struct mgc_path_request request = {
        .address = "192.168.31.77", .timeout_ms = 600000, .stop_fd = stop.read_fd};
    struct mgc_path_evidence evidence;
    struct mgc_error err = {0};
    assert_false(mgc_pathcheck_probe(&request, &evidence, &err));
    assert_int_equal(err.code, MGC_E_CANCELLED);
    mgc_stop_destroy(&stop);
}

static void test_bad_requests(void **state)
{
    static const unsigned ports[MGC_PATH_PROBES_MAX + 1] = {1, 2, 3, 4, 5, 6, 7};
    static const unsigned zero[] = {0}, high[] = {65536};
    const struct mgc_path_request bad[] = {
        {.address = "phone", .stop_fd = -1},
        {.address = "::1", .stop_fd = -1},
        {.address = PHONE, .ports = ports, .port_count = 0, .stop_fd = -1},
        {.address = PHONE, .ports = ports, .port_count = MGC_PATH_PROBES_MAX + 1, .stop_fd = -1},
        {.address = PHONE, .ports = zero, .port_count = 1, .stop_fd = -1},
        {.address = PHONE, .ports = high, .port_count = 1, .stop_fd = -1},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct mgc_path_evidence evidence;
        struct mgc_error err = {0};
        assert_false(mgc_pathcheck_probe(&bad[i], &evidence, &err));
        assert_int_equal(err.code, MGC_E_USAGE);
        assert_non_null(strstr(err.text, bad[i].address));
    }
}

static void test_usage(void **state)
{
    static const char *const lines[] = {"", "phone", "::1", "1.2.3.4 5.6.7.8", "--port 0 1.2.3.4",
        "--port x 1.2.3.4", "--nope 1.2.3.4", "--timeout soon 1.2.3.4",
        "-p1 -p2 -p3 -p4 -p5 -p6 -p7 1.2.3.4"};
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        int got = run(lines[i]);
        if (got != 64)
            fail_msg("'%s': exit %d", lines[i], got);
    }
    assert_int_equal(run("--help"), 0);
}

static int build(void **state)
{
    static const char *const steps[] = {"link set lo up", "link add w0 type veth peer name w1",
        "addr add 192.168.31.20/24 dev w0", "addr add " PHONE "/32 dev w0", "link set w0 up",
        "link set w1 up", "neigh add 192.168.31.77 lladdr 02:00:00:00:00:77 dev w0 nud permanent"};
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        char line[256];
        snprintf(line, sizeof(line), "ip %s", steps[i]);
        if (system(line) != 0)
            return -1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s MGPATHCHECK\n", argv[0]);
        return 64;
    }
    program = argv[1];
    if (!namespace_enter())
        return CHECK_SKIP;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_accepted),
        cmocka_unit_test(test_silent),
        cmocka_unit_test(test_no_route),
        cmocka_unit_test(test_unreachable),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_bad_requests),
        cmocka_unit_test(test_usage),
    };
    return cmocka_run_group_tests(tests, build, NULL);
}
