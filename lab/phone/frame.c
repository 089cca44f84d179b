#include "lab/phone/frame.h"

#include <stdio.h>
#include <string.h>

#include "lab/phone/le.h"

bool mgl_frame_append(struct mgc_buf *out, enum mgl_frame_id id, const void *data, size_t len)
{
    uint8_t head[MGL_FRAME_HEAD] = {(uint8_t)id};
    mgl_put_le32(head + 1, (uint32_t)len);
    mgc_buf_append(out, head, sizeof(head));
    return mgc_buf_append(out, data, len);
}

static size_t take(const uint8_t **data, size_t *len, size_t want)
{
    size_t taken = want < *len ? want : *len;
    *data += taken;
    *len -= taken;
    return taken;
}

bool mgl_frame_next(struct mgl_frame_parser *parser, const uint8_t **data, size_t *len,
    struct mgl_frame_piece *ret_piece)
{
    if (parser->head_len < MGL_FRAME_HEAD) {
        const uint8_t *from = *data;
        size_t taken = take(data, len, MGL_FRAME_HEAD - parser->head_len);
        if (taken)
            memcpy(parser->head + parser->head_len, from, taken);
        parser->head_len += taken;
        if (parser->head_len < MGL_FRAME_HEAD)
            return false;
        parser->left = mgl_get_le32(parser->head + 1);
    } else if (*len == 0) {
        return false;
    }
    const uint8_t *from = *data;
    size_t taken = take(data, len, parser->left);
    parser->left -= (uint32_t)taken;
    if (taken == 0 && parser->left > 0)
        return false; /* header complete, data still to come */
    *ret_piece = (struct mgl_frame_piece){
        .id = parser->head[0], .data = from, .len = taken, .last = parser->left == 0};
    if (parser->left == 0)
        parser->head_len = 0;
    return true;
}

bool mgl_frame_parse_window(const char *text, size_t len, unsigned *ret_rows, unsigned *ret_cols)
{
    char copy[64];
    if (len >= sizeof(copy))
        return false;
    memcpy(copy, text, len);
    copy[len] = 0;
    unsigned rows, cols;
    if (sscanf(copy, "%5ux%5u,", &rows, &cols) != 2 || rows > 65535 || cols > 65535)
        return false;
    *ret_rows = rows;
    *ret_cols = cols;
    return true;
}
