/* Why a kernel would not let us make or use namespaces, in a sentence that says what helps. Pure.
 */
#ifndef MGC_LAB_EXPLAIN_H
#define MGC_LAB_EXPLAIN_H

#include <stdbool.h>

#include "common/base/error.h"

enum mgc_lab_ns_stage { MGC_LAB_NS_CLONE, MGC_LAB_NS_MAP, MGC_LAB_NS_USE, MGC_LAB_NS_MOUNT };

/* What a refusal by the kernel at this stage means and what helps. Pure. Returns false. */
bool mgc_lab_ns_explain(
    enum mgc_lab_ns_stage stage, int errnum, const char *what, struct mgc_error *err);

#endif
