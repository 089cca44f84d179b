#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <msgpack.h>

#include "common/base/path.h"
#include "common/wire/codec.h"
#include "common/wire/reader.h"
#include "common/wire/text.h"

static const char *type_name(const msgpack_object *object)
{
    switch (object->type) {
    case MSGPACK_OBJECT_NIL:
        return "nil";
    case MSGPACK_OBJECT_BOOLEAN:
        return "a bool";
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        return "an integer";
    case MSGPACK_OBJECT_FLOAT32:
    case MSGPACK_OBJECT_FLOAT64:
        return "a float";
    case MSGPACK_OBJECT_STR:
        return "text";
    case MSGPACK_OBJECT_ARRAY:
        return "an array";
    case MSGPACK_OBJECT_MAP:
        return "a map";
    case MSGPACK_OBJECT_BIN:
        return "binary";
    default:
        return "an extension";
    }
}

static bool expected(const char *what, const msgpack_object *object, struct mgc_error *err)
{
    return mgc_error_set(err, MGC_E_PROTOCOL, "expected %s, found %s", what, type_name(object));
}

static bool no_memory(struct mgc_error *err)
{
    return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory");
}

static bool take_uint(const msgpack_object *object, uint64_t *ret, struct mgc_error *err)
{
    if (object->type != MSGPACK_OBJECT_POSITIVE_INTEGER)
        return expected("an integer, not negative", object, err);
    *ret = object->via.u64;
    return true;
}

static bool take_int(const msgpack_object *object, int64_t *ret, struct mgc_error *err)
{
    if (object->type == MSGPACK_OBJECT_NEGATIVE_INTEGER)
        *ret = object->via.i64;
    else if (object->type == MSGPACK_OBJECT_POSITIVE_INTEGER && object->via.u64 <= INT64_MAX)
        *ret = (int64_t)object->via.u64;
    else
        return expected("an integer of 64 bits with sign", object, err);
    return true;
}

static bool take_int_field(const msgpack_object *object, const struct mgc_wire_field *field,
    int64_t *ret, struct mgc_error *err)
{
    int64_t value = 0;
    if (!take_int(object, &value, err) || !mgc_wire_int_check(field, value, err))
        return false;
    *ret = value;
    return true;
}

static bool take_code(const msgpack_object *object, enum mgc_code *ret, struct mgc_error *err)
{
    uint64_t value = 0;
    if (!take_uint(object, &value, err))
        return false;
    if (value >= MGC_CODE_COUNT)
        return mgc_error_set(err, MGC_E_PROTOCOL, "expected a code below %d, found %llu",
            MGC_CODE_COUNT, (unsigned long long)value);
    *ret = (enum mgc_code)value;
    return true;
}

static bool take_text(const msgpack_object *object, char **ret, struct mgc_error *err)
{
    if (object->type != MSGPACK_OBJECT_STR)
        return expected("text", object, err);
    const msgpack_object_str *str = &object->via.str;
    if (!mgc_text_is_valid(str->ptr, str->size))
        return mgc_error_set(err, MGC_E_PROTOCOL, "expected UTF-8 text without NUL bytes");
    char *text = malloc((size_t)str->size + 1);
    if (!text)
        return no_memory(err);
    if (str->size)
        memcpy(text, str->ptr, str->size);
    text[str->size] = '\0';
    *ret = text;
    return true;
}

static bool take_path(const msgpack_object *object, char **ret, struct mgc_error *err)
{
    if (!take_text(object, ret, err))
        return false;
    if (mgc_path_is_safe(*ret))
        return true;
    /* *ret is freed with the message */
    return mgc_error_set(err, MGC_E_PROTOCOL, "expected a plain relative path");
}

static bool take_sha256(
    const msgpack_object *object, char ret[MGC_SHA256_HEX_SIZE], struct mgc_error *err)
{
    if (object->type != MSGPACK_OBJECT_STR)
        return expected("a SHA-256 in hex", object, err);
    const msgpack_object_str *str = &object->via.str;
    bool ok = str->size == MGC_SHA256_HEX_SIZE - 1;
    for (size_t i = 0; ok && i < str->size; i++)
        ok = (str->ptr[i] >= '0' && str->ptr[i] <= '9') ||
             (str->ptr[i] >= 'a' && str->ptr[i] <= 'f');
    if (!ok)
        return mgc_error_set(err, MGC_E_PROTOCOL, "expected 64 lower-case hex digits");
    memcpy(ret, str->ptr, str->size);
    ret[str->size] = '\0';
    return true;
}

