#include "coordinator/cmd/screen.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/text.h"

enum { USUAL_COLUMNS = 80 };

bool mgc_screen_is_terminal(FILE *out)
{
    const char *term = getenv("TERM");
    return isatty(fileno(out)) == 1 && term && *term && strcmp(term, "dumb") != 0;
}

int mgc_screen_columns(FILE *out)
{
    struct winsize size;
    if (isatty(fileno(out)) != 1 || ioctl(fileno(out), TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col;
}

/* By blanks, not by an escape sequence: every terminal knows them. */
static void erase(struct mgc_screen *screen)
{
    if (screen->shown)
        fprintf(screen->out, "\r%*s\r", screen->shown, "");
    screen->shown = 0;
}

static void draw(struct mgc_screen *screen, const struct mgc_status *status)
{
    struct mgc_buf line = {0};
    int columns = mgc_screen_columns(screen->out);
    if (columns == 0)
        columns = USUAL_COLUMNS;
    mgc_status_line(status, columns, &line);
    int rest = screen->shown - (int)line.len; /* of a longer line before */
    fprintf(screen->out, "\r%s", mgc_buf_text(&line));
    if (rest > 0)
        fprintf(screen->out, "%*s\r%s", rest, "", mgc_buf_text(&line));
    screen->shown = (int)line.len;
    mgc_buf_destroy(&line);
}

/* A line of the log, on its way to the screen. The status line comes back with the next event. */
static ssize_t write_log(void *cookie, const char *data, size_t len)
{
    struct mgc_screen *screen = cookie;
    erase(screen);
    return (ssize_t)fwrite(data, 1, len, screen->out);
}

void mgc_screen_open(struct mgc_screen *screen, FILE *out, bool live)
{
    *screen = (struct mgc_screen){.out = out, .live = live, .start_ns = mgc_mono_ns()};
    if (!live)
        return;
    screen->log = fopencookie(screen, "w", (cookie_io_functions_t){.write = write_log});
    if (!screen->log)
        return;
    setvbuf(screen->log, NULL, _IOLBF, BUFSIZ);
    mgc_log_to(screen->log);
}

void mgc_screen_close(struct mgc_screen *screen)
{
    if (!screen->out)
        return;
    if (screen->log) {
        mgc_log_to(NULL);
        fclose(screen->log);
    }
    erase(screen);
    fflush(screen->out);
    *screen = (struct mgc_screen){0};
}

void mgc_screen_event(
    struct mgc_screen *screen, const char *text, bool important, const struct mgc_status *status)
{
    if (text && (important || !screen->live)) {
        int64_t ms = (mgc_mono_ns() - screen->start_ns) / MGC_NS_PER_MS;
        char line[2048];
        snprintf(line, sizeof(line), "%s", text);
        mgc_text_one_line(line);
        erase(screen);
        fprintf(screen->out, "%4lld.%03lld  %s\n", (long long)(ms / 1000), (long long)(ms % 1000),
            line);
    }
    if (screen->live)
        draw(screen, status);
    fflush(screen->out);
}
