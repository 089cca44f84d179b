/* An error is a small stable code plus one sentence; control characters in it become '?'.
 *
 * The code travels over the wire and decides what a caller does; the sentence is for the person.
 * Libraries fill an error and return false; only programs print it, once. Every function that
 * takes a `struct mgc_error *` accepts NULL. Not thread-shared: one error belongs to one caller.
 */
#ifndef MGC_BASE_ERROR_H
#define MGC_BASE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/base/attr.h"

/* Numbers go over the wire: append only, never renumber. */
enum mgc_code {
    MGC_OK = 0,
    MGC_E_FAILED = 1,       /* it ran and did not succeed; the sentence says why */
    MGC_E_USAGE = 2,        /* command line or environment of a program */
    MGC_E_CONFIG = 3,       /* a file a person wrote: plan, site, bench, enrolment, key file */
    MGC_E_IO = 4,           /* reading or writing here failed */
    MGC_E_NO_SPACE = 5,     /* disk or quota full */
    MGC_E_NO_MEMORY = 6,    /* allocation failed or would pass a cap */
    MGC_E_NOT_FOUND = 7,    /* named thing does not exist */
    MGC_E_EXISTS = 8,       /* named thing exists and must not */
    MGC_E_DENIED = 9,       /* permission, key or token not accepted */
    MGC_E_BUSY = 10,        /* somebody else holds it */
    MGC_E_TIMEOUT = 11,     /* a named wait reached its deadline */
    MGC_E_CANCELLED = 12,   /* asked to stop */
    MGC_E_REFUSED = 13,     /* peer answered: nobody listens there */
    MGC_E_UNREACHABLE = 14, /* no route or no such host */
    MGC_E_LOST = 15,        /* peer, device or process went away while needed */
    MGC_E_PROTOCOL = 16,    /* bytes that break the rules of their format */
    MGC_E_VERSION = 17,     /* peers share no protocol version */
    MGC_E_STALE = 18,       /* epoch or lease is no longer the current one */
    MGC_E_UNSUPPORTED = 19, /* this build, host or kernel cannot do it */
    MGC_E_INTEGRITY = 20,   /* length or hash differs from what was promised */
    MGC_CODE_COUNT
};

enum { MGC_ERROR_TEXT_MAX = 512 };

struct mgc_error {
    enum mgc_code code;
    char text[MGC_ERROR_TEXT_MAX]; /* no newline, no final stop; cut with "..." when too long */
};

/* Stable lower-case name of a code, for logs and JSON ("no-space"); "unknown" outside the enum. */
const char *mgc_code_name(enum mgc_code code);

/* Fill err (if not NULL) and return false, so that a failure is one line at the point it is seen.
 */
bool mgc_error_set(struct mgc_error *err, enum mgc_code code, const char *fmt, ...)
    MGC_PRINTF(3, 4);
bool mgc_error_vset(struct mgc_error *err, enum mgc_code code, const char *fmt, va_list args)
    MGC_PRINTF(3, 0);

/* As mgc_error_set, with the code chosen from errno value `errnum` and ": <strerror>" appended. */
bool mgc_error_errno(struct mgc_error *err, int errnum, const char *fmt, ...) MGC_PRINTF(3, 4);

/* Put "<prefix>: " before the sentence, keeping the code. Returns false. */
bool mgc_error_prefix(struct mgc_error *err, const char *fmt, ...) MGC_PRINTF(2, 3);

/* Code that matches an errno value (ENOSPC -> no-space, ECONNREFUSED -> refused, ...). */
enum mgc_code mgc_code_from_errno(int errnum);

void mgc_error_clear(struct mgc_error *err);

#endif
