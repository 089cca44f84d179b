#include "worker-host/tasks/app_report.h"

#include <stdio.h>
#include <string.h>

#include "common/base/parse.h"
#include "worker-host/adb/quote.h"

#define LIBRARY "libMobileGL.so"

/* For mksh and toybox. The first path is the base, the others are split APKs. The library is where
 * the package manager put it: an app whose libraries stay inside an APK (extractNativeLibs=false)
 * has no file, but a name in that archive's directory. Whether run-as works is only known by doing
 * it. */
static const char text[] = MGC_APP_STAMP_TEXT
    "p=$(pm path \"$1\")\n"
    "[ \"$p\" ] || { echo mgc:end; exit 0; }\n"
    "n=apk\n"
    "for a in $p; do\n"
    "  a=${a#package:}\n"
    "  [ $n = split ] || echo \"mgc:apk_path $a\"\n"
    "  h=$(sha256sum <\"$a\") && h=${h%% *} && case $n in\n"
    "    apk) echo \"mgc:apk_sha256 $h\";;\n"
    "    *) echo \"mgc:split_sha256 ${a##*/}=$h\";;\n"
    "  esac\n"
    "  n=split\n"
    "done\n"
    "stamp \"$1\"\n"
    "d=$(dumpsys package \"$1\" | grep -E 'version(Name|Code)=|legacyNativeLibraryDir=')\n"
    "n=${d#*legacyNativeLibraryDir=}; n=${n%%[ \n]*}\n"
    "v=${d#*versionName=}; [ \"$v\" = \"$d\" ] || echo \"mgc:version ${v%%[\n]*}\"\n"
    "c=${d#*versionCode=}; [ \"$c\" = \"$d\" ] || echo \"mgc:version_code ${c%%[!0-9]*}\"\n"
    "i=\n"
    "for l in \"$n/" LIBRARY "\" \"$n\"/*/" LIBRARY "; do\n"
    "  [ -f \"$l\" ] || continue\n"
    "  i=false\n"
    "  echo \"mgc:library_path $l\"\n"
    "  h=$(sha256sum <\"$l\") && echo \"mgc:library_sha256 ${h%% *}\"\n"
    "  break\n"
    "done\n"
    "[ \"$i\" ] || { i=false; for a in $p; do\n"
    "  { unzip -l \"${a#package:}\" 2>/dev/null || cat \"${a#package:}\"; } |\n"
    "    grep -q 'lib/[a-z0-9_-]*/" LIBRARY "' && i=true\n"
    "done; }\n"
    "echo \"mgc:library_in_apk $i\"\n"
    "u=$(run-as \"$1\" sh -c 'echo mgc-run-as' </dev/null 2>/dev/null)\n"
    "[ \"$u\" = mgc-run-as ] && echo mgc:debuggable true || echo mgc:debuggable false\n"
    "pidof \"$1\" >/dev/null && echo mgc:pid_alive true || echo mgc:pid_alive false\n"
    "echo mgc:end\n";

bool mgc_app_report_script(struct mgc_buf *out, const char *package)
{
    const char *const argv[] = {"sh", "-c", text, "sh", package, NULL};
    return mgc_adb_quote_all(out, argv);
}

static bool is_sha256(const char *word)
{
    return strlen(word) == 64 && strspn(word, "0123456789abcdef") == 64;
}

/* "NAME=HASH"; one after the other, with blanks between. */
static bool take_split(const char *split, struct mgc_fields *facts)
{
    const char *hash = strrchr(split, '=');
    const char *before = mgc_fields_get_str(facts, "split_sha256");
    if (!hash || !is_sha256(hash + 1))
        return true;
    return before ? mgc_fields_setf(facts, "split_sha256", "%s %s", before, split)
                  : mgc_fields_set_str(facts, "split_sha256", split);
}

bool mgc_app_stamp_take(const char *line, struct mgc_fields *facts)
{
    static const char label[] = "app_stamp package:/";
    bool whole = strlen(line) < MGC_APP_LINE_MAX - 8 && strstr(line, " lastUpdateTime=");
    if (!whole || strncmp(line, label, strlen(label)) != 0)
        return true;
    return mgc_fields_set_str(facts, "app_stamp", line + strlen("app_stamp "));
}

static bool take_line(const char *line, struct mgc_fields *facts)
{
    static const char *const names[] = {"apk_path", "library_path"};
    static const char *const hashes[] = {"apk_sha256", "library_sha256"};
    static const char *const flags[] = {"debuggable", "pid_alive", "library_in_apk"};
    const char *value = strchr(line, ' ');
    size_t len = value ? (size_t)(value - line) : 0;
    int64_t code;
    if (strncmp(line, "version_code ", 13) == 0)
        return !mgc_parse_int(line + 13, 0, INT64_MAX, &code) ||
               mgc_fields_set_int(facts, "version_code", code);
    if (strncmp(line, "version ", 8) == 0 && line[8])
        return mgc_fields_set_str(facts, "version", line + 8);
    if (!value)
        return true;
    if (strncmp(line, "app_stamp ", 10) == 0)
        return mgc_app_stamp_take(line, facts);
    if (strncmp(line, "split_sha256 ", 13) == 0)
        return take_split(value + 1, facts);
    for (size_t i = 0; i < 2; i++) {
        if (strlen(names[i]) == len && strncmp(line, names[i], len) == 0 && value[1] == '/')
            return mgc_fields_set_str(facts, names[i], value + 1);
        if (strlen(hashes[i]) == len && strncmp(line, hashes[i], len) == 0 && is_sha256(value + 1))
            return mgc_fields_set_str(facts, hashes[i], value + 1);
    }
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        if (strlen(flags[i]) == len && strncmp(line, flags[i], len) == 0)
            return mgc_fields_set_bool(facts, flags[i], strcmp(value + 1, "true") == 0);
    }
    return true;
}

bool mgc_app_report_parse(const char *report, struct mgc_fields *facts, struct mgc_error *err)
{
    bool ended = false, ok = true;
    while (ok && *report) {
        char line[MGC_APP_LINE_MAX];
        size_t len = strcspn(report, "\r\n");
        snprintf(line, sizeof(line), "%.*s", (int)len, report);
        if (strcmp(line, "mgc:end") == 0)
            ended = true;
        else if (strncmp(line, "mgc:", 4) == 0)
            ok = take_line(line + 4, facts);
        report += len;
        report += strspn(report, "\r\n");
    }
    if (!ok)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "host.app: no memory for facts");
    return ended || mgc_error_set(err, MGC_E_PROTOCOL, "the app's report is cut off");
}
