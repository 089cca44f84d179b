#include "common/base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text.h"

static const char *const code_names[MGC_CODE_COUNT] = {
    [MGC_OK] = "ok",
    [MGC_E_FAILED] = "failed",
    [MGC_E_USAGE] = "usage",
    [MGC_E_CONFIG] = "config",
    [MGC_E_IO] = "io",
    [MGC_E_NO_SPACE] = "no-space",
    [MGC_E_NO_MEMORY] = "no-memory",
    [MGC_E_NOT_FOUND] = "not-found",
    [MGC_E_EXISTS] = "exists",
    [MGC_E_DENIED] = "denied",
    [MGC_E_BUSY] = "busy",
    [MGC_E_TIMEOUT] = "timeout",
    [MGC_E_CANCELLED] = "cancelled",
    [MGC_E_REFUSED] = "refused",
    [MGC_E_UNREACHABLE] = "unreachable",
    [MGC_E_LOST] = "lost",
    [MGC_E_PROTOCOL] = "protocol",
    [MGC_E_VERSION] = "version",
    [MGC_E_STALE] = "stale",
    [MGC_E_UNSUPPORTED] = "unsupported",
    [MGC_E_INTEGRITY] = "integrity",
};

const char *mgc_code_name(enum mgc_code code)
{
    if ((int)code < 0 || code >= MGC_CODE_COUNT)
        return "unknown";
    return code_names[code];
}

/* Cut marks matter: a sentence that ends in "..." was longer, one that does not is whole. */
static void mark_cut(char *text, size_t size, int wanted)
{
    if (wanted >= 0 && (size_t)wanted >= size)
        memcpy(text + size - 4, "...", 4);
}

bool mgc_error_vset(struct mgc_error *err, enum mgc_code code, const char *fmt, va_list args)
{
    if (!err)
        return false;
    /* Formatted aside first: an argument may well be the old err->text. */
    char text[MGC_ERROR_TEXT_MAX];
    mark_cut(text, sizeof(text), vsnprintf(text, sizeof(text), fmt, args));
    mgc_text_one_line(text);
    err->code = code;
    memcpy(err->text, text, sizeof(text));
    return false;
}

bool mgc_error_set(struct mgc_error *err, enum mgc_code code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    mgc_error_vset(err, code, fmt, args);
    va_end(args);
    return false;
}

bool mgc_error_errno(struct mgc_error *err, int errnum, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    struct mgc_error what;
    mgc_error_vset(&what, mgc_code_from_errno(errnum), fmt, args);
    va_end(args);
    return mgc_error_set(err, what.code, "%s: %s", what.text, strerror(errnum));
}

bool mgc_error_prefix(struct mgc_error *err, const char *fmt, ...)
{
    if (!err)
        return false;
    va_list args;
    va_start(args, fmt);
    struct mgc_error prefix;
    mgc_error_vset(&prefix, err->code, fmt, args);
    va_end(args);
    return mgc_error_set(err, err->code, "%s: %s", prefix.text, err->text);
}

enum mgc_code mgc_code_from_errno(int errnum)
{
    switch (errnum) {
    case 0:
        return MGC_OK;
    case ENOSPC:
    case EFBIG: /* or the user's limit for a file's size */
#ifdef EDQUOT
    case EDQUOT:
#endif
        return MGC_E_NO_SPACE;
    case ENOMEM:
        return MGC_E_NO_MEMORY;
    case ENOENT:
    case ESRCH:
        return MGC_E_NOT_FOUND;
    case EEXIST:
        return MGC_E_EXISTS;
    case EACCES:
    case EPERM:
    case EROFS:
        return MGC_E_DENIED;
    case EBUSY:
    case EADDRINUSE:
        return MGC_E_BUSY;
    case ETIMEDOUT:
        return MGC_E_TIMEOUT;
    case ECANCELED:
    case EINTR:
        return MGC_E_CANCELLED;
    case ECONNREFUSED:
        return MGC_E_REFUSED;
    case EHOSTUNREACH:
    case ENETUNREACH:
    case EADDRNOTAVAIL:
        return MGC_E_UNREACHABLE;
    case ECONNRESET:
    case EPIPE:
        return MGC_E_LOST;
    case EPROTO:
    case EBADMSG:
        return MGC_E_PROTOCOL;
    case ENOSYS:
        return MGC_E_UNSUPPORTED;
    default:
        return MGC_E_IO;
    }
}

void mgc_error_clear(struct mgc_error *err)
{
    if (!err)
        return;
    err->code = MGC_OK;
    err->text[0] = '\0';
}
