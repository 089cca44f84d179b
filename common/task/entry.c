#include "common/task/entry.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/parse.h"
#include "common/base/str.h"

static void put_string(struct mgc_buf *out, const char *text)
{
    mgc_buf_putc(out, '"');
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p == '"' || *p == '\\')
            mgc_buf_printf(out, "\\%c", *p);
        else if (*p == '\n')
            mgc_buf_puts(out, "\\n");
        else if (*p < 0x20 || *p == 0x7f)
            mgc_buf_printf(out, "\\x%02x", *p);
        else
            mgc_buf_putc(out, (char)*p);
    }
    mgc_buf_putc(out, '"');
}

static void put_double(struct mgc_buf *out, double value)
{
    char text[40];
    snprintf(text, sizeof(text), "%.17g", value);
    mgc_buf_puts(out, text);
    if (!strpbrk(text, ".e")) /* or it would come back as a whole number */
        mgc_buf_puts(out, ".0");
}

static bool put_value(struct mgc_buf *out, const struct mgc_value *value)
{
    switch (value->type) {
    case MGC_VALUE_BOOL:
        mgc_buf_puts(out, value->boolean ? "true" : "false");
        return true;
    case MGC_VALUE_INT:
        mgc_buf_printf(out, "%" PRId64, value->integer);
        return true;
    case MGC_VALUE_DOUBLE:
        put_double(out, value->real);
        return isfinite(value->real);
    case MGC_VALUE_STRING:
        put_string(out, value->string);
        return true;
    }
    return false;
}

static bool name_is_plain(const char *name)
{
    return *name && !strpbrk(name, " =\n\r\t");
}

bool mgc_entry_format(const struct mgc_entry *entry, struct mgc_buf *out)
{
    bool ok = name_is_plain(entry->undo) && entry->before.count <= MGC_ENTRY_FIELDS_MAX;
    mgc_buf_printf(out, "undo = %s\nboot = %s\ntask = %" PRIx64 "\nlabel = ", entry->undo,
        entry->boot_id ? entry->boot_id : "", entry->task_id);
    put_string(out, entry->label ? entry->label : "");
    mgc_buf_putc(out, '\n');
    for (size_t i = 0; i < entry->before.count; i++) {
        const struct mgc_field *field = &entry->before.items[i];
        ok = ok && name_is_plain(field->name);
        mgc_buf_printf(out, "before.%s = ", field->name);
        ok = put_value(out, &field->value) && ok;
        mgc_buf_putc(out, '\n');
    }
    mgc_buf_puts(out, "end\n");
    return ok && mgc_buf_ok(out) && out->len <= MGC_ENTRY_SIZE_MAX;
}

void mgc_entry_destroy(struct mgc_entry *entry)
{
    if (!entry)
        return;
    free(entry->undo);
    free(entry->boot_id);
    free(entry->label);
    mgc_fields_destroy(&entry->before);
    *entry = (struct mgc_entry){0};
}

static bool take_escape(const char **p, struct mgc_buf *out)
{
    char hex[3] = {0};
    uint64_t byte = 0;
    switch (*(*p)++) {
    case '"':
        return mgc_buf_putc(out, '"');
    case '\\':
        return mgc_buf_putc(out, '\\');
    case 'n':
        return mgc_buf_putc(out, '\n');
    case 'x':
        if (!(*p)[0] || !(*p)[1])
            return false;
        memcpy(hex, *p, 2);
        *p += 2;
        return mgc_parse_hex64(hex, &byte) && byte != 0 && mgc_buf_putc(out, (char)byte);
    default:
        return false;
    }
}

