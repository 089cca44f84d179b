/* What the phone said of a knob: one form to compare and to keep. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/parse.h"
#include "worker-host/adb/wire.h"
#include "worker-host/tasks/knob.h"

enum { SHOWN_MAX = 200 };

int64_t mgc_knob_size(const char *text)
{
    char digits[16];
    int64_t number;
    size_t len = strspn(text, "0123456789");
    int shift = 0;
    if (text[len] == 'K')
        shift = 10;
    else if (text[len] == 'M')
        shift = 20;
    else if (text[len])
        return 0;
    snprintf(digits, sizeof(digits), "%.*s", (int)len, text);
    if (len == 0 || len > 9 || (shift && text[len + 1]) ||
        !mgc_parse_int(digits, 1, INT32_MAX, &number))
        return 0;
    return number << shift;
}

/* "main: ring buffer is 256 KiB (...": " main=262144"; also "256KiB", and "256Kb" of old releases.
 */
static bool take_buffer_line(const char *line, size_t len, char *value, size_t size)
{
    static const char words[] = ": ring buffer is ";
    char copy[128], name[32], number[16];
    snprintf(copy, sizeof(copy), "%.*s", (int)len, line);
    const char *at = strstr(copy, words);
    if (!at)
        return false;
    snprintf(name, sizeof(name), "%.*s", (int)(at - copy), copy);
    at += strlen(words);
    size_t digits = strspn(at, "0123456789");
    if (digits > 9)
        return false;
    snprintf(number, sizeof(number), "%.*s%.1s", (int)digits, at,
        at + digits + strspn(at + digits, " "));
    if (strchr("Bb(", number[digits]))
        number[digits] = '\0';
    int64_t bytes = mgc_knob_size(number);
    size_t used = strlen(value);
    if (!bytes || !*name || strpbrk(name, "= \t"))
        return false;
    int written =
        snprintf(value + used, size - used, "%s%s=%" PRId64, used ? " " : "", name, bytes);
    return written > 0 && (size_t)written < size - used;
}

static bool buffer_sizes(const char *output, char ret_value[MGC_KNOB_VALUE_MAX])
{
    ret_value[0] = '\0';
    for (const char *at = output; *at;) {
        size_t len = strcspn(at, "\r\n");
        if (len && !take_buffer_line(at, len, ret_value, MGC_KNOB_VALUE_MAX))
            return false;
        at += len;
        at += strspn(at, "\r\n");
    }
    return ret_value[0];
}

static bool one_line(const char *output, char ret_value[MGC_KNOB_VALUE_MAX])
{
    static const char blanks[] = " \t\r\n";
    output += strspn(output, blanks);
    size_t len = strlen(output);
    while (len && strchr(blanks, output[len - 1]))
        len--;
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)output[i] < 0x20 && output[i] != '\t')
            return false;
    snprintf(ret_value, MGC_KNOB_VALUE_MAX, "%.*s", (int)len, output);
    return len > 0 && len < MGC_KNOB_VALUE_MAX;
}

bool mgc_knob_value(const struct mgc_knob *knob, const char *output,
    char ret_value[MGC_KNOB_VALUE_MAX], struct mgc_error *err)
{
    char shown[SHOWN_MAX];
    bool ok = knob->kind == MGC_KNOB_LOG_BUFFER ? buffer_sizes(output, ret_value)
                                                : one_line(output, ret_value);
    return ok || mgc_error_set(err, MGC_E_PROTOCOL,
                     "knob \"%.100s\": the phone reads back \"%s\", which is no value of it",
                     knob->line, mgc_adb_wire_shown(output, shown, sizeof(shown)));
}

static bool buffers_hold(const char *value, int64_t bytes)
{
    char end[32];
    int len = snprintf(end, sizeof(end), "=%" PRId64, bytes);
    for (const char *at = value; *at;) {
        const char *equals = strchr(at, '=');
        if (!equals || strncmp(equals, end, (size_t)len) != 0 ||
            (equals[len] != ' ' && equals[len] != '\0'))
            return false;
        at = equals + len;
    }
    return true;
}

/* Bits of stay_on_while_plugged_in: AC 1, USB 2, wireless 4, dock 8 (from release 33 on). */
static bool stay_on_holds(const char *what, const char *value)
{
    static const struct {
        const char *what, *value;
    } bits[] = {{"false", "0"}, {"ac", "1"}, {"usb", "2"}, {"wireless", "4"}, {"dock", "8"}};
    for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
        if (strcmp(bits[i].what, what) == 0)
            return strcmp(bits[i].value, value) == 0;
    return strcmp(value, "7") == 0 || strcmp(value, "15") == 0;
}

/* "0:4294967295 1:4294967295 / 0:0 1:0": no request for any CPU; "none": no such driver. */
static bool no_clamps(const char *value)
{
    const char *slash = strstr(value, " / ");
    if (strcmp(value, "none") == 0)
        return true;
    for (const char *at = strchr(value, ':'); slash && at; at = strchr(at + 1, ':')) {
        const char *free_value = at < slash ? "4294967295" : "0";
        size_t len = strcspn(at + 1, " ");
        if (len != strlen(free_value) || strncmp(at + 1, free_value, len) != 0)
            return false;
    }
    return slash;
}

/* What stands after "mgc:knob N", up to the next mark. */
static bool reading_of(const char *report, size_t number, struct mgc_buf *out)
{
    char mark[32];
    size_t len = (size_t)snprintf(mark, sizeof(mark), "mgc:knob %zu\n", number);
    for (const char *at = report; (at = strstr(at, mark)); at += len) {
        if (at != report && at[-1] != '\n')
            continue;
        const char *end = strstr(at + len - 1, "\nmgc:");
        at += len;
        return end < at || mgc_buf_append(out, at, (size_t)(end - at));
    }
    return true;
}

bool mgc_knobs_lost(const struct mgc_knobs *knobs, const char *report, struct mgc_buf *out)
{
    bool ok = true;
    for (size_t i = 0; ok && i < knobs->count; i++) {
        char value[MGC_KNOB_VALUE_MAX];
        struct mgc_buf reading = {0};
        ok = reading_of(report, i + 1, &reading);
        if (ok && (!mgc_knob_value(&knobs->items[i], mgc_buf_text(&reading), value, NULL) ||
                      !mgc_knob_holds(&knobs->items[i], value)))
            ok = mgc_buf_printf(out, "%s%s", out->len ? "; " : "", knobs->items[i].line);
        mgc_buf_destroy(&reading);
    }
    return ok;
}

bool mgc_knob_holds(const struct mgc_knob *knob, const char *value)
{
    switch (knob->kind) {
    case MGC_KNOB_SETTING:
        return strcmp(value, knob->args[2]) == 0;
    case MGC_KNOB_STAY_ON:
        return stay_on_holds(knob->args[0], value);
    case MGC_KNOB_DOZE_EXEMPT:
        return strcmp(value, "exempt") == 0;
    case MGC_KNOB_LOG_BUFFER:
        return buffers_hold(value, mgc_knob_size(knob->args[0]));
    case MGC_KNOB_SYSFS:
        return strcmp(value, knob->args[1]) == 0;
    case MGC_KNOB_SERVICE_STOP:
        return strcmp(value, "stopped") == 0;
    case MGC_KNOB_CLEAR_CLAMPS:
        return no_clamps(value);
    case MGC_KNOB_KIND_COUNT:
        break;
    }
    return false;
}