static bool take_value(const msgpack_object *object, struct mgc_value *ret, struct mgc_error *err)
{
    switch (object->type) {
    case MSGPACK_OBJECT_BOOLEAN:
        *ret = (struct mgc_value){.type = MGC_VALUE_BOOL, .boolean = object->via.boolean};
        return true;
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        *ret = (struct mgc_value){.type = MGC_VALUE_INT};
        return take_int(object, &ret->integer, err);
    case MSGPACK_OBJECT_FLOAT32:
    case MSGPACK_OBJECT_FLOAT64:
        if (!isfinite(object->via.f64)) /* no number that JSON or a table could show */
            return mgc_error_set(err, MGC_E_PROTOCOL, "expected a finite number");
        *ret = (struct mgc_value){.type = MGC_VALUE_DOUBLE, .real = object->via.f64};
        return true;
    case MSGPACK_OBJECT_STR:
        *ret = (struct mgc_value){.type = MGC_VALUE_STRING};
        return take_text(object, &ret->string, err);
    default:
        return expected("a bool, number or text", object, err);
    }
}

static bool take_entry(
    const msgpack_object_kv *kv, struct mgc_fields *fields, struct mgc_error *err)
{
    char *name = NULL;
    struct mgc_value value = {0};
    bool ok = take_text(&kv->key, &name, err);
    if (!ok)
        return mgc_error_prefix(err, "name of an entry");
    if (mgc_fields_get(fields, name))
        ok = mgc_error_set(err, MGC_E_PROTOCOL, "name '%s' occurs twice", name);
    else if (!take_value(&kv->val, &value, err))
        ok = mgc_error_prefix(err, "value of '%s'", name);
    else if (!mgc_fields_set_value(fields, name, &value))
        ok = no_memory(err);
    free(value.string);
    free(name);
    return ok;
}

static bool take_fields(
    const msgpack_object *object, struct mgc_fields *fields, struct mgc_error *err)
{
    if (object->type != MSGPACK_OBJECT_MAP)
        return expected("a map of named values", object, err);
    for (size_t i = 0; i < object->via.map.size; i++) {
        if (!take_entry(&object->via.map.ptr[i], fields, err))
            return false;
    }
    return true;
}

static bool take_table(const msgpack_object *object, const struct mgc_wire_table *table, void *base,
    struct mgc_error *err);

static void *member(void *base, size_t offset)
{
    return (char *)base + offset;
}

static bool take_artifacts(const msgpack_object *object, const struct mgc_wire_field *field,
    void *base, struct mgc_error *err)
{
    if (object->type != MSGPACK_OBJECT_ARRAY)
        return expected("an array of artifacts", object, err);
    size_t count = object->via.array.size; /* bounded by the walk: at most MGC_WIRE_ITEMS_MAX */
    if (count == 0)
        return true;
    struct mgc_artifact *artifacts = calloc(count, sizeof(*artifacts));
    if (!artifacts)
        return no_memory(err);
    *(struct mgc_artifact **)member(base, field->offset) = artifacts;
    *(size_t *)member(base, field->count_offset) = count;
    for (size_t i = 0; i < count; i++) {
        const msgpack_object *item = &object->via.array.ptr[i];
        if (item->type != MSGPACK_OBJECT_MAP)
            return expected("a map for each artifact", item, err);
        if (!take_table(item, &mgc_wire_artifact_table, &artifacts[i], err))
            return false;
    }
    return true;
}

static bool take_field(const msgpack_object *object, const struct mgc_wire_field *field, void *base,
    struct mgc_error *err)
{
    void *at = member(base, field->offset);
    switch (field->type) {
    case MGC_WIRE_INT:
        return take_int_field(object, field, at, err);
    case MGC_WIRE_UINT:
        return take_uint(object, at, err);
    case MGC_WIRE_CODE:
        return take_code(object, at, err);
    case MGC_WIRE_TEXT:
        return take_text(object, at, err);
    case MGC_WIRE_PATH:
        return take_path(object, at, err);
    case MGC_WIRE_SHA256:
        return take_sha256(object, at, err);
    case MGC_WIRE_FIELDS:
        return take_fields(object, at, err);
    case MGC_WIRE_ARTIFACTS:
        return take_artifacts(object, field, base, err);
    }
    return false;
}

/* Index in the table, or table->count for a key it does not know. */
static size_t index_of(const struct mgc_wire_table *table, uint64_t key)
{
    size_t i = 0;
    while (i < table->count && table->fields[i].key != key)
        i++;
    return i;
}

static bool all_there(const struct mgc_wire_table *table, uint32_t seen, struct mgc_error *err)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct mgc_wire_field *field = &table->fields[i];
        if (!(seen & (uint32_t)1 << i) && !mgc_wire_is_optional(field))
            return mgc_error_set(
                err, MGC_E_PROTOCOL, "key %u (%s) is missing", field->key, field->name);
    }
    return true;
}

