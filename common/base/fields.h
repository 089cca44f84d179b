/* An ordered list of named scalar values: task parameters, event details, facts of a result.
 *
 * "Absent" is a state of its own: a getter says false and leaves its output alone, it never
 * invents 0. Names are unique; setting an existing name replaces its value. Strings are copied in.
 * One thread at a time.
 */
#ifndef MGC_BASE_FIELDS_H
#define MGC_BASE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/attr.h"

enum mgc_value_type { MGC_VALUE_BOOL, MGC_VALUE_INT, MGC_VALUE_DOUBLE, MGC_VALUE_STRING };

struct mgc_value {
    enum mgc_value_type type;
    bool boolean;
    int64_t integer;
    double real;
    char *string; /* owned by the list; only for MGC_VALUE_STRING */
};

struct mgc_field {
    char *name; /* owned */
    struct mgc_value value;
};

/* Zeroed is a valid empty list. */
struct mgc_fields {
    struct mgc_field *items; /* owned */
    size_t count;
    size_t cap;
};

void mgc_fields_destroy(struct mgc_fields *fields); /* takes NULL and zeroed; leaves it empty */

/* Setters return false only when memory runs out. A NULL text removes the field. */
bool mgc_fields_set_bool(struct mgc_fields *fields, const char *name, bool value);
bool mgc_fields_set_int(struct mgc_fields *fields, const char *name, int64_t value);
bool mgc_fields_set_double(struct mgc_fields *fields, const char *name, double value);
bool mgc_fields_set_str(struct mgc_fields *fields, const char *name, const char *text);
bool mgc_fields_setf(struct mgc_fields *fields, const char *name, const char *fmt, ...)
    MGC_PRINTF(3, 4);
bool mgc_fields_set_value(
    struct mgc_fields *fields, const char *name, const struct mgc_value *value);
void mgc_fields_remove(struct mgc_fields *fields, const char *name);
bool mgc_fields_copy(struct mgc_fields *into, const struct mgc_fields *from); /* merges */

/* NULL when absent. Borrowed until the list changes. */
const struct mgc_value *mgc_fields_get(const struct mgc_fields *fields, const char *name);

/* False, output untouched, when absent or of another type (an int also serves as a double). */
bool mgc_fields_get_bool(const struct mgc_fields *fields, const char *name, bool *ret);
bool mgc_fields_get_int(const struct mgc_fields *fields, const char *name, int64_t *ret);
bool mgc_fields_get_double(const struct mgc_fields *fields, const char *name, double *ret);
/* NULL when absent or no string. Borrowed until the list changes. */
const char *mgc_fields_get_str(const struct mgc_fields *fields, const char *name);

#endif
