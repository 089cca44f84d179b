/* Device knobs: what a plan may change on the phone for a run, and how each is read, applied and
 * put back. Pure: this makes text for the device's shell and judges what came back; any thread.
 *
 *   setting NAMESPACE NAME VALUE    settings put; a setting that was absent is deleted again
 *   stay-on WHAT                    svc power stayon: true, false, usb, ac, wireless, dock
 *   doze-exempt PACKAGE             the user's Doze whitelist
 *   log-buffer SIZE                 logcat -G, all buffers; put back one by one
 *   sysfs PATH VALUE                a node below /sys or /proc, as root
 *   service-stop NAME               an init service, as root
 *   clear-clamps                    msm_performance's requests, as root; nothing where there is
 * none
 *
 * A knob counts as applied only when reading says so (contract section 9, rows 8 to 10).
 */
#ifndef MGC_HOST_KNOB_H
#define MGC_HOST_KNOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/fields.h"

enum {
    MGC_KNOBS_MAX = 32,
    MGC_KNOB_ARGS_MAX = 3,
    MGC_KNOB_LINE_MAX = 400,
    MGC_KNOB_VALUE_MAX = 512, /* of a value that was read, with its terminator */
};

enum mgc_knob_kind {
    MGC_KNOB_SETTING,
    MGC_KNOB_STAY_ON,
    MGC_KNOB_DOZE_EXEMPT,
    MGC_KNOB_LOG_BUFFER,
    MGC_KNOB_SYSFS,
    MGC_KNOB_SERVICE_STOP,
    MGC_KNOB_CLEAR_CLAMPS,
    MGC_KNOB_KIND_COUNT
};

struct mgc_knob {
    enum mgc_knob_kind kind;
    char line[MGC_KNOB_LINE_MAX + 1]; /* as written */
    char args[MGC_KNOB_ARGS_MAX][MGC_KNOB_LINE_MAX + 1];
};

struct mgc_knobs {
    struct mgc_knob items[MGC_KNOBS_MAX];
    size_t count;
};

/* One knob per line; empty lines are passed over. MGC_E_USAGE names the line and what a knob of its
 * kind looks like. */
bool mgc_knobs_parse(const char *text, struct mgc_knobs *ret_knobs, struct mgc_error *err);
bool mgc_knob_parse(const char *line, struct mgc_knob *ret_knob, struct mgc_error *err);
bool mgc_knobs_check(const struct mgc_value *value, struct mgc_error *err);

enum mgc_knob_verb { MGC_KNOB_READ, MGC_KNOB_APPLY, MGC_KNOB_RESTORE };

/* Exit codes of the scripts. */
enum { MGC_KNOB_EXIT_WRITE = 95, MGC_KNOB_EXIT_READ = 96, MGC_KNOB_EXIT_ROOT = 97 };

/* A script that does it and then prints what is there now. `before` (a value of mgc_knob_value)
 * only for RESTORE. */
bool mgc_knob_script(
    struct mgc_buf *out, const struct mgc_knob *knob, enum mgc_knob_verb verb, const char *before);
/* What a script printed, in the one form that is compared and kept: one line without blanks around
 * it; for log-buffer "main=262144 system=262144" (bytes). MGC_E_PROTOCOL when it is something else.
 */
bool mgc_knob_value(const struct mgc_knob *knob, const char *output,
    char ret_value[MGC_KNOB_VALUE_MAX], struct mgc_error *err);
/* "16M", "512K" or "65536" in bytes; 0 when the text is no such size. */
int64_t mgc_knob_size(const char *text);
/* Is `value` what the knob asks for? */
bool mgc_knob_holds(const struct mgc_knob *knob, const char *value);
/* Commands that read all of them: for each a line "mgc:knob N" (from 1 on), and the value; nothing
 * after it, or no such line, where the phone does not tell. */
bool mgc_knobs_read_script(struct mgc_buf *out, const struct mgc_knobs *knobs);
/* Of a report with those lines: the knobs that do not hold, as written, joined by "; ". One that
 * cannot be read does not hold as far as anybody knows. False: no memory. */
bool mgc_knobs_lost(const struct mgc_knobs *knobs, const char *report, struct mgc_buf *out);
/* What a script's exit code means. Fills err, returns false. */
bool mgc_knob_exit_error(
    const struct mgc_knob *knob, int exit_code, const char *text, struct mgc_error *err);
/* Is that an error of mgc_knob_exit_error since the phone gives no root? It may have a prefix. */
bool mgc_knob_lacks_root(const struct mgc_error *err);

#endif
