#include "worker-host/tasks/device_report.h"

#include <stdio.h>
#include <string.h>

#include "common/base/parse.h"
#include "worker-host/adb/quote.h"

/* The answer is a list of sections: a line "mgc:NAME" and the lines of one command. */

enum { LINE_MAX_BYTES = 512 };

static const struct {
    const char *section; /* also the fact's name */
    const char *property;
} properties[] = {
    {"model", "ro.product.model"}, {"manufacturer", "ro.product.manufacturer"},
    {"android", "ro.build.version.release"}, {"sdk", "ro.build.version.sdk"},
    {"fingerprint", "ro.build.fingerprint"}, {"serialno", "ro.serialno"},
    {"conditions", "debug.lab.conditions"}, /* no real phone has it: then there is no such fact */
};

bool mgc_device_report_script(struct mgc_buf *out, const char *package)
{
    for (size_t i = 0; i < sizeof(properties) / sizeof(properties[0]); i++)
        mgc_buf_printf(
            out, "echo mgc:%s; getprop %s\n", properties[i].section, properties[i].property);
    mgc_buf_puts(out, "echo mgc:boot_id; cat /proc/sys/kernel/random/boot_id\n"
                      "echo mgc:battery; dumpsys battery\n"
                      "echo mgc:path; pm path ");
    mgc_adb_quote(out, package);
    /* The full dump is hundreds of kilobytes. */
    mgc_buf_puts(out, "\necho mgc:package; dumpsys package ");
    mgc_adb_quote(out, package);
    mgc_buf_puts(out, " | grep -E 'versionName=|userId='\necho mgc:end\n");
    return mgc_buf_ok(out);
}

/* Text after `label` on a line that begins with it (blanks in front are skipped), else NULL. */
static const char *after(const char *line, const char *label)
{
    line += strspn(line, " \t");
    size_t len = strlen(label);
    return strncmp(line, label, len) == 0 ? line + len : NULL;
}

static bool set_int(struct mgc_fields *facts, const char *name, const char *text)
{
    int64_t value;
    return !mgc_parse_int(text, INT32_MIN, INT32_MAX, &value) ||
           mgc_fields_set_int(facts, name, value);
}

static bool battery_line(const char *line, struct mgc_fields *facts)
{
    static const struct {
        const char *label, *source;
    } sources[] = {{"AC powered: ", "ac"}, {"USB powered: ", "usb"},
        {"Wireless powered: ", "wireless"}, {"Dock powered: ", "dock"}};
    const char *value;
    if ((value = after(line, "temperature: ")))
        return set_int(facts, "battery_temp_dc", value);
    if ((value = after(line, "level: ")))
        return set_int(facts, "battery_level", value);
    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
        const char *known = mgc_fields_get_str(facts, "power_source");
        if (!(value = after(line, sources[i].label)))
            continue;
        if (strcmp(value, "true") == 0)
            return mgc_fields_set_str(facts, "power_source", sources[i].source);
        return known || mgc_fields_set_str(facts, "power_source", "battery");
    }
    return true;
}

static bool package_line(const char *line, struct mgc_fields *facts)
{
    const char *value;
    if ((value = after(line, "versionName=")))
        return mgc_fields_get(facts, "package_version") ||
               mgc_fields_set_str(facts, "package_version", value);
    if ((value = after(line, "userId="))) {
        /* "userId=10123 gids=[...]" on old releases */
        char number[16];
        snprintf(number, sizeof(number), "%.*s", (int)strspn(value, "0123456789"), value);
        return mgc_fields_get(facts, "app_uid") || set_int(facts, "app_uid", number);
    }
    return true;
}

static bool take_line(const char *section, const char *line, struct mgc_fields *facts)
{
    const char *value;
    if (!*line)
        return true;
    if (strcmp(section, "battery") == 0)
        return battery_line(line, facts);
    if (strcmp(section, "package") == 0)
        return package_line(line, facts);
    if (strcmp(section, "path") == 0) {
        value = after(line, "package:");
        return !value || mgc_fields_get(facts, "package_path") ||
               mgc_fields_set_str(facts, "package_path", value);
    }
    if (mgc_fields_get(facts, section))
        return true; /* the first line of a section is its value */
    if (strcmp(section, "sdk") == 0)
        return set_int(facts, "sdk", line);
    if (strcmp(section, "boot_id") == 0)
        return mgc_fields_set_str(facts, section, line);
    for (size_t i = 0; i < sizeof(properties) / sizeof(properties[0]); i++) {
        if (strcmp(section, properties[i].section) == 0)
            return mgc_fields_set_str(facts, section, line);
    }
    return true;
}

bool mgc_device_report_parse(const char *text, struct mgc_fields *facts, struct mgc_error *err)
{
    char section[32] = "";
    bool ok = true;
    while (ok && *text) {
        char line[LINE_MAX_BYTES];
        size_t len = strcspn(text, "\r\n");
        size_t keep = len < sizeof(line) ? len : sizeof(line) - 1;
        memcpy(line, text, keep);
        line[keep] = '\0';
        if (strncmp(line, "mgc:", 4) == 0) /* a longer one is somebody else's, and no value */
            snprintf(section, sizeof(section), "%.*s", (int)sizeof(section) - 1, line + 4);
        else
            ok = take_line(section, line, facts);
        text += len;
        text += *text == '\r';
        text += *text == '\n';
    }
    return ok || mgc_error_set(err, MGC_E_NO_MEMORY, "host.device: no memory for facts");
}
