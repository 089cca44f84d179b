/* meta.txt and verify.txt as the old scripts wrote them (contract sections 3.1 and 3.3), read back.
 * Pure; the text is foreign: cut, CRLF, no UTF-8, anything.
 */
#ifndef MGC_LEGACY_PARSE_H
#define MGC_LEGACY_PARSE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"
#include "common/base/fields.h"

#define MGC_OLD_FILE_MAX ((size_t)1 << 20)
enum { MGC_OLD_WORD_MAX = 63, MGC_OLD_LINE_MAX = 400, MGC_OLD_KEYS_MAX = 32 };

/* The pairs of meta.txt's first line, of any of its three forms (run_matrix.sh's whole and short
 * one, matrix_p14.sh's): texts arm, rep, workload, backend, tag, status, passed, mode; integers
 * duration_s, battery_temp_dc (tenths of a degree C), listening_wait_s. What has no value, or none
 * of its kind, is absent; the first of two equal keys counts. `wl` and `dur` become workload and
 * duration_s. The temperatures of matrix_p14.sh (temp0, temp1) are kept as texts: their unit is not
 * stated. False: no line of that form. */
bool mgc_old_meta_parse(
    const char *text, size_t len, struct mgc_fields *ret_meta, struct mgc_error *err);

/* The lines KEY=VALUE of verify.txt as texts, cut at MGC_OLD_LINE_MAX; `arm` and `backend` of its
 * first line too. False: there is none. */
bool mgc_old_verify_parse(
    const char *text, size_t len, struct mgc_fields *ret_verify, struct mgc_error *err);

#endif
