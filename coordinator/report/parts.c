#include "coordinator/report/parts.h"

#include <stdlib.h>
#include <string.h>

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

json_t *mgc_part_fields(const struct mgc_fields *fields)
{
    json_t *object = json_object();
    for (size_t i = 0; i < fields->count; i++)
        json_object_set_new(object, fields->items[i].name, value_json(&fields->items[i].value));
    return object;
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

json_t *mgc_part_verdict(const struct mgc_verdict *verdict)
{
    json_t *object = json_object();
    json_object_set_new(object, "verdict", json_string(mgc_verdict_state_name(verdict->state)));
    json_object_set_new(object, "reason", mgc_part_text(verdict->reason));
    json_object_set_new(object, "text", mgc_part_text(verdict->text));
    json_object_set_new(object, "next_step", mgc_part_text(verdict->next_step));
    json_object_set_new(object, "evidence", evidence_json(verdict));
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

static const struct mgc_evidence *find(const struct mgc_verdict *verdict, const char *check)
{
    for (size_t i = 0; i < verdict->evidence_count; i++) {
        if (strcmp(verdict->evidence[i].check, check) == 0)
            return &verdict->evidence[i];
    }
    return NULL;
}

/* A check that was never made leaves no key: MISSING would claim that somebody looked. */
static void set_old(json_t *object, const char *key, const struct mgc_evidence *evidence,
    const char *there, const char *not_there, bool wanted)
{
    if (!evidence || (!wanted && evidence->outcome == MGC_CHECK_ABSENT))
        return;
    bool is_there = (evidence->outcome == MGC_CHECK_OK) == wanted;
    struct mgc_buf text = {0};
    mgc_buf_puts(&text, is_there ? there : not_there);
    if (is_there)
        mgc_buf_puts(&text, evidence->seen);
    json_object_set_new(object, key, mgc_json_text(mgc_buf_text(&text)));
    mgc_buf_destroy(&text);
}

static void set_count(
    json_t *object, const char *key, const struct mgc_fields *metrics, const char *metric)
{
    int64_t count;
    if (mgc_fields_get_int(metrics, metric, &count))
        json_object_set_new(object, key, json_integer(count));
}

json_t *mgc_part_old_verify(const struct mgc_verdict *verdict)
{
    json_t *object = json_object();
    const struct mgc_evidence *transport = find(verdict, "transport-spawn");
    if (transport)
        json_object_set_new(object, "TRANSPORT_MARKER",
            json_string(transport->outcome == MGC_CHECK_OK ? "spawn:OK" : "spawn:MISSING"));
    set_old(object, "TCP_SESSION", find(verdict, "control-tcp"), "OK: ", "MISSING", true);
    set_old(object, "RUN_AHEAD_ARMED", find(verdict, "run-ahead-armed"), "OK: ", "MISSING", true);
    set_old(object, "LOCKSTEP_WARNING", find(verdict, "lockstep"), "PRESENT: ", "absent", false);
    set_old(object, "DISARMED", find(verdict, "disarmed"), "PRESENT: ", "absent", false);
    set_count(object, "PIPESTATS_LINES", &verdict->metrics, "pipe_stats_lines");
    set_count(object, "FATAL_LINES", &verdict->metrics, "fatal_lines");
    return object;
}

bool mgc_part_print(json_t *doc, struct mgc_buf *out, struct mgc_error *err)
{
    char *text = json_dumps(doc, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    json_decref(doc);
    bool ok = text && mgc_buf_puts(out, text) && mgc_buf_putc(out, '\n');
    free(text);
    return ok || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for JSON");
}
