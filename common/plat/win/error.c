#include "common/plat/win/error.h"

#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "common/base/utf16.h"
#include "common/plat/win/codes.h"

/* In English where Windows has it, as all our sentences are; else in the user's language. */
static char *system_sentence(DWORD error)
{
    wchar_t text[300] = L"";
    const DWORD flags =
        FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS | FORMAT_MESSAGE_MAX_WIDTH_MASK;
    const DWORD english = MAKELANGID(LANG_ENGLISH, SUBLANG_ENGLISH_US);
    if (!FormatMessageW(flags, NULL, error, english, text, 300, NULL))
        FormatMessageW(flags, NULL, error, 0, text, 300, NULL);
    char *sentence = mgc_utf8_from_utf16(text, NULL);
    for (size_t len = sentence ? strlen(sentence) : 0; len && strchr(" .\r\n", sentence[len - 1]);)
        sentence[--len] = '\0';
    return sentence;
}

bool mgc_win_error(struct mgc_error *err, uint32_t error, const char *fmt, ...)
{
    struct mgc_error what;
    va_list args;
    va_start(args, fmt);
    mgc_error_vset(&what, mgc_win_code(error), fmt, args);
    va_end(args);
    char *sentence = system_sentence(error);
    bool known = sentence && *sentence;
    mgc_error_set(err, what.code, "%s: %s%sWindows error %lu%s", what.text, known ? sentence : "",
        known ? " (" : "", (unsigned long)error, known ? ")" : "");
    free(sentence);
    return false;
}
