/* Is a directory that of a run on several phones, and which are they? Each phone's part is read as
 * a run by itself (restore.h).
 */
#ifndef MGC_RESTORE_FLEET_H
#define MGC_RESTORE_FLEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/path.h"
#include "common/json/json.h"
#include "coordinator/restore/restore.h"

#define MGC_FLEET_SCHEMA "mgcoord-fleet-1" /* of RUN/run.json */

struct mgc_fleet_list {
    json_t *record; /* run.json; owned; the texts below are its */
    const char *run_id, *plan;
    int64_t start_wall_ns;
    const char **phones; /* owned; in the site's order */
    size_t count;
};

/* False: MGC_E_NOT_FOUND when it is no such directory, MGC_E_PROTOCOL when its run.json cannot be
 * understood. */
bool mgc_fleet_list_read(const char *dir, struct mgc_fleet_list *ret_list, struct mgc_error *err);
void mgc_fleet_list_destroy(struct mgc_fleet_list *list); /* takes NULL and zeroed */

/* RUN/phones/NAME; false: too long. */
bool mgc_fleet_part(const char *dir, const char *phone, char ret_path[MGC_PATH_MAX]);

#endif
