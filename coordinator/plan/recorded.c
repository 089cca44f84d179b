#include "coordinator/plan/recorded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "coordinator/plan/schema.h"

static const char from_environment[] = "environment ", built_in_plan[] = "built-in plan ";
static const char set_option[] = "--set ";

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* As cmd/options.c names what it makes of the command line. */
static bool is_of_command_line(const char *origin)
{
    return origin[0] == '-' || begins(origin, "operand ");
}

static const struct mgc_schema_row *row_of(const char *key)
{
    const struct mgc_schema_row *row = mgc_schema_find(&mgc_schema_plan, key);
    return row ? row : mgc_schema_find(&mgc_schema_site, key);
}

/* Back to the text that a person would write; durations are stored in ms. */
static void put_value(const struct mgc_schema_row *row, const json_t *value, struct mgc_buf *out)
{
    if (json_is_string(value))
        mgc_buf_puts(out, json_string_value(value));
    else if (json_is_boolean(value))
        mgc_buf_puts(out, json_is_true(value) ? "true" : "false");
    else if (json_is_integer(value))
        mgc_buf_printf(out, "%lld%s", (long long)json_integer_value(value),
            row->kind == MGC_KIND_DURATION ? "ms" : "");
    for (size_t i = 0; i < json_array_size(value); i++) {
        const json_t *item = json_array_get(value, i);
        mgc_buf_puts(out, i ? "," : "");
        if (!json_is_array(item)) /* a list of lists there is not */
            put_value(row, item, out);
    }
}

static bool add(struct mgc_override **list, size_t *count, const char *key, const char *value,
    const char *origin)
{
    struct mgc_override *grown = realloc(*list, (*count + 1) * sizeof(*grown));
    if (!grown)
        return false;
    *list = grown;
    char *copies[] = {strdup(key), strdup(value), strdup(origin)};
    if (copies[0] && copies[1] && copies[2]) {
        grown[(*count)++] = (struct mgc_override){copies[0], copies[1], copies[2]};
        return true;
    }
    for (int i = 0; i < 3; i++)
        free(copies[i]);
    return false;
}

static bool take(
    const char *key, const json_t *entry, const char *origin, struct mgc_recorded *recorded)
{
    const struct mgc_schema_row *row = row_of(key);
    struct mgc_buf text = {0};
    bool ok = true;
    if (!row || row->kind == MGC_KIND_SECRET)
        return true;
    put_value(row, json_object_get(entry, "value"), &text);
    if (begins(origin, from_environment))
        ok = add(&recorded->variables, &recorded->variable_count, origin + strlen(from_environment),
            mgc_buf_text(&text), origin);
    else if (is_of_command_line(origin)) /* `phones.p1.port` has become `phone.port` */
        ok = add(&recorded->items, &recorded->count,
            begins(origin, set_option) ? origin + strlen(set_option) : key, mgc_buf_text(&text),
            origin);
    ok = ok && mgc_buf_ok(&text);
    mgc_buf_destroy(&text);
    return ok;
}

bool mgc_recorded_read(
    const json_t *settings, struct mgc_recorded *ret_recorded, struct mgc_error *err)
{
    struct mgc_recorded recorded = {0};
    const char *key;
    json_t *entry;
    json_object_foreach((json_t *)settings, key, entry)
    {
        const char *origin = json_string_value(json_object_get(entry, "source"));
        if (!origin || take(key, entry, origin, &recorded))
            continue;
        mgc_recorded_destroy(&recorded);
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the run's settings");
    }
    *ret_recorded = recorded;
    return true;
}

static void destroy_list(struct mgc_override *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free((char *)list[i].key);
        free((char *)list[i].value);
        free((char *)list[i].origin);
    }
    free(list);
}

void mgc_recorded_destroy(struct mgc_recorded *recorded)
{
    if (!recorded)
        return;
    destroy_list(recorded->items, recorded->count);
    destroy_list(recorded->variables, recorded->variable_count);
    *recorded = (struct mgc_recorded){0};
}

const char *mgc_recorded_getenv(const char *name, void *user)
{
    const struct mgc_recorded *recorded = user;
    const char *own = getenv(name);
    if (own && *own)
        return own;
    for (size_t i = 0; i < recorded->variable_count; i++) {
        if (strcmp(recorded->variables[i].key, name) == 0)
            return recorded->variables[i].value;
    }
    return NULL;
}

bool mgc_recorded_plan(const json_t *settings, char *ret_plan, size_t size)
{
    const json_t *entry = json_object_get(settings, "plan");
    const char *origin = json_string_value(json_object_get(entry, "source"));
    if (!origin)
        return false;
    const char *name = begins(origin, built_in_plan) ? origin + strlen(built_in_plan) : origin;
    const char *colon = strrchr(name, ':');
    int len = colon ? (int)(colon - name) : (int)strlen(name);
    return len > 0 && snprintf(ret_plan, size, "%.*s", len, name) < (int)size;
}
