#include "worker-host/tasks/am.h"

#include <string.h>

#include "worker-host/adb/wire.h"

enum { SHOWN_MAX = 200 };

static const char *bad_words(const char *text)
{
    static const char *const words[] = {"Error type", "Exception", "does not exist", "Unknown",
        "Error:", "no service started", "Activity not started", "has been brought to the front",
        "delivered to currently running"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const char *at = strstr(text, words[i]);
        if (at)
            return at;
    }
    return NULL;
}

bool mgc_am_judge(const char *serial, const char *what, int exit_code, const char *out,
    const char *err_text, struct mgc_error *err)
{
    char said[SHOWN_MAX];
    const char *bad = bad_words(err_text);
    bad = bad ? bad : bad_words(out);
    if (bad)
        return mgc_error_set(err, MGC_E_FAILED, "device %s: %s failed: %s", serial, what,
            mgc_adb_wire_shown(bad, said, sizeof(said)));
    return exit_code == 0 ||
           mgc_error_set(err, MGC_E_FAILED, "device %s: %s ended with code %d: %s", serial, what,
               exit_code, mgc_adb_wire_shown(err_text, said, sizeof(said)));
}
