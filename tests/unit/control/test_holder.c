#include "coordinator/control/holder.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "coordinator/store/run_dir.h"
#include "tests/lib/check.h"
#include "tests/lib/tmpdir.h"

/* As Linux 6 prints it: 127.0.0.1:40700 is 0100007F:9EFC; 0A is LISTEN, 01 ESTABLISHED. */
static const char table[] =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
    "inode                                                     \n"
    "   0: 0100007F:9EFC 0100007F:1234 01 00000000:00000000 00:00000000 00000000     0        0 "
    "111 1 0000000000000000 20 4 30 10 -1\n"
    "  12: 0100007F:9EFC 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 "
    "222 1 0000000000000000 100 0 0 10 0\n"
    "  13: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A "
    "00000000:00000000 00:00000000 00000000     0        0 333 1 0000000000000000 100 0 0 10 0\n";

static void listeners_are_found(void **state)
{
    uint64_t inode = 0;
    assert_true(mgc_holder_inode(table, 40700, &inode));
    assert_int_equal(inode, 222);
    assert_true(mgc_holder_inode(table, 8080, &inode));
    assert_int_equal(inode, 333);
    assert_false(mgc_holder_inode(table, 22, &inode));
    assert_false(mgc_holder_inode("", 22, &inode));
    assert_false(mgc_holder_inode("12: zz:9EFC 0:0 0A\n\n", 40700, &inode));
}

static int listen_somewhere(char endpoint[64])
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
    snprintf(endpoint, 64, "tcp://127.0.0.1:%d", ntohs(address.sin_port));
    return fd;
}

static void the_process_and_its_run_are_named(void **state)
{
    char endpoint[64], pid[32];
    struct mgc_error err;
    struct mgc_run_dir dir;
    int fd = listen_somewhere(endpoint);
    snprintf(pid, sizeof(pid), "process %ld", (long)getpid());
    mgc_error_set(&err, MGC_E_BUSY, "in use");
    mgc_holder_explain(endpoint, &err);
    assert_non_null(strstr(err.text, pid));
    assert_non_null(strstr(err.text, endpoint));
    assert_true(mgc_run_dir_open(&dir, tmpdir_path, "run-7", NULL));
    mgc_error_set(&err, MGC_E_BUSY, "in use");
    mgc_holder_explain(endpoint, &err);
    assert_non_null(strstr(err.text, "run 'run-7' (process"));
    assert_int_equal(err.code, MGC_E_BUSY);
    mgc_run_dir_close(&dir);
    close(fd);
}

static void other_errors_stay(void **state)
{
    struct mgc_error err;
    mgc_error_set(&err, MGC_E_DENIED, "no");
    mgc_holder_explain("tcp://127.0.0.1:1", &err);
    assert_string_equal(err.text, "no");
    mgc_error_set(&err, MGC_E_BUSY, "in use");
    mgc_holder_explain("tcp://127.0.0.1:1", &err);
    assert_string_equal(err.text, "in use");
    mgc_holder_explain("nonsense", &err);
    mgc_holder_explain("nonsense", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listeners_are_found),
        cmocka_unit_test(the_process_and_its_run_are_named),
        cmocka_unit_test(other_errors_stay),
    };
    return cmocka_run_group_tests(tests, tmpdir_setup, tmpdir_teardown);
}
