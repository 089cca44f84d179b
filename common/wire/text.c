#include "common/wire/text.h"

#include <stdint.h>

static bool is_tail(unsigned char byte)
{
    return (byte & 0xc0) == 0x80;
}

/* Length of the well-formed sequence at the start of `at`, 0 when there is none. The ranges of the
 * second byte are those of RFC 3629 section 4. */
static size_t sequence(const unsigned char *at, size_t len)
{
    unsigned char first = at[0];
    if (first < 0x80)
        return first ? 1 : 0;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    size_t need = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (len < need)
        return 0;
    unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (at[1] < low || at[1] > high)
        return 0;
    for (size_t i = 2; i < need; i++) {
        if (!is_tail(at[i]))
            return 0;
    }
    return need;
}

bool mgc_text_is_valid(const char *text, size_t len)
{
    const unsigned char *bytes = (const unsigned char *)text;
    for (size_t at = 0; at < len;) {
        size_t step = sequence(bytes + at, len - at);
        if (!step)
            return false;
        at += step;
    }
    return true;
}

bool mgc_text_repair(struct mgc_buf *out, const char *text, size_t len)
{
    const unsigned char *bytes = (const unsigned char *)text;
    for (size_t at = 0; at < len;) {
        size_t step = sequence(bytes + at, len - at);
        if (step)
            mgc_buf_append(out, text + at, step);
        else
            mgc_buf_puts(out, "\xef\xbf\xbd");
        at += step ? step : 1;
    }
    return mgc_buf_ok(out);
}
