#include "common/base/text.h"

#include <string.h>

/* How long the line break at `at` is with the blanks around it; 0: none begins there. */
static size_t break_length(const char *at)
{
    size_t len = strspn(at, " \t\r\n");
    return strcspn(at, "\r\n") < len ? len : 0;
}

void mgc_text_one_line(char *text)
{
    char *to = text;
    for (const char *from = text; *from;) {
        size_t broken = break_length(from);
        unsigned char c = (unsigned char)from[0], next = (unsigned char)from[1];
        if (broken) {
            from += broken;
            if (to != text && *from)
                *to++ = ' ';
        } else if (c == 0xc2 && next >= 0x80 && next <= 0x9f) { /* U+0080..9f in UTF-8 */
            *to++ = '?';
            from += 2;
        } else {
            *to++ = c == '\t' ? ' ' : c < 0x20 || c == 0x7f ? '?' : (char)c;
            from++;
        }
    }
    *to = '\0';
}
