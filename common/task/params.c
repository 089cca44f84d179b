#include "common/task/params.h"

#include <inttypes.h>
#include <string.h>

#include "common/task/secrets.h"

enum { STRING_MAX = 4096 };

const struct mgc_task_kind *mgc_task_kind_find(const struct mgc_task_kind *kinds, const char *name)
{
    for (const struct mgc_task_kind *kind = kinds; kind->name; kind++) {
        if (strcmp(kind->name, name) == 0)
            return kind;
    }
    return NULL;
}

static const struct mgc_param *param_find(const struct mgc_task_kind *kind, const char *name)
{
    for (const struct mgc_param *param = kind->params; param && param->name; param++) {
        if (strcmp(param->name, name) == 0)
            return param;
    }
    return NULL;
}

static void string_range(const struct mgc_param *param, int64_t *ret_min, int64_t *ret_max)
{
    *ret_min = param->min;
    *ret_max = param->max;
    if (param->min == 0 && param->max == 0)
        *ret_max = STRING_MAX;
    /* A shorter one would be masked out of every second line. */
    if (param->type == MGC_PARAM_SECRET && *ret_min < MGC_SECRET_MIN)
        *ret_min = MGC_SECRET_MIN;
}

/* "a string of 1 to 64 bytes", "a whole number from 1 to 65535". */
static const char *expected(const struct mgc_param *param, char *text, size_t size)
{
    int64_t min, max;
    switch (param->type) {
    case MGC_PARAM_STRING:
    case MGC_PARAM_SECRET:
        string_range(param, &min, &max);
        snprintf(text, size, "a %s of %" PRId64 " to %" PRId64 " bytes",
            param->type == MGC_PARAM_SECRET ? "secret" : "string", min, max);
        break;
    case MGC_PARAM_INT:
        if (param->min == 0 && param->max == 0)
            snprintf(text, size, "a whole number");
        else
            snprintf(
                text, size, "a whole number from %" PRId64 " to %" PRId64, param->min, param->max);
        break;
    case MGC_PARAM_BOOL:
        snprintf(text, size, "true or false");
        break;
    case MGC_PARAM_DOUBLE:
        snprintf(text, size, "a number");
        break;
    }
    return text;
}

static bool value_fits(const struct mgc_param *param, const struct mgc_value *value)
{
    int64_t min, max;
    switch (param->type) {
    case MGC_PARAM_STRING:
    case MGC_PARAM_SECRET:
        if (value->type != MGC_VALUE_STRING)
            return false;
        string_range(param, &min, &max);
        return (int64_t)strlen(value->string) >= min && (int64_t)strlen(value->string) <= max;
    case MGC_PARAM_INT:
        if (value->type != MGC_VALUE_INT)
            return false;
        return (param->min == 0 && param->max == 0) ||
               (value->integer >= param->min && value->integer <= param->max);
    case MGC_PARAM_BOOL:
        return value->type == MGC_VALUE_BOOL;
    case MGC_PARAM_DOUBLE:
        return value->type == MGC_VALUE_DOUBLE || value->type == MGC_VALUE_INT;
    }
    return false;
}

/* What came instead; nothing of a secret. */
static const char *shown(
    const struct mgc_param *param, const struct mgc_value *value, char *text, size_t size)
{
    if (param->type == MGC_PARAM_SECRET) {
        snprintf(text, size, "%s",
            value->type == MGC_VALUE_STRING ? "one of another length" : "a value of another type");
        return text;
    }
    switch (value->type) {
    case MGC_VALUE_BOOL:
        snprintf(text, size, "%s", value->boolean ? "true" : "false");
        break;
    case MGC_VALUE_INT:
        snprintf(text, size, "%" PRId64, value->integer);
        break;
    case MGC_VALUE_DOUBLE:
        snprintf(text, size, "%g", value->real);
        break;
    case MGC_VALUE_STRING:
        snprintf(text, size, "\"%.60s\"%s", value->string, strlen(value->string) > 60 ? "..." : "");
        break;
    }
    return text;
}

static bool check_one(const struct mgc_task_kind *kind, const struct mgc_param *param,
    const struct mgc_value *value, struct mgc_error *err)
{
    char want[96], got[96];
    if (!value) {
        if (!param->required)
            return true;
        return mgc_error_set(err, MGC_E_CONFIG, "%s: parameter \"%s\" is missing, expected %s",
            kind->name, param->name, expected(param, want, sizeof(want)));
    }
    if (!value_fits(param, value))
        return mgc_error_set(err, MGC_E_CONFIG, "%s: parameter \"%s\": expected %s, got %s",
            kind->name, param->name, expected(param, want, sizeof(want)),
            shown(param, value, got, sizeof(got)));
    struct mgc_error why = {0};
    if (param->check && !param->check(value, &why))
        return mgc_error_set(
            err, MGC_E_CONFIG, "%s: parameter \"%s\": %s", kind->name, param->name, why.text);
    return true;
}

/* A secret that the kind has no use for is there to be masked in what the task leaves. */
static bool check_mask_only(
    const struct mgc_task_kind *kind, const struct mgc_field *field, struct mgc_error *err)
{
    return (field->value.type == MGC_VALUE_STRING &&
               strlen(field->value.string) >= MGC_SECRET_MIN) ||
           mgc_error_set(err, MGC_E_CONFIG,
               "%s: secret \"%.60s\": expected a string of at least %d bytes to mask", kind->name,
               field->name, MGC_SECRET_MIN);
}

/* Everything in `fields` must be in the schema, as a secret or not as the list says. */
static bool check_known(const struct mgc_task_kind *kind, const struct mgc_fields *fields,
    bool secret, struct mgc_error *err)
{
    for (size_t i = 0; i < fields->count; i++) {
        const char *name = fields->items[i].name;
        const struct mgc_param *param = param_find(kind, name);
        if (!param && secret) {
            if (!check_mask_only(kind, &fields->items[i], err))
                return false;
            continue;
        }
        if (!param)
            return mgc_error_set(err, MGC_E_CONFIG,
                "%s: unknown parameter \"%.60s\", expected one of those that --list-tasks prints",
                kind->name, name);
        if ((param->type == MGC_PARAM_SECRET) != secret)
            return mgc_error_set(err, MGC_E_CONFIG, "%s: \"%s\" came as a %s, expected a %s",
                kind->name, name, secret ? "secret" : "parameter", secret ? "parameter" : "secret");
    }
    return true;
}

bool mgc_params_check(const struct mgc_task_kind *kind, const struct mgc_fields *params,
    const struct mgc_fields *secrets, struct mgc_error *err)
{
    if (!check_known(kind, params, false, err) || !check_known(kind, secrets, true, err))
        return false;
    for (const struct mgc_param *param = kind->params; param && param->name; param++) {
        const struct mgc_fields *from = param->type == MGC_PARAM_SECRET ? secrets : params;
        if (!check_one(kind, param, mgc_fields_get(from, param->name), err))
            return false;
    }
    return true;
}

static void param_print(const struct mgc_param *param, FILE *out)
{
    char want[96];
    fprintf(out, "    %-22s %s%s%s%s\n", param->name, expected(param, want, sizeof(want)),
        param->required ? "" : ", optional", param->help ? ": " : "",
        param->help ? param->help : "");
}

void mgc_task_kinds_print(const struct mgc_task_kind *kinds, FILE *out)
{
    for (const struct mgc_task_kind *kind = kinds; kind->name; kind++) {
        fprintf(out, "%s  %s\n", kind->name, kind->help);
        for (const struct mgc_param *param = kind->params; param && param->name; param++)
            param_print(param, out);
    }
}
