#include <math.h>
#include <string.h>

#include <msgpack.h>

#include "common/base/path.h"
#include "common/wire/codec.h"
#include "common/wire/reader.h"
#include "common/wire/text.h"

static int write_bytes(void *data, const char *bytes, size_t len)
{
    return mgc_buf_append(data, bytes, len) ? 0 : -1;
}

/* The packers' return values are not looked at: the buffer remembers a failure. */
static void pack_text(msgpack_packer *pk, const char *text)
{
    size_t len = text ? strlen(text) : 0;
    if (mgc_text_is_valid(text, len)) {
        msgpack_pack_str_with_body(pk, text ? text : "", len);
        return;
    }
    struct mgc_buf clean = {0};
    if (mgc_text_repair(&clean, text, len))
        msgpack_pack_str_with_body(pk, mgc_buf_text(&clean), clean.len);
    else
        ((struct mgc_buf *)pk->data)->failed = true;
    mgc_buf_destroy(&clean);
}

static void pack_value(msgpack_packer *pk, const struct mgc_value *value)
{
    switch (value->type) {
    case MGC_VALUE_BOOL:
        value->boolean ? msgpack_pack_true(pk) : msgpack_pack_false(pk);
        return;
    case MGC_VALUE_INT:
        msgpack_pack_int64(pk, value->integer);
        return;
    case MGC_VALUE_DOUBLE:
        msgpack_pack_double(pk, value->real);
        return;
    case MGC_VALUE_STRING:
        pack_text(pk, value->string);
        return;
    }
}

static void pack_fields(msgpack_packer *pk, const struct mgc_fields *fields)
{
    msgpack_pack_map(pk, fields->count);
    for (size_t i = 0; i < fields->count; i++) {
        pack_text(pk, fields->items[i].name);
        pack_value(pk, &fields->items[i].value);
    }
}

static const void *member(const void *base, size_t offset)
{
    return (const char *)base + offset;
}

static size_t list_count(const struct mgc_wire_field *field, const void *base)
{
    return *(const size_t *)member(base, field->count_offset);
}

static bool is_left_out(const struct mgc_wire_field *field, const void *base)
{
    if (field->type == MGC_WIRE_FIELDS)
        return ((const struct mgc_fields *)member(base, field->offset))->count == 0;
    if (field->type == MGC_WIRE_TEXT && field->may_lack)
        return *(char *const *)member(base, field->offset) == NULL;
    return field->type == MGC_WIRE_ARTIFACTS && list_count(field, base) == 0;
}

static size_t entries(const struct mgc_wire_table *table, const void *base)
{
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++)
        count += !is_left_out(&table->fields[i], base);
    return count;
}

static void pack_table(msgpack_packer *pk, const struct mgc_wire_table *table, const void *base);

static void pack_artifacts(msgpack_packer *pk, const struct mgc_artifact *artifacts, size_t count)
{
    msgpack_pack_array(pk, count);
    for (size_t i = 0; i < count; i++) {
        msgpack_pack_map(pk, mgc_wire_artifact_table.count);
        pack_table(pk, &mgc_wire_artifact_table, &artifacts[i]);
    }
}

static void pack_field(msgpack_packer *pk, const struct mgc_wire_field *field, const void *base)
{
    const void *at = member(base, field->offset);
    switch (field->type) {
    case MGC_WIRE_INT:
        msgpack_pack_int64(pk, *(const int64_t *)at);
        return;
    case MGC_WIRE_UINT:
        msgpack_pack_uint64(pk, *(const uint64_t *)at);
        return;
    case MGC_WIRE_CODE:
        msgpack_pack_uint64(pk, *(const enum mgc_code *)at);
        return;
    case MGC_WIRE_TEXT:
    case MGC_WIRE_PATH:
        pack_text(pk, *(char *const *)at);
        return;
    case MGC_WIRE_SHA256:
        pack_text(pk, at);
        return;
    case MGC_WIRE_FIELDS:
        pack_fields(pk, at);
        return;
    case MGC_WIRE_ARTIFACTS:
        pack_artifacts(pk, *(struct mgc_artifact *const *)at, list_count(field, base));
        return;
    }
}

