#include "common/base/parse.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool mgc_parse_int(const char *text, int64_t min, int64_t max, int64_t *ret)
{
    const char *digits = text + (*text == '-' || *text == '+');
    if (!isdigit((unsigned char)*digits))
        return false;
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno || *end || value < min || value > max)
        return false;
    *ret = value;
    return true;
}

bool mgc_parse_hex64(const char *text, uint64_t *ret)
{
    size_t len = strlen(text);
    if (len < 1 || len > 16 || strspn(text, "0123456789abcdefABCDEF") != len)
        return false;
    *ret = strtoull(text, NULL, 16);
    return true;
}

bool mgc_parse_double(const char *text, double *ret)
{
    /* Programs here never call setlocale, so the point is the decimal point. */
    if (!*text || isspace((unsigned char)*text) || strpbrk(text, "xX")) /* strtod knows hex */
        return false;
    char *end;
    double value = strtod(text, &end);
    if (*end || !isfinite(value))
        return false;
    *ret = value;
    return true;
}

bool mgc_parse_bool(const char *text, bool *ret)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on", "0", "1"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(text, words[i]) == 0) {
            *ret = i % 2 == 1;
            return true;
        }
    }
    return false;
}

bool mgc_parse_duration_ms(const char *text, int64_t *ret_ms)
{
    static const struct {
        const char *suffix;
        double ms;
    } units[] = {{"ms", 1}, {"s", 1000}, {"", 1000}, {"m", 60000}, {"h", 3600000}};

    size_t len = strspn(text, "0123456789.");
    if (len == 0 || len >= 32)
        return false;
    char number[32];
    memcpy(number, text, len);
    number[len] = '\0';
    double value;
    if (!mgc_parse_double(number, &value))
        return false;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(text + len, units[i].suffix) == 0 && value * units[i].ms < 9e15) {
            *ret_ms = (int64_t)llround(value * units[i].ms);
            return true;
        }
    }
    return false;
}
