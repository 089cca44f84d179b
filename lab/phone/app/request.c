#include "lab/phone/app/request.h"

#include <stdint.h>
#include <string.h>

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

const char *mgl_app_request_extra(
    const struct mgl_app_request *request, const char *key, const char *otherwise)
{
    size_t len = strlen(key);
    for (size_t i = 0; i < request->extra_count; i++)
        if (strncmp(request->extras[i], key, len) == 0 && request->extras[i][len] == '=')
            return request->extras[i] + len + 1;
    return otherwise;
}
