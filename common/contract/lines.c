#include "common/contract/lines.h"

#include <string.h>

static void hand_on(struct mgc_lines *lines, mgc_line_fn *fn, void *user)
{
    if (lines->len && lines->text[lines->len - 1] == '\r')
        lines->len--;
    lines->text[lines->len] = '\0';
    lines->count++;
    lines->cut_count += lines->cut;
    fn(user, lines->text, lines->count);
    lines->len = 0;
    lines->cut = false;
}

/* More than any mark that is searched for, so that none is cut in two. */
enum { PIECE_OVERLAP = 256 };

static void hand_on_piece(struct mgc_lines *lines, mgc_line_fn *fn, void *user)
{
    lines->text[lines->len] = '\0';
    fn(user, lines->text, lines->count + 1);
    memmove(lines->text, lines->text + lines->len - PIECE_OVERLAP, PIECE_OVERLAP);
    lines->len = PIECE_OVERLAP;
}

/* Collect bytes of one line, as far as there is room. */
static void collect(
    struct mgc_lines *lines, const char *data, size_t len, mgc_line_fn *fn, void *user)
{
    for (size_t i = 0; i < len; i++) {
        if (lines->len == MGC_LINE_MAX) {
            lines->cut = true;
            if (!lines->in_pieces)
                return;
            hand_on_piece(lines, fn, user);
        }
        lines->text[lines->len++] = data[i] ? data[i] : '?';
    }
}

void mgc_lines_feed(
    struct mgc_lines *lines, const void *data, size_t len, mgc_line_fn *fn, void *user)
{
    const char *at = data;
    while (len) {
        const char *newline = memchr(at, '\n', len);
        size_t part = newline ? (size_t)(newline - at) : len;
        collect(lines, at, part, fn, user);
        if (newline) {
            hand_on(lines, fn, user);
            part++;
        }
        at += part;
        len -= part;
    }
}

void mgc_lines_finish(struct mgc_lines *lines, mgc_line_fn *fn, void *user)
{
    if (lines->len || lines->cut)
        hand_on(lines, fn, user);
}
