/* Splits a byte stream that arrives in chunks into lines of bounded length. Pure.
 *
 * Zeroed is a valid start. CR before LF is dropped, NUL bytes become '?'. A line longer than the
 * cap is handed on cut, once; or, with in_pieces,
 * whole, in overlapping pieces under one number.
 */
#ifndef MGC_CONTRACT_LINES_H
#define MGC_CONTRACT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest line kept whole; LinkMetrics and PipeStats lines stay below 1 KiB. */
enum { MGC_LINE_MAX = 4096 };

struct mgc_lines {
    char text[MGC_LINE_MAX + 1];
    size_t len;
    bool cut;       /* the line being collected has passed the cap */
    bool in_pieces; /* set by the owner: nothing may be lost at the end of a long line */
    uint64_t count; /* lines handed on */
    uint64_t cut_count;
};

/* `line` ends in NUL and lives only during the call; number is 1 for the first line. */
typedef void mgc_line_fn(void *user, const char *line, uint64_t number);

void mgc_lines_feed(
    struct mgc_lines *lines, const void *data, size_t len, mgc_line_fn *fn, void *user);
/* Hand on a last line without newline, if there is one. */
void mgc_lines_finish(struct mgc_lines *lines, mgc_line_fn *fn, void *user);

#endif