static void pack_table(msgpack_packer *pk, const struct mgc_wire_table *table, const void *base)
{
    for (size_t i = 0; i < table->count; i++) {
        if (is_left_out(&table->fields[i], base))
            continue;
        msgpack_pack_uint64(pk, table->fields[i].key);
        pack_field(pk, &table->fields[i], base);
    }
}

static void pack_envelope_key(msgpack_packer *pk, unsigned key, uint64_t value)
{
    if (!value)
        return;
    msgpack_pack_uint64(pk, key);
    msgpack_pack_uint64(pk, value);
}

static void pack_message(
    msgpack_packer *pk, const struct mgc_wire_kind *kind, const struct mgc_msg *msg)
{
    msgpack_pack_map(pk, 1 + !!msg->epoch + !!msg->mid + entries(&kind->table, msg));
    pack_envelope_key(pk, MGC_KEY_KIND, msg->kind);
    pack_envelope_key(pk, MGC_KEY_EPOCH, msg->epoch);
    pack_envelope_key(pk, MGC_KEY_MID, msg->mid);
    pack_table(pk, &kind->table, msg);
}

static bool check_fields(const struct mgc_fields *fields, struct mgc_error *err)
{
    for (size_t i = 0; i < fields->count; i++) {
        const struct mgc_field *item = &fields->items[i];
        if (item->value.type == MGC_VALUE_DOUBLE && !isfinite(item->value.real))
            return mgc_error_set(
                err, MGC_E_PROTOCOL, "value of '%s': expected a finite number", item->name);
    }
    return true;
}

/* What the receiver would refuse is told here, where somebody knows what it was meant for. */
static bool check_values(
    const struct mgc_wire_kind *kind, const struct mgc_msg *msg, struct mgc_error *err)
{
    for (size_t i = 0; i < kind->table.count; i++) {
        const struct mgc_wire_field *field = &kind->table.fields[i];
        const void *at = member(msg, field->offset);
        bool ok = true;
        if (field->type == MGC_WIRE_INT)
            ok = mgc_wire_int_check(field, *(const int64_t *)at, err);
        else if (field->type == MGC_WIRE_FIELDS)
            ok = check_fields(at, err);
        if (!ok)
            return mgc_error_prefix(
                err, "%s message: key %u (%s)", kind->name, field->key, field->name);
    }
    return true;
}

bool mgc_msg_encode(const struct mgc_msg *msg, struct mgc_buf *out, struct mgc_error *err)
{
    const struct mgc_wire_kind *kind = mgc_wire_kind_find(msg->kind);
    if (!kind)
        return mgc_error_set(
            err, MGC_E_UNSUPPORTED, "message kind %d cannot be sent by this build", (int)msg->kind);
    if (!check_values(kind, msg, err))
        return false;
    struct mgc_buf frame;
    mgc_buf_init(&frame, MGC_WIRE_HEADER_MAX);
    msgpack_packer pk;
    msgpack_packer_init(&pk, &frame, write_bytes);
    pack_message(&pk, kind, msg);
    bool ok = mgc_buf_ok(&frame);
    if (!ok)
        mgc_error_set(err, MGC_E_NO_MEMORY, "%s message would pass %d bytes", kind->name,
            MGC_WIRE_HEADER_MAX);
    else if (!mgc_wire_check(frame.data, frame.len, err)) /* what we send, we must accept */
        ok = mgc_error_prefix(err, "%s message cannot be sent", kind->name);
    else if (!mgc_buf_append(out, frame.data, frame.len))
        ok = mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a %s message", kind->name);
    mgc_buf_destroy(&frame);
    return ok;
}
