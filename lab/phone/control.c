#include "lab/phone/control.h"

#include <string.h>

#include "lab/phone/le.h"

bool mgl_control_append_request(struct mgc_buf *out, const char *const *words)
{
    size_t len = 0;
    for (const char *const *word = words; *word; word++)
        len += strlen(*word) + 1;
    if (len > MGL_CONTROL_REQUEST_MAX)
        return false;
    uint8_t head[4];
    mgl_put_le32(head, (uint32_t)len);
    mgc_buf_append(out, head, sizeof(head));
    for (; *words; words++)
        mgc_buf_append(out, *words, strlen(*words) + 1);
    return mgc_buf_ok(out);
}

bool mgl_control_split(char *words, size_t len, const char **ret_words, size_t *ret_count)
{
    size_t count = 0;
    if (len == 0 || words[len - 1] != 0)
        return false;
    for (size_t at = 0; at < len; at += strlen(words + at) + 1) {
        if (count == MGL_CONTROL_WORDS_MAX)
            return false;
        ret_words[count++] = words + at;
    }
    *ret_count = count;
    return true;
}
