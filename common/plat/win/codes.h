/* Windows and Winsock error numbers to ours. Pure, built and tested on every system; the numbers
 * are those of winerror.h, which both families share. */
#ifndef MGC_PLAT_WIN_CODES_H
#define MGC_PLAT_WIN_CODES_H

#include <stdint.h>

#include "common/base/error.h"

enum mgc_code mgc_win_code(uint32_t error); /* MGC_E_IO for one that means nothing special */

#endif
