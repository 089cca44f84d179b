#include "coordinator/plan/schema.h"

#include <string.h>

/* Length of the first part of a dotted key. */
static size_t part_len(const char *key)
{
    return strcspn(key, ".");
}

/* Walk two keys part by part, "*" in the pattern takes any part. True when `key` is used up;
 * *ret_rest is then what is left of the pattern, "" for a full match. */
static bool match(const char *pattern, const char *key, const char **ret_rest)
{
    while (*key) {
        size_t want = part_len(pattern), have = part_len(key);
        bool any = want == 1 && *pattern == '*';
        if (want == 0 || (!any && (want != have || strncmp(pattern, key, want) != 0)))
            return false;
        pattern += want;
        pattern += *pattern == '.';
        key += have;
        key += *key == '.';
    }
    *ret_rest = pattern;
    return true;
}

const struct mgc_schema_row *mgc_schema_find(const struct mgc_schema *schema, const char *key)
{
    for (size_t i = 0; i < schema->count; i++) {
        const char *rest;
        if (*key && match(schema->rows[i].key, key, &rest) && !*rest)
            return &schema->rows[i];
    }
    return NULL;
}

const char *mgc_schema_unit(const char *key)
{
    const struct mgc_schema_row *row = mgc_schema_find(&mgc_schema_plan, key);
    row = row ? row : mgc_schema_find(&mgc_schema_site, key);
    if (!row)
        return NULL;
    return row->kind == MGC_KIND_DURATION ? "ms" : row->unit;
}

bool mgc_schema_is_section(const struct mgc_schema *schema, const char *key)
{
    for (size_t i = 0; i < schema->count; i++) {
        const char *rest;
        if (match(schema->rows[i].key, key, &rest) && *rest)
            return true;
    }
    return false;
}

bool mgc_schema_is_open(const struct mgc_schema *schema, const char *key)
{
    for (size_t i = 0; i < schema->count; i++) {
        const char *rest;
        if (match(schema->rows[i].key, key, &rest) && *rest == '*')
            return true;
    }
    return false;
}

void mgc_schema_list_names(
    const struct mgc_schema *schema, const char *section, struct mgc_buf *out)
{
    const char *last = "";
    size_t last_len = 0;
    bool first = true;
    for (size_t i = 0; i < schema->count; i++) {
        const char *rest;
        if (!match(schema->rows[i].key, section, &rest) || !*rest)
            continue;
        size_t len = part_len(rest);
        if (len == last_len && strncmp(rest, last, len) == 0)
            continue; /* rows of one section stand together */
        mgc_buf_printf(out, "%s%.*s", first ? "" : ", ", (int)len, rest);
        first = false;
        last = rest;
        last_len = len;
    }
    if (schema->mount && !*section)
        mgc_buf_printf(out, ", %s", schema->mount);
}
