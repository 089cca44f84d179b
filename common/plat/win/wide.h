/* Text and paths of ours for the W functions of Windows, with our errors. */
#ifndef MGC_PLAT_WIN_WIDE_H
#define MGC_PLAT_WIN_WIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/error.h"

/* Both: the caller's to free; NULL with the error "<what> '<text>': ...". */
uint16_t *mgc_win_path(const char *path, const char *what, struct mgc_error *err); /* winpath.h */
uint16_t *mgc_win_text(const char *text, const char *what, struct mgc_error *err);

/* UTF-16 from Windows into a buffer of ours; false when it does not fit or is no text. */
bool mgc_win_narrow(const uint16_t *text, char *ret_text, size_t size);

#endif
