/* What host.app asks the phone about one app, and the answers. Pure; any thread. */
#ifndef MGC_HOST_APP_REPORT_H
#define MGC_HOST_APP_REPORT_H

#include <stdbool.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/fields.h"

/* Longest line of a report, with its terminator: each split APK has a path of some 150 bytes. */
enum { MGC_APP_LINE_MAX = 4096 };

/* Shell function `stamp PACKAGE`: one line that is another one once the app was installed anew,
 * "mgc:app_stamp package:PATH package:PATH lastUpdateTime=TIME". Android gives each installation
 * a directory of its own name, and the time tells two apart where it does not. Nothing when the
 * phone does not say both. */
#define MGC_APP_STAMP_TEXT                                                                         \
    "stamp() {\n"                                                                                  \
    "  q=$(pm path \"$1\") && [ \"$q\" ] || return 0\n"                                            \
    "  t=$(dumpsys package \"$1\" | grep -m 1 lastUpdateTime=) || return 0\n"                      \
    "  echo mgc:app_stamp $q $t\n"                                                                 \
    "}\n"
/* Take that line, without "mgc:", as fact app_stamp. One that was cut off is no stamp. False: no
 * memory. */
bool mgc_app_stamp_take(const char *line, struct mgc_fields *facts);

/* Commands for the device's sh, in one stream. */
bool mgc_app_report_script(struct mgc_buf *out, const char *package);
/* Facts: version, version_code (an integer), apk_path, apk_sha256, split_sha256 ("NAME=HASH
 * NAME=HASH", of split APKs), library_path, library_sha256, library_in_apk, app_stamp, debuggable,
 * pid_alive. What the phone did not say is absent. MGC_E_PROTOCOL when the report is cut off. */
bool mgc_app_report_parse(const char *text, struct mgc_fields *facts, struct mgc_error *err);

#endif