/* A whole quoted string; the result is owned, NULL when it is none. */
static char *take_string(const char *text)
{
    struct mgc_buf out = {0};
    const char *p = text;
    bool ok = *p++ == '"' && mgc_buf_puts(&out, "");
    while (ok && *p && *p != '"') {
        if (*p == '\\') {
            p++;
            ok = *p && take_escape(&p, &out);
        } else {
            ok = mgc_buf_putc(&out, *p++);
        }
    }
    ok = ok && p[0] == '"' && p[1] == '\0';
    char *string = ok ? strdup(mgc_buf_text(&out)) : NULL;
    mgc_buf_destroy(&out);
    return string;
}

static bool take_value(struct mgc_fields *into, const char *name, const char *text)
{
    int64_t integer;
    double real;
    if (*text == '"') {
        char *string = take_string(text);
        bool ok = string && mgc_fields_set_str(into, name, string);
        free(string);
        return ok;
    }
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        return mgc_fields_set_bool(into, name, *text == 't');
    if (mgc_parse_int(text, INT64_MIN, INT64_MAX, &integer))
        return mgc_fields_set_int(into, name, integer);
    return mgc_parse_double(text, &real) && mgc_fields_set_double(into, name, real);
}

static bool set_once(char **field, char *owned)
{
    if (*field || !owned) {
        free(owned);
        return false;
    }
    *field = owned;
    return true;
}

static bool take_line(struct mgc_entry *entry, const char *key, const char *value)
{
    static const char prefix[] = "before.";
    if (strcmp(key, "undo") == 0)
        return *value && set_once(&entry->undo, strdup(value));
    if (strcmp(key, "boot") == 0)
        return set_once(&entry->boot_id, strdup(value));
    if (strcmp(key, "label") == 0)
        return set_once(&entry->label, take_string(value));
    if (strcmp(key, "task") == 0)
        return mgc_parse_hex64(value, &entry->task_id);
    if (strncmp(key, prefix, sizeof(prefix) - 1) != 0 || !key[sizeof(prefix) - 1])
        return false;
    return entry->before.count < MGC_ENTRY_FIELDS_MAX &&
           take_value(&entry->before, key + sizeof(prefix) - 1, value);
}

/* `text` is a private copy and is cut up. True once the line "end" was met. */
static bool take_lines(
    struct mgc_entry *entry, char *text, const char *path, bool *ret_ended, struct mgc_error *err)
{
    int number = 0;
    for (char *line = text; line && *line;) {
        char *next = strchr(line, '\n');
        number++;
        if (!next)
            break; /* a line that was not finished */
        *next++ = '\0';
        if (strcmp(line, "end") == 0) {
            *ret_ended = *next == '\0';
            return true;
        }
        char *value = strstr(line, " = ");
        if (value)
            *value = '\0';
        if (!value || !take_line(entry, line, value + 3))
            return mgc_error_set(err, MGC_E_PROTOCOL,
                "%s:%d: expected a line \"key = value\" of an undo entry", path, number);
        line = next;
    }
    return true;
}

bool mgc_entry_parse(const char *text, size_t len, const char *path, struct mgc_entry *ret_entry,
    struct mgc_error *err)
{
    struct mgc_entry entry = {0};
    bool ended = false;
    if (len > MGC_ENTRY_SIZE_MAX || memchr(text, '\0', len))
        return mgc_error_set(err, MGC_E_PROTOCOL,
            "%s: expected text of at most %d bytes without NUL", path, MGC_ENTRY_SIZE_MAX);
    char *copy = mgc_strndup(text, len);
    if (!copy)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "%s: out of memory", path);
    bool ok = take_lines(&entry, copy, path, &ended, err);
    free(copy);
    if (ok && !ended)
        ok = mgc_error_set(
            err, MGC_E_INTEGRITY, "%s: the last line \"end\" is missing, or is not last", path);
    if (ok && (!entry.undo || !entry.boot_id))
        ok = mgc_error_set(err, MGC_E_PROTOCOL, "%s: expected the keys undo and boot", path);
    if (!ok) {
        mgc_entry_destroy(&entry);
        return false;
    }
    *ret_entry = entry;
    return true;
}
