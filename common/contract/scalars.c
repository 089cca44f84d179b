#include "common/contract/scalars.h"

#include <string.h>

const struct contract_key *contract_key_find(
    const struct contract_key *keys, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(keys[i].name, name) == 0)
            return &keys[i];
    }
    return NULL;
}

static const char *type_words(enum mgc_value_type type)
{
    static const char *const words[] = {
        [MGC_VALUE_BOOL] = "true or false",
        [MGC_VALUE_INT] = "an integer",
        [MGC_VALUE_DOUBLE] = "a number",
        [MGC_VALUE_STRING] = "a string",
    };
    return words[type];
}

static bool type_fits(enum mgc_value_type type, const json_t *value)
{
    switch (type) {
    case MGC_VALUE_BOOL:
        return json_is_boolean(value);
    case MGC_VALUE_INT:
        return json_is_integer(value);
    case MGC_VALUE_DOUBLE:
        return json_is_number(value);
    case MGC_VALUE_STRING:
        return json_is_string(value);
    }
    return false;
}

static bool store(struct mgc_fields *fields, const struct contract_key *key, const json_t *value)
{
    switch (key->type) {
    case MGC_VALUE_BOOL:
        return mgc_fields_set_bool(fields, key->name, json_is_true(value));
    case MGC_VALUE_INT:
        return mgc_fields_set_int(fields, key->name, json_integer_value(value));
    case MGC_VALUE_DOUBLE:
        return mgc_fields_set_double(fields, key->name, json_number_value(value));
    case MGC_VALUE_STRING:
        return mgc_fields_set_str(fields, key->name, json_string_value(value));
    }
    return false;
}

bool contract_scalar_set(struct mgc_fields *fields, const struct contract_key *key,
    const json_t *value, const char *where, struct mgc_error *err)
{
    if (json_is_null(value))
        return true;
    if (!type_fits(key->type, value))
        return mgc_error_set(err, MGC_E_PROTOCOL, "%s: key \"%s\" is not %s", where, key->name,
            type_words(key->type));
    if (key->minus_one_absent && json_number_value(value) == -1.0)
        return true;
    if (!store(fields, key, value))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "%s: no memory for \"%s\"", where, key->name);
    return true;
}
