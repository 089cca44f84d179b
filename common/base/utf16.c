#include "common/base/utf16.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SURROGATE_HIGH = 0xD800, SURROGATE_LOW = 0xDC00, SURROGATE_END = 0xE000 };

/* One code point and the bytes it took; 0 bytes when it is none. RFC 3629, section 3. */
static size_t take_utf8(const unsigned char *p, uint32_t *ret_point)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t len = p[0] < 0x80             ? 1
                 : (p[0] & 0xE0) == 0xC0 ? 2
                 : (p[0] & 0xF0) == 0xE0 ? 3
                 : (p[0] & 0xF8) == 0xF0 ? 4
                                         : 0;
    if (len <= 1) {
        *ret_point = p[0];
        return len;
    }
    uint32_t point = p[0] & (0x7FU >> len);
    for (size_t i = 1; i < len; i++) {
        if ((p[i] & 0xC0) != 0x80) /* the terminator, too */
            return 0;
        point = point << 6 | (p[i] & 0x3FU);
    }
    if (point < least[len] || point > 0x10FFFF ||
        (point >= SURROGATE_HIGH && point < SURROGATE_END))
        return 0;
    *ret_point = point;
    return len;
}

uint16_t *mgc_utf16_from_utf8(const char *text, size_t *ret_units)
{
    /* No byte makes more than one unit. */
    uint16_t *units = calloc(strlen(text) + 1, sizeof(*units));
    size_t count = 0;
    if (!units)
        return NULL;
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        uint32_t point;
        size_t len = take_utf8(p, &point);
        if (!len) {
            free(units);
            errno = EILSEQ;
            return NULL;
        }
        p += len;
        if (point >= 0x10000) {
            point -= 0x10000;
            units[count++] = (uint16_t)(SURROGATE_HIGH + (point >> 10));
            point = SURROGATE_LOW + (point & 0x3FF);
        }
        units[count++] = (uint16_t)point;
    }
    if (ret_units)
        *ret_units = count;
    return units;
}

static size_t put_utf8(char *out, uint32_t point)
{
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    size_t len = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = len - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (point & 0x3F));
        point >>= 6;
    }
    out[0] = (char)((0xF00U >> len & 0xF0) | point);
    return len;
}

static bool is_between(uint16_t unit, int from, int to)
{
    return unit >= from && unit < to;
}

char *mgc_utf8_from_utf16(const uint16_t *text, size_t *ret_bytes)
{
    size_t units = 0;
    while (text[units])
        units++;
    char *out = malloc(units * 3 + 1);
    size_t len = 0;
    if (!out)
        return NULL;
    for (size_t i = 0; i < units; i++) {
        uint32_t point = text[i];
        if (is_between(text[i], SURROGATE_HIGH, SURROGATE_END)) {
            bool pair = is_between(text[i], SURROGATE_HIGH, SURROGATE_LOW) &&
                        is_between(text[i + 1], SURROGATE_LOW, SURROGATE_END);
            if (!pair) {
                free(out);
                errno = EILSEQ;
                return NULL;
            }
            point = 0x10000 + ((point & 0x3FF) << 10 | (text[++i] & 0x3FFU));
        }
        len += put_utf8(out + len, point);
    }
    out[len] = '\0';
    if (ret_bytes)
        *ret_bytes = len;
    return out;
}
