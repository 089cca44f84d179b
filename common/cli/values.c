/* One small parser per kind of option value. The sentence in err says what was expected; the caller
 * puts the option and the value before it. */
#include "common/cli/cli.h"

#include <string.h>

#include "common/base/parse.h"

bool mgc_cli_flag(const char *text, void *field, const void *arg, struct mgc_error *err)
{
    *(bool *)field = true;
    return true;
}

bool mgc_cli_string(const char *text, void *field, const void *arg, struct mgc_error *err)
{
    *(const char **)field = text;
    return true;
}

bool mgc_cli_int(const char *text, void *field, const void *arg, struct mgc_error *err)
{
    static const struct mgc_cli_range any = {INT64_MIN, INT64_MAX};
    const struct mgc_cli_range *range = arg ? arg : &any;
    if (mgc_parse_int(text, range->min, range->max, field))
        return true;
    if (!arg)
        return mgc_error_set(err, MGC_E_USAGE, "expected a whole number");
    return mgc_error_set(
        err, MGC_E_USAGE, "expected a whole number from %lld to %lld", range->min, range->max);
}

bool mgc_cli_duration_ms(const char *text, void *field, const void *arg, struct mgc_error *err)
{
    return mgc_parse_duration_ms(text, field) ||
           mgc_error_set(err, MGC_E_USAGE, "expected a duration such as 250ms, 2s, 5m or 1h");
}

bool mgc_cli_choice(const char *text, void *field, const void *arg, struct mgc_error *err)
{
    const char *const *choices = arg;
    for (const char *const *choice = choices; *choice; choice++) {
        if (strcmp(*choice, text) == 0) {
            *(const char **)field = *choice;
            return true;
        }
    }
    mgc_error_set(err, MGC_E_USAGE, "expected one of");
    for (const char *const *choice = choices; err && *choice; choice++)
        mgc_error_set(
            err, MGC_E_USAGE, "%s%s %s", err->text, choice == choices ? "" : ",", *choice);
    return false;
}

bool mgc_cli_list(const char *text, void *field, const void *arg, struct mgc_error *err)
{
    struct mgc_cli_strings *list = field;
    size_t room = sizeof(list->items) / sizeof(list->items[0]);
    if (list->count == room)
        return mgc_error_set(err, MGC_E_USAGE, "given more than %zu times", room);
    list->items[list->count++] = text;
    return true;
}
