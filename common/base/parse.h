/* Numbers, durations and sizes from text: the whole text must be one, or it is refused. Pure. */
#ifndef MGC_BASE_PARSE_H
#define MGC_BASE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decimal, optional sign, no spaces, within [min, max]; false leaves *ret alone. */
bool mgc_parse_int(const char *text, int64_t min, int64_t max, int64_t *ret);
/* 1 to 16 hex digits, no prefix. */
bool mgc_parse_hex64(const char *text, uint64_t *ret);
/* Decimal point notation, finite. Independent of the locale. */
bool mgc_parse_double(const char *text, double *ret);
/* true/false, yes/no, on/off, 1/0 in lower case. */
bool mgc_parse_bool(const char *text, bool *ret);
/* "250ms", "2s", "5m", "1h"; a bare number is seconds; fractions are allowed ("1.5s"). >= 0. */
bool mgc_parse_duration_ms(const char *text, int64_t *ret_ms);

#endif
