#include "coordinator/restore/parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/plat/file.h"

enum { DOCUMENT_MAX = 64 * 1024 * 1024 };

json_t *mgc_restore_json(const char *dir, const char *name, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf data = {0};
    json_t *json = NULL;
    if (!mgc_path_join(path, sizeof(path), dir, name))
        mgc_error_set(err, MGC_E_CONFIG, "'%s': path is too long", dir);
    else if (!mgc_file_exists(path))
        mgc_error_set(err, MGC_E_NOT_FOUND, "'%s' is not there", path);
    else if (mgc_file_read(path, DOCUMENT_MAX, &data, err)) {
        json = mgc_json_parse(data.data, data.len, DOCUMENT_MAX, err);
        if (!json)
            mgc_error_prefix(err, "'%s'", path);
    }
    mgc_buf_destroy(&data);
    return json;
}

const char *mgc_restore_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

int64_t mgc_restore_int(const json_t *object, const char *key, int64_t fallback)
{
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? json_integer_value(value) : fallback;
}

double mgc_restore_real(const json_t *object, const char *key, double fallback)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : fallback;
}

void mgc_restore_fields(const json_t *object, struct mgc_fields *fields)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value)
    {
        if (json_is_string(value))
            mgc_fields_set_str(fields, name, json_string_value(value));
        else if (json_is_integer(value))
            mgc_fields_set_int(fields, name, json_integer_value(value));
        else if (json_is_real(value))
            mgc_fields_set_double(fields, name, json_real_value(value));
        else if (json_is_boolean(value))
            mgc_fields_set_bool(fields, name, json_is_true(value));
    }
}

bool mgc_restore_state(const char *name, enum mgc_verdict_state *ret_state)
{
    for (int state = 0; name && state <= MGC_VERDICT_SKIPPED; state++) {
        if (strcmp(mgc_verdict_state_name((enum mgc_verdict_state)state), name) != 0)
            continue;
        *ret_state = (enum mgc_verdict_state)state;
        return true;
    }
    return false;
}

void mgc_restore_note(struct mgc_restored *restored, const char *fmt, ...)
{
    struct mgc_results *results = &restored->results;
    struct mgc_buf text = {0};
    bool known = false;
    va_list args;
    va_start(args, fmt);
    mgc_buf_vprintf(&text, fmt, args);
    va_end(args);
    for (size_t i = 0; i < results->note_count && !known; i++)
        known = strcmp(results->notes[i], mgc_buf_text(&text)) == 0;
    if (!known)
        mgc_results_note(results, "%s", mgc_buf_text(&text));
    mgc_buf_destroy(&text);
}

static enum mgc_check_outcome outcome_named(const char *name)
{
    for (int outcome = 0; name && outcome <= MGC_CHECK_ABSENT; outcome++) {
        if (strcmp(mgc_check_outcome_name((enum mgc_check_outcome)outcome), name) == 0)
            return (enum mgc_check_outcome)outcome;
    }
    return MGC_CHECK_ABSENT;
}

static void copy_text(const json_t *object, const char *key, char *ret_text, size_t size)
{
    const char *text = mgc_restore_text(object, key);
    snprintf(ret_text, size, "%s", text ? text : "");
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

void mgc_restore_verdict(const json_t *object, struct mgc_verdict *verdict)
{
    const json_t *evidence = json_object_get(object, "evidence");
    mgc_verdict_destroy(verdict);
    mgc_restore_state(mgc_restore_text(object, "verdict"), &verdict->state);
    copy_text(object, "reason", verdict->reason, sizeof(verdict->reason));
    copy_text(object, "text", verdict->text, sizeof(verdict->text));
    copy_text(object, "next_step", verdict->next_step, sizeof(verdict->next_step));
    verdict->infrastructure = json_is_true(json_object_get(object, "infrastructure"));
    mgc_restore_fields(json_object_get(object, "metrics"), &verdict->metrics);
    for (size_t i = 0; i < json_array_size(evidence); i++) {
        const json_t *item = json_array_get(evidence, i);
        mgc_verdict_add(verdict, or_empty(mgc_restore_text(item, "check")),
            outcome_named(mgc_restore_text(item, "outcome")),
            or_empty(mgc_restore_text(item, "source")), "%s",
            or_empty(mgc_restore_text(item, "seen")));
    }
}
