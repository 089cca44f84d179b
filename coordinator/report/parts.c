#include "coordinator/report/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "coordinator/legacy/legacy.h"

static json_t *value_json(const struct mgc_value *value)
{
    switch (value->type) {
    case MGC_VALUE_BOOL:
        return json_boolean(value->boolean);
    case MGC_VALUE_INT:
        return json_integer(value->integer);
    case MGC_VALUE_DOUBLE:
        return json_real(value->real);
    case MGC_VALUE_STRING:
        return mgc_json_text(value->string);
    }
    return json_null();
}

void mgc_part_set_fields(json_t *object, const struct mgc_fields *fields)
{
    for (size_t i = 0; i < fields->count; i++)
        json_object_set_new(object, fields->items[i].name, value_json(&fields->items[i].value));
}

json_t *mgc_part_fields(const struct mgc_fields *fields)
{
    json_t *object = json_object();
    mgc_part_set_fields(object, fields);
    return object;
}

json_t *mgc_part_derived(double value)
{
    char text[48];
    if (!isfinite(value))
        return json_null();
    snprintf(text, sizeof(text), "%.10g", value);
    return json_real(strtod(text, NULL));
}

json_t *mgc_part_text(const char *text)
{
    return mgc_json_text(text && *text ? text : NULL);
}

static json_t *evidence_json(const struct mgc_verdict *verdict)
{
    json_t *list = json_array();
    for (size_t i = 0; i < verdict->evidence_count; i++) {
        const struct mgc_evidence *item = &verdict->evidence[i];
        json_t *row = json_object();
        json_object_set_new(row, "check", mgc_json_text(item->check));
        json_object_set_new(row, "outcome", json_string(mgc_check_outcome_name(item->outcome)));
        json_object_set_new(row, "source", mgc_json_text(item->source));
        json_object_set_new(row, "seen", mgc_json_text(item->seen));
        json_array_append_new(list, row);
    }
    return list;
}

static void set_verdict(json_t *object, const struct mgc_verdict *verdict, json_t *evidence)
{
    json_object_set_new(object, "verdict", json_string(mgc_verdict_state_name(verdict->state)));
    json_object_set_new(object, "reason", mgc_part_text(verdict->reason));
    json_object_set_new(object, "text", mgc_part_text(verdict->text));
    json_object_set_new(object, "next_step", mgc_part_text(verdict->next_step));
    json_object_set_new(object, "evidence", evidence);
}

void mgc_part_set_verdict(json_t *object, const struct mgc_verdict *verdict)
{
    set_verdict(object, verdict, evidence_json(verdict));
}

void mgc_part_set_verdict_alone(json_t *object, const struct mgc_verdict *verdict)
{
    set_verdict(object, verdict, json_array());
}

json_t *mgc_part_verdict(const struct mgc_verdict *verdict)
{
    json_t *object = json_object();
    mgc_part_set_verdict(object, verdict);
    return object;
}

json_t *mgc_part_release(const struct mgc_release *release)
{
    if (!release->released)
        return json_null();
    json_t *object = json_object();
    bool known = release->reported == release->members;
    json_object_set_new(
        object, "skew_ms", known ? json_real((double)release->skew_ns / 1e6) : json_null());
    json_object_set_new(object, "uncertainty_ms", json_real((double)release->uncertainty_ns / 1e6));
    json_object_set_new(object, "lead_ms", json_real((double)release->lead_ns / 1e6));
    json_object_set_new(object, "members", json_integer((json_int_t)release->members));
    json_object_set_new(object, "reported", json_integer((json_int_t)release->reported));
    return object;
}

json_t *mgc_part_old_verify(const struct mgc_cell *cell, const struct mgc_verdict *verdict)
{
    struct mgc_fields fields = {0};
    mgc_legacy_verify_fields(cell, verdict, &fields);
    json_t *object = mgc_part_fields(&fields);
    mgc_fields_destroy(&fields);
    return object;
}

/* ---- printing ------------------------------------------------------------------------------- */

enum { PRINT = JSON_INDENT(2) | JSON_REAL_PRECISION(15) };

static int put_piece(const char *text, size_t len, void *out)
{
    return mgc_buf_append(out, text, len) ? 0 : -1;
}

/* Of a document that stands inside another one, two levels down. Its line ends are all of its form:
 * in a string they are escaped. */
static bool put_inner(const char *text, size_t len, struct mgc_buf *out)
{
    const char *end = text + len;
    bool ok = true;
    while (ok && text < end) {
        const char *line = memchr(text, '\n', (size_t)(end - text));
        size_t part = line ? (size_t)(line - text) + 1 : (size_t)(end - text);
        ok = mgc_buf_append(out, text, part) && (!line || mgc_buf_append(out, "    ", 4));
        text += part;
    }
    return ok;
}

