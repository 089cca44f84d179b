/* The directory half of file.h. */
#include "common/plat/file.h"

#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "common/base/path.h"
#include "common/base/utf16.h"
#include "common/plat/internal.h"
#include "common/plat/win/error.h"
#include "common/plat/win/wide.h"

enum { REMOVE_DEPTH_MAX = 128 };

static bool is_directory(const uint16_t *path)
{
    DWORD attributes = GetFileAttributesW(path);
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY);
}

bool mgc_plat_mkdir(const char *path, unsigned mode, struct mgc_error *err)
{
    (void)mode; /* access comes from the parent's list */
    uint16_t *wide = mgc_win_path(path, "make directory", err);
    if (!wide)
        return false;
    DWORD error = CreateDirectoryW(wide, NULL) ? ERROR_SUCCESS : GetLastError();
    /* Looked at after the failure: a drive's root says that access is denied. */
    bool ok =
        !error || is_directory(wide) || mgc_win_error(err, error, "make directory '%s'", path);
    free(wide);
    return ok;
}

/* ---- listing ---- */

/* Called for each entry but the dots; false stops the walk. */
typedef bool entry_fn(
    void *user, const char *name, const WIN32_FIND_DATAW *entry, struct mgc_error *err);

static bool is_dots(const wchar_t *name)
{
    return wcscmp(name, L".") == 0 || wcscmp(name, L"..") == 0;
}

static bool call_entry(const char *path, const char *what, const WIN32_FIND_DATAW *entry,
    entry_fn *fn, void *user, struct mgc_error *err)
{
    if (is_dots(entry->cFileName))
        return true;
    char *name = mgc_utf8_from_utf16(entry->cFileName, NULL);
    if (!name)
        return mgc_error_set(err, MGC_E_IO, "%s '%s': a name in it is no text", what, path);
    bool ok = fn(user, name, entry, err);
    free(name);
    return ok;
}

/* Absent is an error here, ERROR_PATH_NOT_FOUND. */
static bool walk(
    const char *path, const char *what, entry_fn *fn, void *user, struct mgc_error *err)
{
    char pattern[MGC_PATH_MAX];
    WIN32_FIND_DATAW entry;
    if (!mgc_path_join(pattern, sizeof(pattern), path, "*"))
        return mgc_error_set(err, MGC_E_IO, "%s '%.80s...': path is too long", what, path);
    uint16_t *wide = mgc_win_path(pattern, what, err);
    if (!wide)
        return false;
    HANDLE find = FindFirstFileW(wide, &entry);
    DWORD error = GetLastError();
    free(wide);
    if (find == INVALID_HANDLE_VALUE)
        return mgc_win_error(err, error, "%s '%s'", what, path);
    bool ok;
    do {
        ok = call_entry(path, what, &entry, fn, user, err);
    } while (ok && FindNextFileW(find, &entry));
    error = ok ? GetLastError() : ERROR_NO_MORE_FILES;
    FindClose(find);
    return ok && (error == ERROR_NO_MORE_FILES || mgc_win_error(err, error, "%s '%s'", what, path));
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool add_name(
    void *user, const char *name, const WIN32_FIND_DATAW *entry, struct mgc_error *err)
{
    struct mgc_dir_names *names = user;
    (void)entry;
    /* Room doubles at powers of two, so that the struct needs no capacity. */
    if ((names->count & (names->count - 1)) == 0) {
        size_t cap = names->count ? names->count * 2 : 1;
        char **grown = realloc(names->names, cap * sizeof(*grown));
        if (!grown)
            return mgc_error_set(err, MGC_E_NO_MEMORY, "list a directory: out of memory");
        names->names = grown;
    }
    names->names[names->count] = strdup(name);
    if (!names->names[names->count])
        return mgc_error_set(err, MGC_E_NO_MEMORY, "list a directory: out of memory");
    names->count++;
    return true;
}

bool mgc_dir_list(const char *path, struct mgc_dir_names *ret_names, struct mgc_error *err)
{
    struct mgc_dir_names names = {0};
    if (!walk(path, "list", add_name, &names, err)) {
        mgc_dir_names_destroy(&names);
        return false;
    }
    if (names.count)
        qsort(names.names, names.count, sizeof(*names.names), by_bytes);
    *ret_names = names;
    return true;
}

/* ---- removal ---- */

struct removal {
    const char *dir; /* the directory whose entries are being removed */
    int depth;
};

static bool remove_tree(const char *path, DWORD attributes, int depth, struct mgc_error *err);

static bool remove_entry(
    void *user, const char *name, const WIN32_FIND_DATAW *entry, struct mgc_error *err)
{
    const struct removal *removal = user;
    char path[MGC_PATH_MAX];
    if (!mgc_path_join(path, sizeof(path), removal->dir, name))
        return mgc_error_set(err, MGC_E_IO, "remove '%.80s...': path is too long", removal->dir);
    return remove_tree(path, entry->dwFileAttributes, removal->depth + 1, err);
}

static bool remove_empty(const char *path, struct mgc_error *err)
{
    uint16_t *wide = mgc_win_path(path, "remove", err);
    if (!wide)
        return false;
    DWORD error = RemoveDirectoryW(wide) ? ERROR_SUCCESS : GetLastError();
    free(wide);
    return !error || error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND ||
           mgc_win_error(err, error, "remove '%s'", path);
}

/* A reparse point (link, junction) is removed itself; what it leads to stays. */
static bool remove_tree(const char *path, DWORD attributes, int depth, struct mgc_error *err)
{
    if (!(attributes & FILE_ATTRIBUTE_DIRECTORY))
        return mgc_file_remove(path, err);
    if (depth > REMOVE_DEPTH_MAX)
        return mgc_error_set(
            err, MGC_E_IO, "remove '%s': nested deeper than %d", path, REMOVE_DEPTH_MAX);
    struct removal removal = {.dir = path, .depth = depth};
    if (!(attributes & FILE_ATTRIBUTE_REPARSE_POINT) &&
        !walk(path, "remove", remove_entry, &removal, err))
        return false;
    return remove_empty(path, err);
}

bool mgc_dir_remove(const char *path, struct mgc_error *err)
{
    uint16_t *wide = mgc_win_path(path, "remove", err);
    if (!wide)
        return false;
    DWORD attributes = GetFileAttributesW(wide);
    DWORD error = GetLastError();
    bool is_dir = is_directory(wide);
    free(wide);
    if (attributes == INVALID_FILE_ATTRIBUTES)
        return error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND ||
               mgc_win_error(err, error, "remove '%s'", path);
    if (!is_dir && !(attributes & FILE_ATTRIBUTE_REPARSE_POINT))
        return mgc_error_set(err, MGC_E_IO, "remove '%s': not a directory", path);
    return remove_tree(path, attributes, 0, err);
}

bool mgc_dir_free_bytes(const char *path, uint64_t *ret_bytes, struct mgc_error *err)
{
    uint16_t *wide = mgc_win_path(path, "free space at", err);
    ULARGE_INTEGER bytes;
    if (!wide)
        return false;
    bool ok = GetDiskFreeSpaceExW(wide, &bytes, NULL, NULL) ||
              mgc_win_error(err, GetLastError(), "free space at '%s'", path);
    free(wide);
    if (ok)
        *ret_bytes = bytes.QuadPart;
    return ok;
}
