/* Which file a program's name means. */
#ifndef MGC_PLAT_WIN_FIND_H
#define MGC_PLAT_WIN_FIND_H

#include <stdint.h>

#include "common/base/error.h"

/* The path for CreateProcessW, the caller's to free: `name` itself when it has a separator or a
 * drive, else the first of that name in PATH; ".exe" may be left out. NULL with MGC_E_NOT_FOUND
 * when there is none. */
uint16_t *mgc_win_find_program(const char *name, struct mgc_error *err);

#endif
