/* What a person sees on stderr while a run is on: on a terminal one status line that stays at the
 * bottom, above it what matters later too; elsewhere (a file, a pipe, TERM=dumb) one plain line per
 * event. Neither colours nor escape sequences, so NO_COLOR has nothing to change. Lines of the log
 * go above the status line as well.
 *
 * One thread.
 */
#ifndef MGC_CMD_SCREEN_H
#define MGC_CMD_SCREEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "coordinator/progress/status.h"

struct mgc_screen {
    FILE *out; /* borrowed */
    bool live; /* a terminal with a status line */
    int shown; /* characters of the status line that stand there */
    int64_t start_ns;
    FILE *log; /* owned; NULL: none */
};

/* live: as is_terminal says; the log is sent through the screen then. */
void mgc_screen_open(struct mgc_screen *screen, FILE *out, bool live);
/* Takes the status line away; takes zeroed. */
void mgc_screen_close(struct mgc_screen *screen);

/* text may be NULL. What is not important only changes the status line, where there is one. */
void mgc_screen_event(
    struct mgc_screen *screen, const char *text, bool important, const struct mgc_status *status);

/* Can the status line stay in its place there? */
bool mgc_screen_is_terminal(FILE *out);
/* Its width in characters; 0: unknown, or no terminal. */
int mgc_screen_columns(FILE *out);

#endif
