#include "common/plat/win/wide.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/utf16.h"
#include "common/base/winpath.h"

static uint16_t *checked(uint16_t *wide, const char *text, const char *what, struct mgc_error *err)
{
    if (wide)
        return wide;
    if (errno == EILSEQ)
        mgc_error_set(err, MGC_E_USAGE, "%s '%.200s': the text is not UTF-8", what, text);
    else
        mgc_error_errno(err, errno, "%s '%.200s'", what, text);
    return NULL;
}

uint16_t *mgc_win_path(const char *path, const char *what, struct mgc_error *err)
{
    return checked(mgc_winpath_new(path), path, what, err);
}

uint16_t *mgc_win_text(const char *text, const char *what, struct mgc_error *err)
{
    return checked(mgc_utf16_from_utf8(text, NULL), text, what, err);
}

bool mgc_win_narrow(const uint16_t *text, char *ret_text, size_t size)
{
    size_t len = 0;
    char *narrow = mgc_utf8_from_utf16(text, &len);
    bool fits = narrow && len < size;
    if (fits)
        memcpy(ret_text, narrow, len + 1);
    free(narrow);
    return fits;
}
