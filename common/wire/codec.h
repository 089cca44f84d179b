/* How message structs are described, so that one encoder, one decoder and one destructor serve
 * every kind: each family file holds tables, and nothing but tables. Internal to wire/.
 */
#ifndef MGC_WIRE_CODEC_H
#define MGC_WIRE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/wire/msg.h"
#include "common/wire/registry.h"

enum mgc_wire_type {
    MGC_WIRE_INT,       /* int64_t from `min` to `max` */
    MGC_WIRE_UINT,      /* uint64_t */
    MGC_WIRE_CODE,      /* enum mgc_code */
    MGC_WIRE_TEXT,      /* char *; NULL is sent as "" */
    MGC_WIRE_PATH,      /* likewise, and mgc_path_is_safe */
    MGC_WIRE_SHA256,    /* char[MGC_SHA256_HEX_SIZE] */
    MGC_WIRE_FIELDS,    /* struct mgc_fields; left out when empty */
    MGC_WIRE_ARTIFACTS, /* struct mgc_artifact *, with size_t count at count_offset; likewise */
};

struct mgc_wire_field {
    unsigned key;
    const char *name; /* for messages to people */
    enum mgc_wire_type type;
    size_t offset; /* in struct mgc_msg, or in struct mgc_artifact */
    size_t count_offset;
    int64_t min;
    int64_t max;   /* 0: no limit */
    bool may_lack; /* newer than the first set of protocol 1: 0 or NULL when a peer does not send it
                    */
};

/* Is the number within min and max? Both directions ask: what we send, we must accept. */
bool mgc_wire_int_check(const struct mgc_wire_field *field, int64_t value, struct mgc_error *err);

/* FIELDS, ARTIFACTS and what came later may be absent; everything else is required. */
static inline bool mgc_wire_is_optional(const struct mgc_wire_field *field)
{
    return field->may_lack || field->type == MGC_WIRE_FIELDS || field->type == MGC_WIRE_ARTIFACTS;
}

enum { MGC_WIRE_FIELDS_MAX = 32 }; /* fields of one table: one bit each in the decoder's mask */

struct mgc_wire_table {
    const struct mgc_wire_field *fields;
    size_t count;
};

enum {
    MGC_WIRE_RELIABLE = 1 << 0,
    MGC_WIRE_TO_WORKER = 1 << 1,
    MGC_WIRE_TO_COORDINATOR = 1 << 2,
    MGC_WIRE_BODY = 1 << 3,
};

struct mgc_wire_kind {
    enum mgc_msg_kind kind; /* MGC_MSG_NONE ends a family */
    const char *name;
    unsigned flags;
    struct mgc_wire_table table;
};

#define MGC_WIRE_TABLE(fields_array)                                                               \
    {                                                                                              \
        (fields_array), sizeof(fields_array) / sizeof((fields_array)[0])                           \
    }

/* One per family file; each ends with MGC_MSG_NONE. */
extern const struct mgc_wire_kind mgc_wire_session_kinds[];
extern const struct mgc_wire_kind mgc_wire_task_kinds[];
extern const struct mgc_wire_kind mgc_wire_barrier_kinds[];
extern const struct mgc_wire_kind mgc_wire_artifact_kinds[];
extern const struct mgc_wire_table mgc_wire_artifact_table;

/* NULL for a kind this build does not know. */
const struct mgc_wire_kind *mgc_wire_kind_find(uint64_t kind);

/* Free what the table says is owned in the struct at base, and zero those members. */
void mgc_wire_table_destroy(const struct mgc_wire_table *table, void *base);

#endif