/* Into a room that is kept from item to item: a call per token would take as long as the rest. */
static bool dump(const json_t *item, struct mgc_buf *room)
{
    mgc_buf_clear(room);
    size_t size = json_dumpb(item, room->data, room->cap, PRINT);
    if (size > room->cap) {
        if (!mgc_buf_reserve(room, size))
            return false;
        size = json_dumpb(item, room->data, room->cap, PRINT);
    }
    room->len = size;
    return size > 0;
}

double mgc_part_wall_s(int64_t wall_ns)
{
    return (double)((wall_ns + MGC_NS_PER_MS / 2) / MGC_NS_PER_MS) / 1000;
}

void mgc_part_set_wall(json_t *object, int64_t start_wall_ns, int64_t end_wall_ns)
{
    if (start_wall_ns)
        json_object_set_new(object, "start_wall_s", json_real(mgc_part_wall_s(start_wall_ns)));
    if (end_wall_ns)
        json_object_set_new(object, "end_wall_s", json_real(mgc_part_wall_s(end_wall_ns)));
}

/* As jansson prints it; nearly every text can stand as it is. */
static bool put_string(const char *text, struct mgc_buf *out)
{
    size_t len = 0;
    if (!text)
        return mgc_buf_puts(out, "null");
    while (text[len] >= 0x20 && text[len] < 0x7f && text[len] != '"' && text[len] != '\\')
        len++;
    if (text[len] == '\0')
        return mgc_buf_putc(out, '"') && mgc_buf_append(out, text, len) && mgc_buf_putc(out, '"');
    json_t *string = mgc_json_text(text);
    bool ok = string && json_dump_callback(string, put_piece, out, PRINT | JSON_ENCODE_ANY) == 0;
    json_decref(string);
    return ok;
}

/* The items of "evidence" in an item of a document's array. They are most of such a document, and
 * as a tree they would take longer than all else. */
static bool put_evidence(const struct mgc_verdict *verdict, struct mgc_buf *out)
{
    bool ok = true;
    for (size_t i = 0; ok && i < verdict->evidence_count; i++) {
        const struct mgc_evidence *item = &verdict->evidence[i];
        ok = mgc_buf_puts(out, i ? ",\n        {\n          \"check\": "
                                 : "\n        {\n          \"check\": ") &&
             put_string(item->check, out) && mgc_buf_puts(out, ",\n          \"outcome\": ") &&
             put_string(mgc_check_outcome_name(item->outcome), out) &&
             mgc_buf_puts(out, ",\n          \"source\": ") && put_string(item->source, out) &&
             mgc_buf_puts(out, ",\n          \"seen\": ") && put_string(item->seen, out) &&
             mgc_buf_puts(out, "\n        }");
    }
    return ok && (verdict->evidence_count == 0 || mgc_buf_puts(out, "\n      "));
}

bool mgc_part_print_item(json_t *item, const struct mgc_verdict *verdict, bool first,
    struct mgc_buf *room, struct mgc_buf *out)
{
    static const char place[] = "\n  \"evidence\": []";
    bool ok = item && mgc_buf_puts(out, first ? "\n    " : ",\n    ") && dump(item, room) &&
              mgc_buf_putc(room, '\0');
    const char *at = ok ? strstr(room->data, place) : NULL;
    size_t len = ok ? room->len - 1 : 0,
           before = at ? (size_t)(at - room->data) + sizeof(place) - 2 : len;
    ok = ok && put_inner(room->data, before, out) && (!at || put_evidence(verdict, out)) &&
         put_inner(room->data + before, len - before, out);
    json_decref(item);
    return ok;
}

bool mgc_part_print_with(json_t *doc, const char *key, const struct mgc_buf *items,
    struct mgc_buf *out, struct mgc_error *err)
{
    struct mgc_buf text = {0}, empty = {0};
    mgc_buf_printf(&empty, "\n  \"%s\": []", key);
    bool ok = mgc_part_print(doc, &text, err);
    const char *at = ok ? strstr(mgc_buf_text(&text), mgc_buf_text(&empty)) : NULL;
    size_t before = at ? (size_t)(at - text.data) + empty.len - 1 : text.len;
    ok = ok && mgc_buf_append(out, text.data, before);
    if (ok && at && items->len)
        ok = mgc_buf_append(out, items->data, items->len) && mgc_buf_puts(out, "\n  ");
    ok = ok && mgc_buf_append(out, text.data + before, text.len - before);
    mgc_buf_destroy(&empty);
    mgc_buf_destroy(&text);
    return ok || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for JSON");
}

bool mgc_part_print(json_t *doc, struct mgc_buf *out, struct mgc_error *err)
{
    bool ok = doc && json_dump_callback(doc, put_piece, out, PRINT) == 0;
    json_decref(doc);
    ok = ok && mgc_buf_putc(out, '\n');
    return ok || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for JSON");
}
