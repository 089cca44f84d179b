#include "lab/phone/app_faults.h"

#include <string.h>

#include "common/base/parse.h"

bool mgl_app_faults_parse_drop(const char *text, int64_t *ret_at_ms, int64_t *ret_away_ms)
{
    char at[24];
    size_t len = strcspn(text, "+");
    if (len >= sizeof(at))
        return false;
    memcpy(at, text, len);
    at[len] = '\0';
    int64_t at_ms;
    if (!mgc_parse_int(at, 0, INT32_MAX, &at_ms) ||
        (text[len] && !mgc_parse_int(text + len + 1, 0, INT32_MAX, ret_away_ms)))
        return false;
    *ret_at_ms = at_ms;
    return true;
}
