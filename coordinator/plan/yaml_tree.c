#include "coordinator/plan/yaml_tree.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* The event interface of libyaml rather than its document tree: events show aliases and tags where
 * they stand, and the caps hold before anything is built. */
struct reader {
    yaml_parser_t parser;
    const char *file; /* borrowed */
    struct mgc_error *err;
    size_t nodes;
};

const char *mgc_yaml_kind_name(enum mgc_yaml_kind kind)
{
    static const char *const names[] = {"text", "a list", "a mapping"};
    return names[kind];
}

void mgc_yaml_destroy(struct mgc_yaml_node *node)
{
    if (!node)
        return;
    for (size_t i = 0; i < node->child_count; i++) /* depth is capped by the parser */
        mgc_yaml_destroy(&node->children[i]);
    free(node->children);
    free(node->key);
    free(node->text);
    *node = (struct mgc_yaml_node){0};
}

const struct mgc_yaml_node *mgc_yaml_get(const struct mgc_yaml_node *mapping, const char *key)
{
    for (size_t i = 0; i < mapping->child_count; i++) {
        if (mapping->children[i].key && strcmp(mapping->children[i].key, key) == 0)
            return &mapping->children[i];
    }
    return NULL;
}

/* libyaml counts lines and columns from 0. */
static bool refuse(struct reader *reader, yaml_mark_t mark, const char *what)
{
    return mgc_error_set(reader->err, MGC_E_CONFIG, "%s:%zu:%zu: %s", reader->file, mark.line + 1,
        mark.column + 1, what);
}

static bool next_event(struct reader *reader, yaml_event_t *event)
{
    if (yaml_parser_parse(&reader->parser, event))
        return true;
    const yaml_parser_t *parser = &reader->parser;
    if (parser->error == YAML_MEMORY_ERROR)
        return mgc_error_set(reader->err, MGC_E_NO_MEMORY, "%s: no memory", reader->file);
    /* A reader error (bad UTF-8) has an offset but no mark. */
    if (parser->error == YAML_READER_ERROR)
        return mgc_error_set(reader->err, MGC_E_CONFIG, "%s: byte %zu: %s", reader->file,
            parser->problem_offset, parser->problem);
    return refuse(reader, parser->problem_mark, parser->problem ? parser->problem : "bad YAML");
}

/* Add a child to a sequence or mapping. NULL with err set when a cap or the memory is reached. */
static struct mgc_yaml_node *add_child(
    struct reader *reader, struct mgc_yaml_node *parent, yaml_mark_t mark)
{
    if (++reader->nodes > MGC_YAML_NODES_MAX) {
        refuse(reader, mark, "too many entries for a configuration file");
        return NULL;
    }
    if (parent->child_count == parent->child_cap) {
        size_t cap = parent->child_cap ? parent->child_cap * 2 : 4;
        struct mgc_yaml_node *children = realloc(parent->children, cap * sizeof(*children));
        if (!children) {
            mgc_error_set(reader->err, MGC_E_NO_MEMORY, "%s: no memory", reader->file);
            return NULL;
        }
        parent->children = children;
        parent->child_cap = cap;
    }
    struct mgc_yaml_node *child = &parent->children[parent->child_count++];
    *child = (struct mgc_yaml_node){0};
    return child;
}

/* Text of a scalar event, or NULL with err set. */
static char *scalar_text(struct reader *reader, const yaml_event_t *event)
{
    const char *value = (const char *)event->data.scalar.value;
    size_t len = event->data.scalar.length;
    if (len > MGC_YAML_SCALAR_MAX) {
        refuse(reader, event->start_mark, "text longer than 4096 bytes");
        return NULL;
    }
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)value[i];
        if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) {
            refuse(reader, event->start_mark, "text holds a control character");
            return NULL;
        }
    }
    char *text = strndup(value, len);
    if (!text)
        mgc_error_set(reader->err, MGC_E_NO_MEMORY, "%s: no memory", reader->file);
    return text;
}

static bool refuse_anchor_or_tag(struct reader *reader, const yaml_event_t *event,
    const yaml_char_t *anchor, const yaml_char_t *tag)
{
    if (anchor)
        return refuse(
            reader, event->start_mark, "anchors ('&name') are not accepted here, write it out");
    if (tag)
        return refuse(reader, event->start_mark, "tags ('!name') are not accepted here");
    return true;
}

static bool read_node(
    struct reader *reader, const yaml_event_t *event, int depth, struct mgc_yaml_node *node);

static bool read_scalar(
    struct reader *reader, const yaml_event_t *event, struct mgc_yaml_node *node)
{
    if (!refuse_anchor_or_tag(reader, event, event->data.scalar.anchor, event->data.scalar.tag))
        return false;
    node->kind = MGC_YAML_SCALAR;
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    node->text = scalar_text(reader, event);
    return node->text != NULL;
}

static bool read_sequence(
    struct reader *reader, const yaml_event_t *start, int depth, struct mgc_yaml_node *node)
{
    if (!refuse_anchor_or_tag(
            reader, start, start->data.sequence_start.anchor, start->data.sequence_start.tag))
        return false;
    node->kind = MGC_YAML_SEQUENCE;
    for (;;) {
        yaml_event_t event;
        if (!next_event(reader, &event))
            return false;
        bool end = event.type == YAML_SEQUENCE_END_EVENT;
        bool ok = true;
        if (!end) {
            struct mgc_yaml_node *child = add_child(reader, node, event.start_mark);
            ok = child && read_node(reader, &event, depth + 1, child);
        }
        yaml_event_delete(&event);
        if (end || !ok)
            return ok;
    }
}

