/* A local file that appears under its name only when it is complete: "NAME.part" until then.
 * One thread. */
#ifndef MGC_ADB_PART_H
#define MGC_ADB_PART_H

#include <stdbool.h>
#include <stdio.h>

#include "common/base/error.h"
#include "common/base/path.h"

struct mgc_adb_part {
    FILE *file; /* owned; NULL when closed */
    char temp[MGC_PATH_MAX];
    char name[MGC_PATH_MAX];
};

bool mgc_adb_part_open(struct mgc_adb_part *part, const char *name, struct mgc_error *err);
bool mgc_adb_part_write(
    struct mgc_adb_part *part, const void *data, size_t len, struct mgc_error *err);
/* Empty it and start again. */
bool mgc_adb_part_rewind(struct mgc_adb_part *part, struct mgc_error *err);
/* Give it its name. */
bool mgc_adb_part_keep(struct mgc_adb_part *part, struct mgc_error *err);
/* Remove it unless it was kept. Takes a part that was never opened, if zeroed. */
void mgc_adb_part_drop(struct mgc_adb_part *part);

#endif
