#include "common/base/fields.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void item_destroy(struct mgc_field *item)
{
    free(item->name);
    free(item->value.string);
}

void mgc_fields_destroy(struct mgc_fields *fields)
{
    if (!fields)
        return;
    for (size_t i = 0; i < fields->count; i++)
        item_destroy(&fields->items[i]);
    free(fields->items);
    *fields = (struct mgc_fields){0};
}

static struct mgc_field *find(const struct mgc_fields *fields, const char *name)
{
    for (size_t i = 0; i < fields->count; i++) {
        const char *own = fields->items[i].name;
        if (own[0] == name[0] && strcmp(own, name) == 0) /* the call costs more than the look */
            return &fields->items[i];
    }
    return NULL;
}

static struct mgc_field *add(struct mgc_fields *fields, const char *name)
{
    if (fields->count == fields->cap) {
        size_t cap = fields->cap ? fields->cap * 2 : 8;
        struct mgc_field *items = realloc(fields->items, cap * sizeof(*items));
        if (!items)
            return NULL;
        fields->items = items;
        fields->cap = cap;
    }
    char *copy = strdup(name);
    if (!copy)
        return NULL;
    struct mgc_field *item = &fields->items[fields->count++];
    *item = (struct mgc_field){.name = copy};
    return item;
}

bool mgc_fields_set_value(
    struct mgc_fields *fields, const char *name, const struct mgc_value *value)
{
    char *text = NULL; /* copied first: value may live in the field that is replaced */
    if (value->type == MGC_VALUE_STRING) {
        text = strdup(value->string);
        if (!text)
            return false;
    }
    struct mgc_field *item = find(fields, name);
    if (!item)
        item = add(fields, name);
    if (!item) {
        free(text);
        return false;
    }
    struct mgc_value copy = *value;
    copy.string = text;
    free(item->value.string);
    item->value = copy;
    return true;
}

bool mgc_fields_set_bool(struct mgc_fields *fields, const char *name, bool value)
{
    struct mgc_value v = {.type = MGC_VALUE_BOOL, .boolean = value};
    return mgc_fields_set_value(fields, name, &v);
}

bool mgc_fields_set_int(struct mgc_fields *fields, const char *name, int64_t value)
{
    struct mgc_value v = {.type = MGC_VALUE_INT, .integer = value};
    return mgc_fields_set_value(fields, name, &v);
}

bool mgc_fields_set_double(struct mgc_fields *fields, const char *name, double value)
{
    struct mgc_value v = {.type = MGC_VALUE_DOUBLE, .real = value};
    return mgc_fields_set_value(fields, name, &v);
}

bool mgc_fields_set_str(struct mgc_fields *fields, const char *name, const char *text)
{
    if (!text) {
        mgc_fields_remove(fields, name);
        return true;
    }
    /* set_value only reads through the pointer */
    struct mgc_value v = {.type = MGC_VALUE_STRING, .string = (char *)text};
    return mgc_fields_set_value(fields, name, &v);
}

bool mgc_fields_setf(struct mgc_fields *fields, const char *name, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int len = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    char *text = len < 0 ? NULL : malloc((size_t)len + 1);
    if (!text)
        return false;
    va_start(args, fmt);
    vsnprintf(text, (size_t)len + 1, fmt, args);
    va_end(args);
    bool ok = mgc_fields_set_str(fields, name, text);
    free(text);
    return ok;
}

void mgc_fields_remove(struct mgc_fields *fields, const char *name)
{
    struct mgc_field *item = find(fields, name);
    if (!item)
        return;
    item_destroy(item);
    size_t after = (size_t)(fields->items + fields->count - (item + 1));
    memmove(item, item + 1, after * sizeof(*item));
    fields->count--;
}

bool mgc_fields_copy(struct mgc_fields *into, const struct mgc_fields *from)
{
    for (size_t i = 0; i < from->count; i++) {
        if (!mgc_fields_set_value(into, from->items[i].name, &from->items[i].value))
            return false;
    }
    return true;
}

const struct mgc_value *mgc_fields_get(const struct mgc_fields *fields, const char *name)
{
    struct mgc_field *item = find(fields, name);
    return item ? &item->value : NULL;
}

bool mgc_fields_get_bool(const struct mgc_fields *fields, const char *name, bool *ret)
{
    const struct mgc_value *value = mgc_fields_get(fields, name);
    if (!value || value->type != MGC_VALUE_BOOL)
        return false;
    *ret = value->boolean;
    return true;
}

bool mgc_fields_get_int(const struct mgc_fields *fields, const char *name, int64_t *ret)
{
    const struct mgc_value *value = mgc_fields_get(fields, name);
    if (!value || value->type != MGC_VALUE_INT)
        return false;
    *ret = value->integer;
    return true;
}

bool mgc_fields_get_double(const struct mgc_fields *fields, const char *name, double *ret)
{
    const struct mgc_value *value = mgc_fields_get(fields, name);
    if (value && value->type == MGC_VALUE_DOUBLE)
        *ret = value->real;
    else if (value && value->type == MGC_VALUE_INT)
        *ret = (double)value->integer;
    else
        return false;
    return true;
}

const char *mgc_fields_get_str(const struct mgc_fields *fields, const char *name)
{
    const struct mgc_value *value = mgc_fields_get(fields, name);
    return value && value->type == MGC_VALUE_STRING ? value->string : NULL;
}
