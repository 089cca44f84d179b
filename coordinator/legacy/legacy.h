/* What the old scripts left in a run's directory beside its artifacts, made from the verdict, the
 * steps' facts and the logs, so that their readers go on working (contract section 3.1):
 *
 *   STATUS, meta.txt, verify.txt, am-start.txt, pipestats-lines.txt, linkmetrics-lines.txt,
 *   all-marker-evidence.txt
 *
 * These are renderings: the verdict stands in verdict.json. Pure but for mgc_legacy_write and the
 * reading of logs.
 */
#ifndef MGC_LEGACY_LEGACY_H
#define MGC_LEGACY_LEGACY_H

#include "common/base/buf.h"
#include "coordinator/verify/verdict.h"

/* How a run ended, in the old words. `finished` stands for a measured cell only: whoever sums up
 * such directories takes every finished one. */
enum mgc_old_status {
    MGC_OLD_FINISHED,
    MGC_OLD_RESULT_NOT_PASSED, /* it came to its end and does not count */
    MGC_OLD_TIMEOUT,
    MGC_OLD_PROCESS_DIED,
    /* The early ones: the app never ran, so meta.txt is short and there is no verify.txt. */
    MGC_OLD_SERVER_START_FAILED,
    MGC_OLD_SERVER_NOT_LISTENING,
    MGC_OLD_AM_START_FAILED,
    /* Nobody came to start anything: a phone that is too hot, a trace that is not there. No file
     * STATUS, which is what the old summary calls so. */
    MGC_OLD_MISSING,
    MGC_OLD_STATUS_COUNT
};
const char *mgc_old_status_word(enum mgc_old_status status);
bool mgc_old_status_is_early(enum mgc_old_status status);
/* False: not one of the words. */
bool mgc_old_status_find(const char *word, enum mgc_old_status *ret_status);

enum mgc_old_status mgc_legacy_status(
    const struct mgc_attempt *attempt, const struct mgc_verdict *verdict);

/* "1", "2", ...; "ssim" */
void mgc_legacy_rep(const struct mgc_cell *cell, char *ret_rep, size_t size);

/* meta.txt. What was not measured is an empty value. */
bool mgc_legacy_meta(
    const struct mgc_attempt *attempt, const struct mgc_verdict *verdict, struct mgc_buf *out);

/* The keys of verify.txt in its order, each a text or a count, as far as somebody looked: a check
 * that was never made leaves no key, since MISSING would claim that it was. */
bool mgc_legacy_verify_fields(
    const struct mgc_cell *cell, const struct mgc_verdict *verdict, struct mgc_fields *ret_fields);
bool mgc_legacy_verify(
    const struct mgc_cell *cell, const struct mgc_verdict *verdict, struct mgc_buf *out);

/* lines.c: the three files of log lines, each at most MGC_LEGACY_LINES_MAX bytes; what is beyond is
 * counted in a last line. */
#define MGC_LEGACY_LINES_MAX ((size_t)16 << 20)
struct mgc_legacy_lines {
    struct mgc_buf pipe_stats, link_metrics, markers;
};
bool mgc_legacy_lines_read(
    const char *dir, struct mgc_legacy_lines *ret_lines, struct mgc_error *err);
void mgc_legacy_lines_destroy(struct mgc_legacy_lines *lines); /* takes NULL and zeroed */

/* All of them into the attempt's directory; nothing for a lane that never had them. */
bool mgc_legacy_write(const struct mgc_attempt *attempt, const struct mgc_verdict *verdict,
    const char *dir, struct mgc_error *err);

#endif
