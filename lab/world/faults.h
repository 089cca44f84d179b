/* Fault knobs: a file per active fault below /run/mglab/faults, its content the value.
 *
 * The table of known names is the one in docs/lab.md; an unknown name is refused, because a
 * misspelt fault that does nothing would make a test pass for the wrong reason. Parsing is pure;
 * set, clear and list work on a directory that the caller names.
 */
#ifndef MGC_LAB_FAULTS_H
#define MGC_LAB_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "lab/world/roster.h"

enum { MGC_LAB_FAULT_NAME_MAX = 48, MGC_LAB_FAULT_VALUE_MAX = 128 };

struct mgc_lab_fault {
    char phone[MGC_LAB_NAME_SIZE]; /* "" when none was named */
    char name[MGC_LAB_FAULT_NAME_MAX];
    char value[MGC_LAB_FAULT_VALUE_MAX]; /* "1" when none was given */
};

/* "[PHONE.]NAME" or "[PHONE.]NAME=VALUE"; MGC_E_USAGE when the name is unknown or the value does
 * not fit it. */
bool mgc_lab_fault_parse(const char *text, struct mgc_lab_fault *ret_fault, struct mgc_error *err);
bool mgc_lab_fault_known(const char *name);
/* The name in "[PHONE.]NAME", inside text. ret_phone "": none is named, or one too long for any. */
const char *mgc_lab_fault_split(const char *text, char ret_phone[MGC_LAB_NAME_SIZE]);
/* Row `index` of the table; false past its end. *ret_help says what the fault does. */
bool mgc_lab_fault_row(size_t index, const char **ret_name, const char **ret_help);

bool mgc_lab_fault_set(const char *dir, const struct mgc_lab_fault *fault, struct mgc_error *err);
/* NULL clears all. A fault that is not set is success. */
bool mgc_lab_fault_clear(const char *dir, const char *name, struct mgc_error *err);
/* Append prefix and "NAME VALUE\n" for each active fault, sorted by name. */
bool mgc_lab_fault_list(
    const char *dir, const char *prefix, struct mgc_buf *out, struct mgc_error *err);

#endif
