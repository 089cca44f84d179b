/* An mgc_error from what GetLastError or WSAGetLastError said. */
#ifndef MGC_PLAT_WIN_ERROR_H
#define MGC_PLAT_WIN_ERROR_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/attr.h"
#include "common/base/error.h"

/* As mgc_error_errno: the code chosen by mgc_win_code, and the system's sentence with the number
 * appended. Returns false. */
bool mgc_win_error(struct mgc_error *err, uint32_t error, const char *fmt, ...) MGC_PRINTF(3, 4);

#endif
