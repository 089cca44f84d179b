#include "common/wire/msg.h"

#include <stdlib.h>

#include "common/wire/codec.h"

static const struct mgc_wire_kind *const families[] = {
    mgc_wire_session_kinds,
    mgc_wire_task_kinds,
    mgc_wire_barrier_kinds,
    mgc_wire_artifact_kinds,
};

const struct mgc_wire_kind *mgc_wire_kind_find(uint64_t kind)
{
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
        for (const struct mgc_wire_kind *k = families[i]; k->kind != MGC_MSG_NONE; k++) {
            if (k->kind == kind)
                return k;
        }
    }
    return NULL;
}

bool mgc_wire_int_check(const struct mgc_wire_field *field, int64_t value, struct mgc_error *err)
{
    if (value < field->min)
        return mgc_error_set(err, MGC_E_PROTOCOL, "expected at least %lld, found %lld",
            (long long)field->min, (long long)value);
    if (field->max && value > field->max)
        return mgc_error_set(err, MGC_E_PROTOCOL, "expected at most %lld, found %lld",
            (long long)field->max, (long long)value);
    return true;
}

static unsigned flags_of(enum mgc_msg_kind kind)
{
    const struct mgc_wire_kind *found = mgc_wire_kind_find(kind);
    return found ? found->flags : 0;
}

const char *mgc_msg_kind_name(enum mgc_msg_kind kind)
{
    const struct mgc_wire_kind *found = mgc_wire_kind_find(kind);
    return found ? found->name : "unknown";
}

bool mgc_msg_is_reliable(enum mgc_msg_kind kind)
{
    return flags_of(kind) & MGC_WIRE_RELIABLE;
}

bool mgc_msg_goes_to_worker(enum mgc_msg_kind kind)
{
    return flags_of(kind) & MGC_WIRE_TO_WORKER;
}

bool mgc_msg_goes_to_coordinator(enum mgc_msg_kind kind)
{
    return flags_of(kind) & MGC_WIRE_TO_COORDINATOR;
}

bool mgc_msg_has_body(enum mgc_msg_kind kind)
{
    return flags_of(kind) & MGC_WIRE_BODY;
}

static void artifacts_destroy(const struct mgc_wire_field *field, char *base)
{
    struct mgc_artifact **artifacts = (struct mgc_artifact **)(base + field->offset);
    size_t *count = (size_t *)(base + field->count_offset);
    for (size_t i = 0; i < *count; i++)
        mgc_wire_table_destroy(&mgc_wire_artifact_table, &(*artifacts)[i]);
    free(*artifacts);
    *artifacts = NULL;
    *count = 0;
}

static void field_destroy(const struct mgc_wire_field *field, char *base)
{
    if (field->type == MGC_WIRE_TEXT || field->type == MGC_WIRE_PATH) {
        char **text = (char **)(base + field->offset);
        free(*text);
        *text = NULL;
    } else if (field->type == MGC_WIRE_FIELDS) {
        mgc_fields_destroy((struct mgc_fields *)(base + field->offset));
    } else if (field->type == MGC_WIRE_ARTIFACTS) {
        artifacts_destroy(field, base);
    }
}

void mgc_wire_table_destroy(const struct mgc_wire_table *table, void *base)
{
    for (size_t i = 0; i < table->count; i++)
        field_destroy(&table->fields[i], base);
}

void mgc_msg_destroy(struct mgc_msg *msg)
{
    if (!msg)
        return;
    const struct mgc_wire_kind *kind = mgc_wire_kind_find(msg->kind);
    if (kind)
        mgc_wire_table_destroy(&kind->table, msg);
    *msg = (struct mgc_msg){0};
}
