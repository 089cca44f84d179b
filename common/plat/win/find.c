#include "common/plat/win/find.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "common/base/buf.h"
#include "common/plat/win/wide.h"

enum { WIDE_MAX = 32768 }; /* longest path and longest variable of Windows */

static bool is_path(const char *name)
{
    return strpbrk(name, "/\\:") != NULL;
}

static bool is_file(const uint16_t *path)
{
    DWORD attributes = GetFileAttributesW(path);
    return attributes != INVALID_FILE_ATTRIBUTES && !(attributes & FILE_ATTRIBUTE_DIRECTORY);
}

/* The child finds its own path as we wrote it, and looks there for its DLLs; few programs expect
 * the extended form. A path that needs it keeps it. */
static uint16_t *usual_form(uint16_t *path)
{
    size_t len = wcslen(path);
    if (len > 6 && len < MAX_PATH && wcsncmp(path, L"\\\\?\\", 4) == 0 && path[5] == ':')
        memmove(path, path + 4, (len - 4 + 1) * sizeof(*path));
    return path;
}

/* "dir/prog" may stand for "dir/prog.exe", as people write it. */
static uint16_t *program_at(const char *path, struct mgc_error *err)
{
    struct mgc_buf named = {0};
    mgc_buf_printf(&named, "%s.exe", path);
    uint16_t *plain = mgc_win_path(path, "start", err);
    uint16_t *exe = plain ? mgc_win_path(mgc_buf_text(&named), "start", err) : NULL;
    mgc_buf_destroy(&named);
    if (exe && !is_file(plain) && is_file(exe)) {
        free(plain);
        return usual_form(exe);
    }
    free(exe);
    if (plain && !is_file(plain)) {
        mgc_error_set(err, MGC_E_NOT_FOUND, "start '%s': no such program", path);
        free(plain);
        return NULL;
    }
    return plain ? usual_form(plain) : NULL;
}

/* In PATH alone: the search of CreateProcessW would begin in the working directory. */
static uint16_t *program_in_path(const char *name, struct mgc_error *err)
{
    uint16_t *wide = *name ? mgc_win_text(name, "start", err) : NULL;
    wchar_t *path = calloc(WIDE_MAX, sizeof(*path)), *found = calloc(WIDE_MAX, sizeof(*found));
    DWORD len = path ? GetEnvironmentVariableW(L"PATH", path, WIDE_MAX) : 0;
    if (wide && found && len && len < WIDE_MAX)
        len = SearchPathW(path, wide, L".exe", WIDE_MAX, found, NULL);
    else
        len = 0;
    free(path);
    free(wide);
    if (len && len < WIDE_MAX)
        return found;
    free(found);
    mgc_error_set(err, MGC_E_NOT_FOUND, "start '%s': no such program in PATH", name);
    return NULL;
}

uint16_t *mgc_win_find_program(const char *name, struct mgc_error *err)
{
    return is_path(name) ? program_at(name, err) : program_in_path(name, err);
}
