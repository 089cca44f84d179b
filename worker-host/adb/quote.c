#include "worker-host/adb/quote.h"

#include <string.h>

#include "common/base/parse.h"
#include "worker-host/adb/wire.h"

enum { SHOWN_MAX = 100 }; /* bytes of a refused text that an error repeats */

static bool is_alpha(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_word(char c)
{
    return is_alpha(c) || (c >= '0' && c <= '9') || c == '_';
}

static bool is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

bool mgc_adb_quote(struct mgc_buf *out, const char *argument)
{
    mgc_buf_putc(out, '\'');
    for (const char *c = argument; *c; c++) {
        if (*c == '\'')
            mgc_buf_puts(out, "'\\''");
        else
            mgc_buf_putc(out, *c);
    }
    mgc_buf_putc(out, '\'');
    return mgc_buf_ok(out);
}

bool mgc_adb_quote_all(struct mgc_buf *out, const char *const *argv)
{
    for (size_t i = 0; argv[i]; i++) {
        if (i)
            mgc_buf_putc(out, ' ');
        mgc_adb_quote(out, argv[i]);
    }
    return mgc_buf_ok(out);
}

bool mgc_adb_check_serial(const char *text, struct mgc_error *err)
{
    char shown[SHOWN_MAX];
    size_t len = strlen(text);
    bool good = len >= 1 && len <= 127 && text[0] != '-';
    for (size_t i = 0; good && i < len; i++)
        good = is_word(text[i]) || strchr(".:@%[]-", text[i]);
    if (!good)
        return mgc_error_set(err, MGC_E_USAGE,
            "serial \"%s\": expected 1 to 127 of letters, digits and ._:@%%[]-",
            mgc_adb_wire_shown(text, shown, sizeof(shown)));
    return true;
}

bool mgc_adb_check_package(const char *text, struct mgc_error *err)
{
    char shown[SHOWN_MAX];
    size_t len = strlen(text), parts = 1;
    bool good = len >= 3 && len <= 255 && is_alpha(text[0]);
    for (size_t i = 1; good && i < len; i++) {
        if (text[i] == '.')
            parts++;
        good = text[i] == '.' ? is_alpha(text[i + 1]) : is_word(text[i]);
    }
    if (!good || parts < 2)
        return mgc_error_set(err, MGC_E_USAGE,
            "package \"%s\": expected a name such as top.mobilegl.plugin.trace",
            mgc_adb_wire_shown(text, shown, sizeof(shown)));
    return true;
}

/* True when the path has a part that is "..". */
static bool has_dotdot(const char *path)
{
    for (const char *part = path; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
            return true;
    }
    return false;
}

bool mgc_adb_check_path(const char *text, struct mgc_error *err)
{
    char shown[SHOWN_MAX];
    size_t len = strlen(text);
    bool good = len >= 2 && len <= 1000 && text[0] == '/' && !has_dotdot(text);
    for (size_t i = 0; good && i < len; i++)
        good = !is_control(text[i]);
    if (!good)
        return mgc_error_set(err, MGC_E_USAGE,
            "device path \"%s\": expected an absolute path of at most 1000 bytes without "
            "\"..\" and control characters",
            mgc_adb_wire_shown(text, shown, sizeof(shown)));
    return true;
}

/* One item up to ';' or the end; NULL when it is bad, else its end. */
static const char *env_item_end(const char *item)
{
    const char *c = item;
    while (is_word(*c))
        c++;
    if (c == item || (*item >= '0' && *item <= '9'))
        return NULL;
    if (*c == '=') {
        while (*c && *c != ';' && !is_control(*c))
            c++;
    }
    return *c == '\0' || *c == ';' ? c : NULL;
}

bool mgc_adb_check_env(const char *text, struct mgc_error *err)
{
    if (strlen(text) > 8192)
        return mgc_error_set(err, MGC_E_USAGE, "env list: expected at most 8192 bytes");
    for (const char *item = text; *item;) {
        const char *end = *item == ';' ? item : env_item_end(item);
        /* The value may be a secret; only the name is repeated. */
        if (!end)
            return mgc_error_set(err, MGC_E_USAGE,
                "env item \"%.*s\": expected NAME=VALUE with NAME of letters, digits and _",
                (int)strcspn(item, "=;\r\n\t"), item);
        item = end + (*end == ';');
    }
    return true;
}

bool mgc_adb_check_endpoint(const char *text, struct mgc_error *err)
{
    char shown[SHOWN_MAX];
    const char *host = strncmp(text, "tcp://", 6) == 0 ? text + 6 : NULL;
    const char *colon = host ? strrchr(host, ':') : NULL;
    int64_t port;
    bool good = colon && colon > host && colon - host <= 64 &&
                mgc_parse_int(colon + 1, 1, 65535, &port) && colon[1] != '+';
    for (const char *c = host; good && c < colon; c++)
        good = is_word(*c) || strchr(".:[]-", *c);
    if (!good)
        return mgc_error_set(err, MGC_E_USAGE, "endpoint \"%s\": expected tcp://HOST:PORT",
            mgc_adb_wire_shown(text, shown, sizeof(shown)));
    return true;
}

bool mgc_adb_check_filter(const char *text, struct mgc_error *err)
{
    char shown[SHOWN_MAX];
    bool good = strlen(text) <= 1000;
    for (const char *c = text; good && *c;) {
        const char *tag = c;
        while (is_word(*c) || (*c && strchr(".*-", *c)))
            c++;
        good = c > tag && *tag != '-' && *c == ':' && c[1] && strchr("VDIWEFS", c[1]) &&
               (c[2] == ' ' || c[2] == '\0');
        c += good ? 2 + (c[2] == ' ') : 0;
    }
    if (!good)
        return mgc_error_set(err, MGC_E_USAGE,
            "log filter \"%s\": expected words such as MobileGL:V and *:S",
            mgc_adb_wire_shown(text, shown, sizeof(shown)));
    return true;
}
