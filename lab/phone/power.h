/* The phone as a machine: off, on, restarted. What a real one forgets in between, this one does,
 * too: processes, properties and settings, the log, its boot id. Files under /data stay. The
 * kernel's uptime goes on, because it is the host's. Loop thread only.
 *
 *   on -> off (adb away, every process killed) -> on (new boot id, first properties, adb back)
 */
#ifndef MGC_LAB_PHONE_POWER_H
#define MGC_LAB_PHONE_POWER_H

#include "lab/phone/phone.h"

void mgl_power_off(struct mgl_phone *phone);
void mgl_power_on(struct mgl_phone *phone);

/* Why adb is away; it listens while there is no reason. */
enum mgl_adb_away { MGL_ADB_DROPPED = 1, MGL_ADB_OFF = 2 };
void mgl_adb_set_away(struct mgl_phone *phone, enum mgl_adb_away reason, bool away);

#endif
