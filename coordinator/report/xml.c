#include "coordinator/report/xml.h"

#include <stdbool.h>
#include <string.h>

#include "common/json/json.h"

static void put_escaped(struct mgc_buf *out, char c)
{
    switch (c) {
    case '&':
        mgc_buf_puts(out, "&amp;");
        break;
    case '<':
        mgc_buf_puts(out, "&lt;");
        break;
    case '>': /* "]]>" must not stand in text */
        mgc_buf_puts(out, "&gt;");
        break;
    case '"':
        mgc_buf_puts(out, "&quot;");
        break;
    default:
        mgc_buf_putc(out, c);
    }
}

/* Length of what XML cannot hold at this place of well-formed UTF-8, or is told to avoid: ASCII's
 * control characters, U+0080..9f (C2 80..9f). 0: it can. */
static size_t control_length(const char *c)
{
    unsigned char byte = (unsigned char)c[0], next = (unsigned char)c[1];
    if (byte == 0xc2 && next < 0xa0)
        return 2;
    return byte < 0x20 || byte == 0x7f;
}

/* U+FFFE and U+FFFF: EF BF BE, EF BF BF. */
static bool is_no_character(const char *c)
{
    return (unsigned char)c[0] == 0xef && (unsigned char)c[1] == 0xbf &&
           (unsigned char)c[2] >= 0xbe;
}

static void put(struct mgc_buf *out, const char *text, bool keep_lines)
{
    json_t *string = mgc_json_text(text); /* well-formed from here on */
    const char *c = string && json_is_string(string) ? json_string_value(string) : "";
    while (*c) {
        size_t control = control_length(c);
        bool line_end = *c == '\n';
        if (is_no_character(c)) {
            mgc_buf_putc(out, '?');
            c += 3;
        } else if (control && !(line_end && keep_lines)) {
            mgc_buf_putc(out, ' ');
            c += control;
        } else {
            put_escaped(out, *c++);
        }
    }
    json_decref(string);
}

void mgc_xml_text(struct mgc_buf *out, const char *text)
{
    put(out, text, true);
}

void mgc_xml_attribute(struct mgc_buf *out, const char *name, const char *text)
{
    if (!text)
        return;
    mgc_buf_printf(out, " %s=\"", name);
    put(out, text, false);
    mgc_buf_putc(out, '"');
}
