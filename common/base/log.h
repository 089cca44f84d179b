/* The program's log: one line per event on stderr (or a file), readable by people.
 *
 *   12:00:01.234 warn  mgworker-wsl [task 1a2b] route: ...
 *
 * Only programs and the task runner log at info and above; libraries return errors and log at
 * debug. Machine output never goes here. All functions may be called from any thread.
 */
#ifndef MGC_BASE_LOG_H
#define MGC_BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/attr.h"

enum mgc_log_level { MGC_LOG_DEBUG, MGC_LOG_INFO, MGC_LOG_WARN, MGC_LOG_ERROR };

/* Before the first line; `program` is borrowed for the life of the process. */
void mgc_log_init(const char *program, enum mgc_log_level level);

/* "debug", "info", "warn", "error"; false leaves *ret_level alone. */
bool mgc_log_level_parse(const char *text, enum mgc_log_level *ret_level);

/* Send lines to `file` (borrowed) instead of stderr; NULL goes back to stderr. */
void mgc_log_to(FILE *file);

/* Label the calling thread's lines with a task id; 0 removes the label. */
void mgc_log_task(uint64_t task_id);

void mgc_log(enum mgc_log_level level, const char *fmt, ...) MGC_PRINTF(2, 3);

#define mgc_debug(...) mgc_log(MGC_LOG_DEBUG, __VA_ARGS__)
#define mgc_info(...)  mgc_log(MGC_LOG_INFO, __VA_ARGS__)
#define mgc_warn(...)  mgc_log(MGC_LOG_WARN, __VA_ARGS__)
#define mgc_err(...)   mgc_log(MGC_LOG_ERROR, __VA_ARGS__)

#endif
