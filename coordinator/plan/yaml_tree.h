/* A YAML text as a tree of our own, in which every node knows its line and column.
 *
 * The only user of libyaml. Only what a configuration needs is accepted: one document, mappings
 * with plain text keys, sequences, scalars. Anchors, aliases, tags, duplicate keys and control
 * characters are refused by line, and so is more than the caps below. Pure over bytes.
 */
#ifndef MGC_PLAN_YAML_TREE_H
#define MGC_PLAN_YAML_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"

enum {
    MGC_YAML_BYTES_MAX = 256 * 1024,
    MGC_YAML_DEPTH_MAX = 12,
    MGC_YAML_NODES_MAX = 8192,
    MGC_YAML_SCALAR_MAX = 4096, /* bytes of one key or value */
};

enum mgc_yaml_kind { MGC_YAML_SCALAR, MGC_YAML_SEQUENCE, MGC_YAML_MAPPING };
const char *mgc_yaml_kind_name(enum mgc_yaml_kind kind); /* "text", "a list", "a mapping" */

struct mgc_yaml_node {
    enum mgc_yaml_kind kind;
    int line, column;         /* of the value, from 1 */
    char *key;                /* owned; NULL at the root and in a sequence */
    int key_line, key_column; /* 0 without a key */
    char *text;               /* owned; scalars only, never NULL there */
    bool quoted;              /* a scalar in quotes: "" was meant, it is not a left-out value */
    struct mgc_yaml_node *children; /* owned; in the order of the file */
    size_t child_count, child_cap;
};

/* Parse `len` bytes; `file` is only for messages. On false nothing is owned and err names file,
 * line, column. An empty text is an empty mapping. */
bool mgc_yaml_parse(const char *text, size_t len, const char *file, struct mgc_yaml_node *ret_root,
    struct mgc_error *err);
void mgc_yaml_destroy(struct mgc_yaml_node *root); /* takes NULL and zeroed */

/* Child of a mapping by key; NULL when there is none. */
const struct mgc_yaml_node *mgc_yaml_get(const struct mgc_yaml_node *mapping, const char *key);

#endif
