/* What host.app asks the phone about one app, and the answers. Pure; any thread. */
#ifndef MGC_HOST_APP_REPORT_H
#define MGC_HOST_APP_REPORT_H

#include <stdbool.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/fields.h"

/* Commands for the device's sh, in one stream. */
bool mgc_app_report_script(struct mgc_buf *out, const char *package);
/* Facts: version, apk_path, apk_sha256, library_path, library_sha256, debuggable, pid_alive. What
 * the phone did not say is absent. MGC_E_PROTOCOL when the report is cut off. */
bool mgc_app_report_parse(const char *text, struct mgc_fields *facts, struct mgc_error *err);

#endif
