/* result.json as MobileGL's replay runner writes it (contract section 4.1). Pure.
 *
 * The runner truncates and writes in place, so a reader may see half a document: that is an
 * error which says so, never a document with keys missing at the end.
 */
#ifndef MGC_CONTRACT_RESULT_H
#define MGC_CONTRACT_RESULT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"
#include "common/base/fields.h"

#define MGC_RESULT_MAX_BYTES ((size_t)1 << 20)

/* statusCode, which is also the exit code of the command-line replay client. */
enum mgc_result_status {
    MGC_RESULT_OK = 0,
    MGC_RESULT_INVALID_ARGUMENT = 1,
    MGC_RESULT_IO_ERROR = 2, /* usage errors of the command line exit 2 as well */
    MGC_RESULT_MOBILEGL_LOAD_ERROR = 3,
    MGC_RESULT_RETRACE_NOT_LINKED = 4,
    MGC_RESULT_RETRACE_FAILED = 5,
    MGC_RESULT_COMPARE_FAILED = 6,
};
/* "COMPARE_FAILED"; NULL for a number outside the enum. */
const char *mgc_result_status_name(int64_t status);

/* `fields` holds the scalar keys of the contract under their own names ("statusCode", "ssim"),
 * each of the contract's type; read them with mgc_fields_get_*. A key that is missing, null, or
 * -1 where -1 means "no data" (ssim, mismatchPixels, targetFrame, targetCall, benchmark times) is
 * absent. */
struct mgc_result_doc {
    struct mgc_fields fields;
    char **alternate_goldens; /* owned; alternateGoldenPaths */
    size_t alternate_golden_count;
    size_t unknown_keys; /* keys the contract does not name; newer builds may add some */
};

/* Fill *ret_doc; on false it is empty. Destroy it when done. A known key of a wrong type is
 * MGC_E_PROTOCOL. */
bool mgc_result_parse(
    const void *data, size_t len, struct mgc_result_doc *ret_doc, struct mgc_error *err);
void mgc_result_destroy(struct mgc_result_doc *doc); /* takes NULL and zeroed */

/* False when absent. Shorthands for the two keys every verdict starts with. */
bool mgc_result_passed(const struct mgc_result_doc *doc, bool *ret_passed);
bool mgc_result_status(const struct mgc_result_doc *doc, int64_t *ret_status);

#endif
