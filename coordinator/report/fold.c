#include "coordinator/report/fold.h"

#include <limits.h>
#include <stdarg.h>
#include <string.h>

#include "coordinator/report/columns.h"

static void fold(int width, const char *text, struct mgc_buf *out)
{
    int at = 0;
    while (*text) {
        int len = (int)strcspn(text, " ");
        if (at > 2 && len >= width - at) {
            mgc_buf_puts(out, "\n  ");
            at = 2;
        } else if (at > 0) {
            mgc_buf_putc(out, ' ');
            at++;
        }
        mgc_buf_append(out, text, (size_t)len);
        at += len;
        text += len;
        text += strspn(text, " ");
    }
    mgc_buf_putc(out, '\n');
}

void mgc_say(int width, struct mgc_buf *out, const char *fmt, ...)
{
    struct mgc_buf text = {0}, plain = {0};
    va_list args;
    va_start(args, fmt);
    mgc_buf_vprintf(&text, fmt, args);
    va_end(args);
    mgc_put_plain(&plain, mgc_buf_text(&text));
    fold(width > 0 ? width : INT_MAX, mgc_buf_text(&plain), out);
    mgc_buf_destroy(&text);
    mgc_buf_destroy(&plain);
}