/* Fill the struct at base from a map. Keys that the table does not know are left alone. */
static bool take_table(const msgpack_object *object, const struct mgc_wire_table *table, void *base,
    struct mgc_error *err)
{
    uint32_t seen = 0;
    for (size_t i = 0; i < object->via.map.size; i++) {
        const msgpack_object_kv *kv = &object->via.map.ptr[i];
        if (kv->key.type != MSGPACK_OBJECT_POSITIVE_INTEGER)
            return mgc_error_set(
                err, MGC_E_PROTOCOL, "a key is %s, expected a number", type_name(&kv->key));
        size_t index = index_of(table, kv->key.via.u64);
        if (index == table->count)
            continue;
        const struct mgc_wire_field *field = &table->fields[index];
        if (seen & (uint32_t)1 << index)
            return mgc_error_set(
                err, MGC_E_PROTOCOL, "key %u (%s) occurs twice", field->key, field->name);
        seen |= (uint32_t)1 << index;
        if (!take_field(&kv->val, field, base, err))
            return mgc_error_prefix(err, "key %u (%s)", field->key, field->name);
    }
    return all_there(table, seen, err);
}

static bool take_envelope_key(
    const msgpack_object_kv *kv, struct mgc_msg *msg, unsigned *seen, struct mgc_error *err)
{
    static const char *const names[] = {"kind", "epoch", "mid"};
    if (kv->key.type != MSGPACK_OBJECT_POSITIVE_INTEGER || kv->key.via.u64 > MGC_KEY_MID)
        return true;
    unsigned key = (unsigned)kv->key.via.u64;
    uint64_t value = 0;
    if (*seen & 1u << key)
        return mgc_error_set(err, MGC_E_PROTOCOL, "key %u (%s) occurs twice", key, names[key]);
    *seen |= 1u << key;
    if (!take_uint(&kv->val, &value, err))
        return mgc_error_prefix(err, "key %u (%s)", key, names[key]);
    if (key == MGC_KEY_EPOCH)
        msg->epoch = value;
    else if (key == MGC_KEY_MID)
        msg->mid = value;
    else if (value == MGC_MSG_NONE || value > UINT16_MAX)
        return mgc_error_set(err, MGC_E_PROTOCOL, "key 0 (kind): %llu is no message kind",
            (unsigned long long)value);
    else
        msg->kind = (enum mgc_msg_kind)value;
    return true;
}

static bool take_envelope(const msgpack_object_map *map, struct mgc_msg *msg, struct mgc_error *err)
{
    unsigned seen = 0;
    for (size_t i = 0; i < map->size; i++) {
        if (!take_envelope_key(&map->ptr[i], msg, &seen, err))
            return false;
    }
    if (msg->kind == MGC_MSG_NONE)
        return mgc_error_set(err, MGC_E_PROTOCOL, "key 0 (kind) is missing");
    return true;
}

/* Before the rest, which another version may have changed. What is no number stays 0 here and is
 * complained about there. */
static void take_range(const msgpack_object_map *map, struct mgc_msg_hello *hello)
{
    for (size_t i = 0; i < map->size; i++) {
        const msgpack_object_kv *kv = &map->ptr[i];
        if (kv->key.type != MSGPACK_OBJECT_POSITIVE_INTEGER)
            continue;
        if (kv->key.via.u64 == MGC_KEY_HELLO_PROTOCOL_MIN)
            take_int(&kv->val, &hello->protocol_min, NULL);
        else if (kv->key.via.u64 == MGC_KEY_HELLO_PROTOCOL_MAX)
            take_int(&kv->val, &hello->protocol_max, NULL);
    }
}

static bool take_message(const msgpack_object *root, struct mgc_msg *msg, struct mgc_error *err)
{
    if (!take_envelope(&root->via.map, msg, err))
        return mgc_error_prefix(err, "%s message", mgc_msg_kind_name(msg->kind));
    const struct mgc_wire_kind *kind = mgc_wire_kind_find(msg->kind);
    if (!kind)
        return mgc_error_set(
            err, MGC_E_UNSUPPORTED, "message kind %d is unknown to this build", (int)msg->kind);
    if (msg->kind == MGC_MSG_HELLO)
        take_range(&root->via.map, &msg->hello);
    if (take_table(root, &kind->table, msg, err))
        return true;
    mgc_wire_table_destroy(&kind->table, msg);
    return mgc_error_prefix(err, "%s message", kind->name);
}

bool mgc_msg_decode(const void *data, size_t len, struct mgc_msg *ret_msg, struct mgc_error *err)
{
    *ret_msg = (struct mgc_msg){0};
    if (!mgc_wire_check(data, len, err))
        return false;
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    size_t offset = 0;
    bool ok;
    /* After the walk the unpacker can only fail for lack of memory. */
    if (msgpack_unpack_next(&unpacked, data, len, &offset) != MSGPACK_UNPACK_SUCCESS)
        ok = mgc_error_set(err, MGC_E_NO_MEMORY, "no memory to unpack a frame of %zu bytes", len);
    else
        ok = take_message(&unpacked.data, ret_msg, err);
    msgpack_unpacked_destroy(&unpacked);
    return ok;
}
