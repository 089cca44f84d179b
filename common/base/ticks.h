/* What base/clock asks of the system; nobody else includes it. The clocks are described there. */
#ifndef MGC_BASE_TICKS_H
#define MGC_BASE_TICKS_H

#include <stdint.h>

int64_t mgc_ticks_mono_ns(void); /* without the time that the machine slept */
int64_t mgc_ticks_boot_ns(void); /* with it */
int64_t mgc_ticks_wall_ns(void); /* since 1970-01-01 UTC */

/* Sleep about that long; may end early. */
void mgc_ticks_sleep(int64_t ns);

#endif
