#include "common/base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mgc_buf_init(struct mgc_buf *buf, size_t max)
{
    *buf = (struct mgc_buf){.max = max};
}

void mgc_buf_destroy(struct mgc_buf *buf)
{
    if (!buf)
        return;
    free(buf->data);
    *buf = (struct mgc_buf){.max = buf->max};
}

bool mgc_buf_reserve(struct mgc_buf *buf, size_t more)
{
    if (buf->failed)
        return false;
    size_t max = buf->max ? buf->max : MGC_BUF_MAX_DEFAULT;
    if (more > max || buf->len > max - more) {
        buf->failed = true;
        return false;
    }
    size_t need = buf->len + more + 1;
    if (need <= buf->cap)
        return true;
    size_t cap = buf->cap ? buf->cap : 64;
    while (cap < need)
        cap += cap / 2 + 16;
    char *data = realloc(buf->data, cap);
    if (!data) {
        buf->failed = true;
        return false;
    }
    buf->data = data;
    buf->cap = cap;
    return true;
}

bool mgc_buf_append(struct mgc_buf *buf, const void *data, size_t len)
{
    if (!mgc_buf_reserve(buf, len))
        return false;
    if (len)
        memcpy(buf->data + buf->len, data, len);
    buf->len += len;
    buf->data[buf->len] = '\0';
    return true;
}

bool mgc_buf_puts(struct mgc_buf *buf, const char *text)
{
    return mgc_buf_append(buf, text, strlen(text));
}

bool mgc_buf_putc(struct mgc_buf *buf, char c)
{
    return mgc_buf_append(buf, &c, 1);
}

bool mgc_buf_vprintf(struct mgc_buf *buf, const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, fmt, args);
    bool ok = len >= 0 && mgc_buf_reserve(buf, (size_t)len);
    if (ok) {
        vsnprintf(buf->data + buf->len, (size_t)len + 1, fmt, again);
        buf->len += (size_t)len;
    }
    va_end(again);
    return ok;
}

bool mgc_buf_printf(struct mgc_buf *buf, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    bool ok = mgc_buf_vprintf(buf, fmt, args);
    va_end(args);
    return ok;
}

void mgc_buf_clear(struct mgc_buf *buf)
{
    buf->len = 0;
    buf->failed = false;
    if (buf->data)
        buf->data[0] = '\0';
}

void mgc_buf_consume(struct mgc_buf *buf, size_t len)
{
    if (len >= buf->len) {
        mgc_buf_clear(buf);
        return;
    }
    buf->len -= len;
    memmove(buf->data, buf->data + len, buf->len + 1);
}

bool mgc_buf_ok(const struct mgc_buf *buf)
{
    return !buf->failed;
}

const char *mgc_buf_text(const struct mgc_buf *buf)
{
    return buf->data ? buf->data : "";
}

char *mgc_buf_steal(struct mgc_buf *buf)
{
    if (!mgc_buf_reserve(buf, 0)) /* also turns "never grown" into an owned "" */
        return NULL;
    char *data = buf->data;
    data[buf->len] = '\0';
    *buf = (struct mgc_buf){.max = buf->max};
    return data;
}
