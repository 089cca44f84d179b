#include "common/contract/app_log.h"

#include <string.h>

#define TAG "ActivityManager"

/* The message behind the tag, which logcat pads with blanks; NULL: another tag's line. */
static const char *message_of(const char *line)
{
    const char *tag = strstr(line, TAG);
    if (!tag)
        return NULL;
    const char *at = tag + sizeof(TAG) - 1;
    at += strspn(at, " ");
    if (*at != ':')
        return NULL;
    return at + 1 + strspn(at + 1, " ");
}

static const char *behind(const char *text, const char *word)
{
    size_t len = strlen(word);
    return strncmp(text, word, len) == 0 ? text + len : NULL;
}

static bool take(const char *from, size_t len, char ret_name[MGC_APP_NAME_MAX])
{
    if (len >= MGC_APP_NAME_MAX)
        return false;
    memcpy(ret_name, from, len);
    ret_name[len] = '\0';
    return true;
}

/* "PACKAGE" or "PACKAGE:PROCESS", up to one of `ends`. */
static bool take_names(const char *from, const char *ends, struct mgc_app_line *line)
{
    size_t len = strcspn(from, ends), package = strcspn(from, ":");
    package = package < len ? package : len;
    return package > 0 && take(from, package, line->package) &&
           take(from + package, len - package, line->process);
}

/* "582:PACKAGE..." */
static const char *behind_pid(const char *text)
{
    size_t digits = text ? strspn(text, "0123456789") : 0;
    return digits && text[digits] == ':' ? text + digits + 1 : NULL;
}

enum mgc_app_event mgc_app_line_parse(const char *line, struct mgc_app_line *ret_line)
{
    const char *text = message_of(line), *names;
    struct mgc_app_line parsed = {0};
    bool ok = false;
    if (text && (names = behind_pid(behind(text, "Start proc ")))) {
        parsed.event = MGC_APP_STARTED;
        ok = take_names(names, "/ ", &parsed);
    } else if (text && (names = behind_pid(behind(text, "Killing ")))) {
        parsed.event = MGC_APP_ENDED;
        ok = take_names(names, "/ ", &parsed);
    } else if (text && (names = behind(text, "Force stopping "))) {
        parsed.event = MGC_APP_STOPPED;
        ok = take_names(names, ": ", &parsed);
    } else if (text && (names = behind(text, "Process ")) && strstr(names, " has died")) {
        parsed.event = MGC_APP_ENDED;
        ok = take_names(names, " ", &parsed);
    }
    *ret_line = ok ? parsed : (struct mgc_app_line){0};
    return ret_line->event;
}
