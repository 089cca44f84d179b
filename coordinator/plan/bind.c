#include "coordinator/plan/bind.h"

#include <stdio.h>
#include <string.h>

enum { ORIGIN_MAX = 512, LIST_MAX = 64 };

struct binder {
    const struct mgc_schema *schema;
    const char *file;
    const char *dir;
    enum mgc_rank rank;
    struct mgc_settings *settings;
    struct mgc_problems *problems;
};

/* A dot in a key would make one key look like two. */
static bool path_append(char path[MGC_KEY_PATH_MAX], const char *parent, const char *key)
{
    if (!*key || strpbrk(key, ".*"))
        return false;
    int len = snprintf(path, MGC_KEY_PATH_MAX, "%s%s%s", parent, *parent ? "." : "", key);
    return len < MGC_KEY_PATH_MAX;
}

static void report_unknown(
    const struct binder *binder, const struct mgc_yaml_node *node, const char *section)
{
    struct mgc_buf known = {0};
    mgc_schema_list_names(binder->schema, section, &known);
    if (strcmp(mgc_buf_text(&known), "*") == 0) {
        mgc_buf_clear(&known);
        mgc_buf_puts(&known, "names of a-z, 0-9 and '-'");
    }
    mgc_problem_add(binder->problems, "%s:%d:%d: unknown key '%.60s'%s%s, expected one of: %s",
        binder->file, node->key_line, node->key_column, node->key, *section ? " in " : "", section,
        mgc_buf_text(&known));
    mgc_buf_destroy(&known);
}

/* False: reported, nothing was put. */
static bool bind_list(const struct binder *binder, const struct mgc_schema_row *row,
    const char *path, const struct mgc_yaml_node *node, const struct mgc_source *source)
{
    const char *items[LIST_MAX];
    if (node->child_count == 0 || node->child_count > LIST_MAX) {
        mgc_problem_add(binder->problems, "%s: %s: expected 1 to %d items, got %zu", source->origin,
            path, LIST_MAX, node->child_count);
        return false;
    }
    for (size_t i = 0; i < node->child_count; i++) {
        const struct mgc_yaml_node *item = &node->children[i];
        if (item->kind != MGC_YAML_SCALAR) {
            mgc_problem_add(binder->problems, "%s:%d:%d: %s: expected plain items, got %s",
                binder->file, item->line, item->column, path, mgc_yaml_kind_name(item->kind));
            return false;
        }
        items[i] = item->text;
    }
    mgc_settings_put(
        binder->settings, row, path, source, items, node->child_count, binder->problems);
    return true;
}

static bool bind_scalar(const struct binder *binder, const struct mgc_schema_row *row,
    const char *path, const struct mgc_yaml_node *node, const struct mgc_source *source)
{
    if (node->kind != MGC_YAML_SCALAR) {
        mgc_problem_add(binder->problems, "%s:%d:%d: %s: expected %s, got %s", binder->file,
            node->line, node->column, path, mgc_value_kind_name(row->kind),
            mgc_yaml_kind_name(node->kind));
        return false;
    }
    if (!*node->text && !node->quoted) {
        mgc_problem_add(binder->problems, "%s:%d:%d: %s: expected %s after the ':', got nothing",
            binder->file, node->key_line, node->key_column, path, mgc_value_kind_name(row->kind));
        return false;
    }
    mgc_settings_put_text(binder->settings, row, path, source, node->text, binder->problems);
    return true;
}

static void bind_value(const struct binder *binder, const struct mgc_schema_row *row,
    const char *path, const struct mgc_yaml_node *node)
{
    char origin[ORIGIN_MAX];
    snprintf(origin, sizeof(origin), "%s:%d", binder->file, node->line);
    struct mgc_source source = {binder->rank, origin, binder->dir};
    bool list = row->kind == MGC_KIND_TEXTS || row->kind == MGC_KIND_INTS;
    bool put = list && node->kind == MGC_YAML_SEQUENCE
                   ? bind_list(binder, row, path, node, &source)
                   : bind_scalar(binder, row, path, node, &source);
    if (!put)
        mgc_settings_put_bad(binder->settings, row, path, &source);
}

static void bind_section(
    const struct binder *binder, const struct mgc_yaml_node *node, const char *section);

static void bind_child(
    const struct binder *binder, const struct mgc_yaml_node *node, const char *section)
{
    char path[MGC_KEY_PATH_MAX];
    const struct mgc_schema *schema = binder->schema;
    if (!path_append(path, section, node->key)) {
        report_unknown(binder, node, section);
        return;
    }
    if (mgc_schema_is_open(schema, section) && !mgc_check_name(node->key)) {
        mgc_problem_add(binder->problems,
            "%s:%d:%d: %s: expected a name of lower-case letters, digits and '-', got '%.60s'",
            binder->file, node->key_line, node->key_column, section, node->key);
        return;
    }
    const struct mgc_schema_row *row = mgc_schema_find(schema, path);
    if (row) {
        bind_value(binder, row, path, node);
    } else if (mgc_schema_is_section(schema, path)) {
        bind_section(binder, node, path);
    } else if (schema->mount && strcmp(path, schema->mount) == 0) {
        struct binder inner = *binder;
        inner.schema = schema->mounted;
        bind_section(&inner, node, "");
    } else {
        report_unknown(binder, node, section);
    }
}

static void bind_section(
    const struct binder *binder, const struct mgc_yaml_node *node, const char *section)
{
    char origin[ORIGIN_MAX];
    /* "crosshost:" with nothing below it means all defaults. */
    bool left_out = node->kind == MGC_YAML_SCALAR && !*node->text && !node->quoted;
    bool bad = node->kind != MGC_YAML_MAPPING && !left_out;
    if (bad)
        mgc_problem_add(binder->problems, "%s:%d:%d: %s: expected 'key: value' lines, got %s",
            binder->file, node->line, node->column, *section ? section : node->key,
            mgc_yaml_kind_name(node->kind));
    snprintf(origin, sizeof(origin), "%s:%d", binder->file,
        node->key_line ? node->key_line : node->line);
    struct mgc_source source = {binder->rank, origin, binder->dir};
    mgc_settings_add_section(binder->settings, section, &source, bad);
    if (bad)
        return;
    for (size_t i = 0; i < node->child_count; i++)
        bind_child(binder, &node->children[i], section);
}

void mgc_bind(const struct mgc_schema *schema, const struct mgc_yaml_node *root, const char *file,
    const char *dir, enum mgc_rank rank, struct mgc_settings *settings,
    struct mgc_problems *problems)
{
    struct binder binder = {schema, file, dir, rank, settings, problems};
    bind_section(&binder, root, "");
}
