#include "common/plat/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/error.h"
#include "tests/lib/check.h"

/* In a child of its own: the streams that `closed` has a bit for are closed, then put right. */
static int child(unsigned closed)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (closed & (1u << fd))
            close(fd);
    }
    mgc_streams_open();
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) < 0)
            return 1;
        if (closed & (1u << fd) && fd > 0 && write(fd, "lost", 4) != 4)
            return 2;
    }
    return open("/dev/null", O_RDONLY | O_CLOEXEC) > 2 ? 0 : 3;
}

static void test_no_file_takes_the_place_of_a_stream(void **state)
{
    for (unsigned closed = 0; closed < 8; closed++) {
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0)
            _exit(child(closed));
        int status;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            fail_msg("closed streams %x: status %x", closed, (unsigned)status);
    }
}

/* In a child of its own: the limit stays. */
static void test_a_file_beyond_the_limit_is_an_error(void **state)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct rlimit limit = {.rlim_cur = 4, .rlim_max = 4};
        FILE *file = tmpfile();
        mgc_streams_open();
        if (!file || setrlimit(RLIMIT_FSIZE, &limit) != 0)
            _exit(1);
        ssize_t got = write(fileno(file), "1234", 4) == 4 ? write(fileno(file), "5", 1) : 0;
        _exit(got < 0 && mgc_code_from_errno(errno) == MGC_E_NO_SPACE ? 0 : 2);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_file_takes_the_place_of_a_stream),
        cmocka_unit_test(test_a_file_beyond_the_limit_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
