#include "lab/phone/commands/intent.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/parse.h"

static bool set_component(struct mgl_intent *intent, const char *text, struct mgc_error *err)
{
    const char *slash = strchr(text, '/');
    size_t len = slash ? (size_t)(slash - text) : 0;
    if (len == 0 || len >= sizeof(intent->package) || !slash[1] ||
        strlen(slash + 1) >= sizeof(intent->class_name))
        return mgc_error_set(err, MGC_E_USAGE,
            "Exception occurred while executing:\njava.lang.IllegalArgumentException: "
            "Bad component name: %s",
            text);
    memcpy(intent->package, text, len);
    intent->package[len] = 0;
    snprintf(intent->class_name, sizeof(intent->class_name), "%s", slash + 1);
    return true;
}

static bool bad_number(const char *text, struct mgc_error *err)
{
    return mgc_error_set(err, MGC_E_USAGE,
        "Exception occurred while executing:\njava.lang.NumberFormatException: "
        "For input string: \"%s\"",
        text);
}

static bool check_boolean(const char *text, struct mgc_error *err)
{
    int64_t number;
    if (strcmp(text, "true") == 0 || strcmp(text, "t") == 0 || strcmp(text, "false") == 0 ||
        strcmp(text, "f") == 0 || mgc_parse_int(text, INT32_MIN, INT32_MAX, &number))
        return true;
    return mgc_error_set(err, MGC_E_USAGE,
        "Exception occurred while executing:\njava.lang.IllegalArgumentException: "
        "Invalid boolean value: %s",
        text);
}

static bool check_value(char type, const char *value, struct mgc_error *err)
{
    int64_t number;
    double real;
    switch (type) {
    case 'z':
        return check_boolean(value, err);
    case 'i':
        return mgc_parse_int(value, INT32_MIN, INT32_MAX, &number) || bad_number(value, err);
    case 'l':
        return mgc_parse_int(value, INT64_MIN, INT64_MAX, &number) || bad_number(value, err);
    case 'f':
    case 'd':
        return mgc_parse_double(value, &real) || bad_number(value, err);
    default:
        return true;
    }
}

/* Type letter of an extra's option, 0 when it is none. */
static char extra_type(const char *option)
{
    static const struct {
        const char *option;
        char type;
    } types[] = {{"-e", 's'}, {"--es", 's'}, {"--ez", 'z'}, {"--ei", 'i'}, {"--el", 'l'},
        {"--ef", 'f'}, {"--ed", 'd'}, {"--esn", 'n'}};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (strcmp(types[i].option, option) == 0)
            return types[i].type;
    return 0;
}

/* Words after the option that belong to it; -1 for an unknown option. */
static int count_values(const char *option)
{
    static const char *const one[] = {"-a", "-n", "-d", "-c", "-f", "-t", "-p", "--user", "--esn"};
    char type = extra_type(option);
    if (type && type != 'n')
        return 2;
    for (size_t i = 0; i < sizeof(one) / sizeof(one[0]); i++)
        if (strcmp(one[i], option) == 0)
            return 1;
    return strcmp(option, "-W") == 0 || strcmp(option, "-S") == 0 ? 0 : -1;
}

static bool add_extra(
    struct mgl_intent *intent, char type, const char *key, const char *value, struct mgc_error *err)
{
    if (intent->extra_count == MGL_INTENT_EXTRAS_MAX)
        return mgc_error_set(err, MGC_E_USAGE, "Error: too many extras");
    if (!check_value(type, value, err))
        return false;
    intent->extras[intent->extra_count].type = type;
    intent->extras[intent->extra_count].key = key;
    intent->extras[intent->extra_count++].value = value;
    return true;
}

static bool take_option(
    struct mgl_intent *intent, const char *option, char *const *values, struct mgc_error *err)
{
    char type = extra_type(option);
    if (type)
        return add_extra(intent, type, values[0], type == 'n' ? "" : values[1], err);
    if (strcmp(option, "-n") == 0)
        return set_component(intent, values[0], err);
    if (strcmp(option, "-a") == 0)
        intent->action = values[0];
    else if (strcmp(option, "-d") == 0)
        intent->data = values[0];
    else if (strcmp(option, "-W") == 0)
        intent->wait = true;
    else if (strcmp(option, "-S") == 0)
        intent->stop = true;
    return true;
}

bool mgl_intent_parse(int argc, char **argv, struct mgl_intent *ret_intent, struct mgc_error *err)
{
    *ret_intent = (struct mgl_intent){0};
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (word[0] != '-') {
            if (strchr(word, '/') && !ret_intent->package[0] && !strstr(word, "://")) {
                if (!set_component(ret_intent, word, err))
                    return false;
            } else {
                ret_intent->data = word;
            }
            continue;
        }
        int values = count_values(word);
        if (values < 0)
            return mgc_error_set(err, MGC_E_USAGE, "Error: Unknown option: %s", word);
        if (i + values >= argc)
            return mgc_error_set(err, MGC_E_USAGE,
                "Exception occurred while executing:\njava.lang.IllegalArgumentException: "
                "Argument expected after \"%s\"",
                argv[argc - 1]);
        if (!take_option(ret_intent, word, argv + i + 1, err))
            return false;
        i += values;
    }
    return true;
}

void mgl_intent_full_class(const struct mgl_intent *intent, char *ret_class, size_t size)
{
    snprintf(ret_class, size, "%s%s", intent->class_name[0] == '.' ? intent->package : "",
        intent->class_name);
}

void mgl_intent_print_component(const struct mgl_intent *intent, struct mgc_buf *out)
{
    char full[512];
    mgl_intent_full_class(intent, full, sizeof(full));
    size_t len = strlen(intent->package);
    bool inside = strncmp(full, intent->package, len) == 0 && full[len] == '.';
    mgc_buf_printf(out, "%s/%s", intent->package, inside ? full + len : full);
}

void mgl_intent_print(const struct mgl_intent *intent, struct mgc_buf *out)
{
    mgc_buf_puts(out, "Intent {");
    if (intent->action)
        mgc_buf_printf(out, " act=%s", intent->action);
    if (intent->data)
        mgc_buf_printf(out, " dat=%s", intent->data);
    if (intent->package[0]) {
        mgc_buf_puts(out, " cmp=");
        mgl_intent_print_component(intent, out);
    }
    mgc_buf_puts(out, intent->extra_count ? " (has extras) }" : " }");
}
