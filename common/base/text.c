#include "common/base/text.h"

void mgc_text_one_line(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c; c++) {
        if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f) /* U+0080..9f in UTF-8 */
            *c++ = '?';
        else if (*c >= 0x20 && *c != 0x7f)
            continue;
        *c = '?';
    }
}
