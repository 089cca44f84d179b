/* The run of several phones that `mgcoord report` is given: all of its parts, read back. */
#ifndef MGC_CMD_REPORT_FLEET_H
#define MGC_CMD_REPORT_FLEET_H

#include "coordinator/report/fleet.h"
#include "coordinator/restore/fleet.h"

struct mgc_fleet_restored { /* zeroed: none */
    struct mgc_fleet_list list;
    struct mgc_restored **parts; /* owned; NULL: it could not be read, and its row says why */
    struct mgc_error *errors;    /* owned; one per part */
    char (*dirs)[MGC_PATH_MAX];  /* owned; of the parts */
    struct mgc_fleet_row *rows;  /* owned */
    struct mgc_fleet_report report;
};

/* MGC_E_NOT_FOUND: it is no such directory. `is_on`: the run is on at this moment. */
bool mgc_fleet_restore(
    struct mgc_fleet_restored *restored, const char *dir, bool is_on, struct mgc_error *err);
void mgc_fleet_restored_destroy(struct mgc_fleet_restored *restored); /* takes zeroed */

/* Write the files of all parts that could be read, and those of the whole. */
bool mgc_fleet_restored_write(
    const struct mgc_fleet_restored *restored, const char *dir, struct mgc_error *err);

#endif
