#include "lab/phone/app/request.h"

#include <string.h>

#include "common/base/parse.h"
#include "lab/phone/le.h"

bool mgl_app_request_parse(char *data, size_t len, struct mgl_app_request *ret_request)
{
    const char *words[MGL_CONTROL_WORDS_MAX];
    size_t count;
    if (len < 4 || mgl_get_le32((const uint8_t *)data) != len - 4 ||
        !mgl_control_split(data + 4, len - 4, words, &count) || count < 2)
        return false;
    *ret_request = (struct mgl_app_request){
        .package = words[0], .class_name = words[1], .extra_count = count - 2};
    memcpy(ret_request->extras, words + 2, (count - 2) * sizeof(*words));
    return true;
}

/* A later extra of the same key replaces the earlier one, whatever the types. */
static const char *find(const struct mgl_app_request *request, char type, const char *key)
{
    size_t len = strlen(key);
    for (size_t i = request->extra_count; i-- > 0;) {
        const char *word = request->extras[i];
        if (word[0] == '\0' || word[1] != ':' || strncmp(word + 2, key, len) != 0 ||
            word[2 + len] != '=')
            continue;
        return word[0] == type ? word + 2 + len + 1 : NULL;
    }
    return NULL;
}

const char *mgl_app_request_extra(
    const struct mgl_app_request *request, const char *key, const char *otherwise)
{
    const char *value = find(request, 's', key);
    return value ? value : otherwise;
}

/* am has checked it: a word for true or false, or a number. */
bool mgl_app_request_bool(const struct mgl_app_request *request, const char *key, bool otherwise)
{
    const char *value = find(request, 'z', key);
    int64_t number;
    if (!value)
        return otherwise;
    if (mgc_parse_int(value, INT32_MIN, INT32_MAX, &number))
        return number != 0;
    return value[0] == 't';
}

static int64_t whole(
    const struct mgl_app_request *request, char type, const char *key, int64_t otherwise)
{
    const char *value = find(request, type, key);
    int64_t number;
    return value && mgc_parse_int(value, INT64_MIN, INT64_MAX, &number) ? number : otherwise;
}

int64_t mgl_app_request_int(
    const struct mgl_app_request *request, const char *key, int64_t otherwise)
{
    return whole(request, 'i', key, otherwise);
}

int64_t mgl_app_request_long(
    const struct mgl_app_request *request, const char *key, int64_t otherwise)
{
    return whole(request, 'l', key, otherwise);
}

double mgl_app_request_double(
    const struct mgl_app_request *request, const char *key, double otherwise)
{
    const char *value = find(request, 'd', key);
    double number;
    return value && mgc_parse_double(value, &number) ? number : otherwise;
}
