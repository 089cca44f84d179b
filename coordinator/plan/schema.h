/* What may stand in site.yaml and in a plan file: one table per document.
 *
 * The same rows make the binder (bind.h), the checks of single values, the environment variables
 * that override them, the source column of `plan show`, and docs/site-format.md and
 * docs/plan-format.md. What concerns several keys at once is in check.c.
 */
#ifndef MGC_PLAN_SCHEMA_H
#define MGC_PLAN_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "coordinator/plan/value.h"

enum { MGC_KEY_PATH_MAX = 200 };

struct mgc_schema_row {
    const char *key; /* dotted path; a part "*" stands for a name that the writer chooses */
    enum mgc_value_kind kind;
    const char *fallback;   /* text of the built-in value; NULL: absent when nobody gives it */
    bool required;          /* somebody has to give it: a file, the environment, an option */
    const char *lane;       /* as required, but only by plans that have one of these lanes, joined
                               by ", "; or NULL */
    int64_t min, max;       /* integers: range; durations: range in ms; texts: length, 0/0: 1..1024;
                               lists: range of integer items, 0/0 when items are texts */
    mgc_value_check *check; /* of a text or of each text in a list; NULL: any */
    const char *expected;   /* completes "expected ..." when the value is bad */
    bool may_differ;        /* when a run is resumed: it shapes no number and no schedule */
    const char *unit;       /* of an integer, where its key does not end in one; or NULL */
    const char *env;        /* variable that overrides it, "{}" = the name at "*" in capitals */
    const char *help;
};

struct mgc_schema {
    const char *name;  /* "site" */
    const char *title; /* of its page */
    const char *intro;
    const struct mgc_schema_row *rows; /* in the order of the page */
    size_t count;
    const char *mount;                /* a key under which another schema's keys may stand, */
    const struct mgc_schema *mounted; /* or NULL */
};

extern const struct mgc_schema mgc_schema_site;
extern const struct mgc_schema mgc_schema_plan;

/* Row for a full key ("workloads.openra.trace"); NULL when there is none. */
const struct mgc_schema_row *mgc_schema_find(const struct mgc_schema *schema, const char *key);
/* Unit of the integer that is the value of a key of either document: "degrees C", "ms" (of every
 * duration); NULL for what has none and for keys that end in it. */
const char *mgc_schema_unit(const char *key);
/* True when keys stand below this one, so that it has to be a mapping ("workloads.openra"). */
bool mgc_schema_is_section(const struct mgc_schema *schema, const char *key);
/* True when a name of the writer's choice stands directly below ("workloads"). */
bool mgc_schema_is_open(const struct mgc_schema *schema, const char *key);
/* Append the names known directly below a section ("" is the top): "serial, address, port". */
void mgc_schema_list_names(
    const struct mgc_schema *schema, const char *section, struct mgc_buf *out);

/* The page about the document, in Markdown. */
void mgc_schema_print(const struct mgc_schema *schema, struct mgc_buf *out);

#endif
