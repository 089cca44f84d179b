/* The bytes that go to a terminal, and what a terminal shows of them. */
#include "coordinator/cmd/screen.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/base/log.h"
#include "tests/lib/check.h"

static const struct mgc_status one = {
    .index = 1, .cells = 2, .phase = "server: ready", .cell_ns = -1, .left_ns = -1};
static const struct mgc_status two = {
    .index = 2, .cells = 2, .phase = "go", .cell_ns = -1, .left_ns = -1};

/* What stands on the screen: '\r' goes to the start of the line, blanks write over. */
static void replay(const char *bytes, char *ret_text, size_t size)
{
    size_t line = 0, at = 0, end = 0;
    memset(ret_text, 0, size);
    for (; *bytes; bytes++) {
        if (*bytes == '\r') {
            at = line;
        } else if (*bytes == '\n') {
            while (end > line && ret_text[end - 1] == ' ')
                ret_text[--end] = '\0';
            ret_text[end++] = '\n';
            line = at = end;
        } else {
            assert_true(at + 1 < size);
            ret_text[at++] = *bytes;
            end = at > end ? at : end;
        }
    }
    while (end > line && ret_text[end - 1] == ' ')
        ret_text[--end] = '\0';
}

/* Two events, a line of the log, the end; and what was written. */
static char *play(bool live)
{
    char *bytes = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&bytes, &len);
    struct mgc_screen screen;
    assert_non_null(out);
    mgc_screen_open(&screen, out, live);
    mgc_screen_event(&screen, "step done", false, &one);
    mgc_screen_event(&screen, "cell measured", true, &two);
    if (live)
        mgc_warn("disk is slow");
    mgc_screen_event(&screen, NULL, false, &one);
    mgc_screen_close(&screen);
    fclose(out);
    return bytes;
}

static void a_terminal_ends_with_what_matters_and_no_status_line(void **state)
{
    char *bytes = play(true), shown[1024];
    replay(bytes, shown, sizeof(shown));
    assert_non_null(strstr(bytes, "cell 1/2, server: ready"));
    assert_null(strstr(shown, "step done"));
    assert_null(strstr(shown, "server: ready"));
    assert_non_null(strstr(shown, "cell measured\n"));
    assert_non_null(strstr(shown, "disk is slow\n"));
    assert_int_equal(shown[strlen(shown) - 1], '\n');
    assert_null(strchr(bytes, '\033'));
    free(bytes);
}

static void elsewhere_every_event_is_a_plain_line(void **state)
{
    char *bytes = play(false);
    assert_null(strchr(bytes, '\r'));
    assert_non_null(strstr(bytes, "  step done\n"));
    assert_non_null(strstr(bytes, "  cell measured\n"));
    assert_null(strstr(bytes, "server: ready"));
    free(bytes);
}

static FILE *terminal(int columns, int *ret_master)
{
    *ret_master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (*ret_master < 0 || grantpt(*ret_master) != 0 || unlockpt(*ret_master) != 0)
        return NULL;
    struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = 24};
    int fd = open(ptsname(*ret_master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    return fd >= 0 && ioctl(fd, TIOCSWINSZ, &size) == 0 ? fdopen(fd, "w") : NULL;
}

static void the_terminal_decides(void **state)
{
    int master;
    FILE *tty = terminal(20, &master), *file = tmpfile();
    if (!tty)
        skip();
    setenv("TERM", "xterm", 1);
    assert_true(mgc_screen_is_terminal(tty));
    assert_false(mgc_screen_is_terminal(file));
    assert_int_equal(mgc_screen_columns(tty), 20);
    assert_int_equal(mgc_screen_columns(file), 0);
    setenv("TERM", "dumb", 1);
    assert_false(mgc_screen_is_terminal(tty));
    unsetenv("TERM");
    assert_false(mgc_screen_is_terminal(tty));
    fclose(tty);
    fclose(file);
    close(master);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_terminal_ends_with_what_matters_and_no_status_line),
        cmocka_unit_test(elsewhere_every_event_is_a_plain_line),
        cmocka_unit_test(the_terminal_decides),
    };
    mgc_log_init("test", MGC_LOG_INFO);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
