/* What one shell command of host.device asks a phone, and how its answer becomes facts. Pure. */
#ifndef MGC_HOST_DEVICE_REPORT_H
#define MGC_HOST_DEVICE_REPORT_H

#include <stdbool.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/fields.h"

/* Append the commands for the device's sh; package has passed mgc_adb_check_package. */
bool mgc_device_report_script(struct mgc_buf *out, const char *package);

/* Read the answer into facts (names as in docs/tasks.md). What the phone does not say, or says in
 * a way not understood, is absent. False only when memory runs out. */
bool mgc_device_report_parse(const char *text, struct mgc_fields *facts, struct mgc_error *err);

#endif