/* A mapping's key: event is its first event. Adds the child that the value will fill. */
static struct mgc_yaml_node *read_key(
    struct reader *reader, const yaml_event_t *event, struct mgc_yaml_node *mapping)
{
    if (event->type != YAML_SCALAR_EVENT) {
        refuse(reader, event->start_mark, "expected a name followed by ':'");
        return NULL;
    }
    if (!refuse_anchor_or_tag(reader, event, event->data.scalar.anchor, event->data.scalar.tag))
        return NULL;
    const struct mgc_yaml_node *twin =
        mgc_yaml_get(mapping, (const char *)event->data.scalar.value);
    if (twin) {
        mgc_error_set(reader->err, MGC_E_CONFIG,
            "%s:%zu:%zu: key '%s' was given before, in line %d", reader->file,
            event->start_mark.line + 1, event->start_mark.column + 1, twin->key, twin->key_line);
        return NULL;
    }
    struct mgc_yaml_node *child = add_child(reader, mapping, event->start_mark);
    if (!child)
        return NULL;
    child->key = scalar_text(reader, event);
    child->key_line = (int)event->start_mark.line + 1;
    child->key_column = (int)event->start_mark.column + 1;
    return child->key ? child : NULL;
}

static bool read_mapping(
    struct reader *reader, const yaml_event_t *start, int depth, struct mgc_yaml_node *node)
{
    if (!refuse_anchor_or_tag(
            reader, start, start->data.mapping_start.anchor, start->data.mapping_start.tag))
        return false;
    node->kind = MGC_YAML_MAPPING;
    for (;;) {
        yaml_event_t event;
        if (!next_event(reader, &event))
            return false;
        bool end = event.type == YAML_MAPPING_END_EVENT;
        struct mgc_yaml_node *child = end ? NULL : read_key(reader, &event, node);
        yaml_event_delete(&event);
        if (end)
            return true;
        if (!child || !next_event(reader, &event))
            return false;
        bool ok = read_node(reader, &event, depth + 1, child);
        yaml_event_delete(&event);
        if (!ok)
            return false;
    }
}

static bool read_node(
    struct reader *reader, const yaml_event_t *event, int depth, struct mgc_yaml_node *node)
{
    if (depth > MGC_YAML_DEPTH_MAX)
        return refuse(reader, event->start_mark, "nested too deeply for a configuration file");
    node->line = (int)event->start_mark.line + 1;
    node->column = (int)event->start_mark.column + 1;
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return read_scalar(reader, event, node);
    case YAML_SEQUENCE_START_EVENT:
        return read_sequence(reader, event, depth, node);
    case YAML_MAPPING_START_EVENT:
        return read_mapping(reader, event, depth, node);
    case YAML_ALIAS_EVENT:
        return refuse(
            reader, event->start_mark, "aliases ('*name') are not accepted here, write it out");
    default:
        return refuse(reader, event->start_mark, "unexpected YAML structure");
    }
}

/* STREAM-START (DOCUMENT-START node DOCUMENT-END)? STREAM-END */
static bool read_stream(struct reader *reader, struct mgc_yaml_node *root)
{
    bool seen = false;
    for (;;) {
        yaml_event_t event;
        if (!next_event(reader, &event))
            return false;
        bool ok = true;
        bool end = event.type == YAML_STREAM_END_EVENT;
        if (event.type == YAML_DOCUMENT_START_EVENT && seen)
            ok = refuse(reader, event.start_mark, "a second document ('---') is not accepted");
        else if (event.type != YAML_STREAM_START_EVENT && event.type != YAML_DOCUMENT_START_EVENT &&
                 event.type != YAML_DOCUMENT_END_EVENT && !end) {
            seen = true;
            ok = read_node(reader, &event, 0, root);
        }
        yaml_event_delete(&event);
        if (end || !ok)
            return ok;
    }
}

/* A file of comments only, or with just "---", is an empty mapping. */
static bool settle_root(struct reader *reader, struct mgc_yaml_node *root)
{
    if (root->kind == MGC_YAML_SCALAR && (!root->text || (!*root->text && !root->quoted))) {
        mgc_yaml_destroy(root);
        *root = (struct mgc_yaml_node){.kind = MGC_YAML_MAPPING, .line = 1, .column = 1};
    }
    if (root->kind == MGC_YAML_MAPPING)
        return true;
    return mgc_error_set(reader->err, MGC_E_CONFIG, "%s:%d:%d: expected 'key: value' lines, got %s",
        reader->file, root->line, root->column, mgc_yaml_kind_name(root->kind));
}

bool mgc_yaml_parse(const char *text, size_t len, const char *file, struct mgc_yaml_node *ret_root,
    struct mgc_error *err)
{
    if (len > MGC_YAML_BYTES_MAX)
        return mgc_error_set(
            err, MGC_E_CONFIG, "%s: larger than %d bytes", file, MGC_YAML_BYTES_MAX);
    struct reader reader = {.file = file, .err = err};
    if (!yaml_parser_initialize(&reader.parser))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "%s: no memory", file);
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)text, len);
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);

    struct mgc_yaml_node root = {0};
    bool ok = read_stream(&reader, &root) && settle_root(&reader, &root);
    yaml_parser_delete(&reader.parser);
    if (!ok) {
        mgc_yaml_destroy(&root);
        return false;
    }
    *ret_root = root;
    return true;
}
