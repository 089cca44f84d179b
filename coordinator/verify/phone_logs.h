/* The logs of a cell that ran on the phone, line by line, in the order in which the old scripts
 * read them (contract section 3.1). Any size in bounded memory.
 */
#ifndef MGC_VERIFY_PHONE_LOGS_H
#define MGC_VERIFY_PHONE_LOGS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"

enum { MGC_PHONE_LOG_COUNT = 5 };
extern const char *const mgc_phone_log_names[MGC_PHONE_LOG_COUNT]; /* the first is the phone's */

/* `line` lives during the call only; longer ones than MGC_LINE_MAX are cut. */
typedef void mgc_phone_line_fn(void *user, size_t log, const char *line);

/* Every line of one file, as log number `log`. False: it could not be read to its end. */
bool mgc_phone_log_read(
    const char *path, size_t log, mgc_phone_line_fn *fn, void *user, struct mgc_error *err);

/* Every line of every log that is there. False: one could not be read to its end; the others were.
 */
bool mgc_phone_logs_each(const char *dir, mgc_phone_line_fn *fn, void *user, struct mgc_error *err);

#endif
