#include "common/plat/file.h"

#include <errno.h>
#include <io.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include "common/base/clock.h"
#include "common/base/path.h"
#include "common/plat/win/error.h"
#include "common/plat/win/wide.h"

enum { CHUNK = 128 * 1024 };
/* Windows neither replaces nor removes what others hold open, a virus scanner or an indexer for
 * some milliseconds after every change, and tells nobody when they let go: the one wait here that
 * has no event. */
enum { HELD_TRIES = 100, HELD_PAUSE_MS = 20 };

static const DWORD share_all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

static bool is_absent(DWORD error)
{
    return error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND;
}

static bool is_held(DWORD error)
{
    return error == ERROR_SHARING_VIOLATION || error == ERROR_ACCESS_DENIED;
}

/* INVALID_HANDLE_VALUE with the reason in GetLastError, or in err when the path itself is bad. */
static HANDLE open_path(
    const char *path, const char *what, DWORD access, DWORD creation, struct mgc_error *err)
{
    uint16_t *wide = mgc_win_path(path, what, err);
    if (!wide)
        return INVALID_HANDLE_VALUE;
    HANDLE file = CreateFileW(wide, access, share_all, NULL, creation, FILE_ATTRIBUTE_NORMAL, NULL);
    DWORD error = GetLastError();
    free(wide);
    if (file == INVALID_HANDLE_VALUE)
        mgc_win_error(err, error, "%s '%s'", what, path);
    SetLastError(error);
    return file;
}

static bool read_to_end(
    HANDLE file, const char *path, size_t max, struct mgc_buf *buf, struct mgc_error *err)
{
    size_t start = buf->len;
    for (;;) {
        DWORD got;
        if (!mgc_buf_reserve(buf, 16384))
            return mgc_error_set(err, MGC_E_NO_MEMORY, "read '%s': out of memory", path);
        if (!ReadFile(file, buf->data + buf->len, 16384, &got, NULL))
            return mgc_win_error(err, GetLastError(), "read '%s'", path);
        if (got == 0)
            return true;
        buf->len += got;
        if (buf->len - start > max)
            return mgc_error_set(
                err, MGC_E_NO_MEMORY, "read '%s': larger than the limit of %zu bytes", path, max);
    }
}

bool mgc_file_read(const char *path, size_t max, struct mgc_buf *buf, struct mgc_error *err)
{
    HANDLE file = open_path(path, "open", GENERIC_READ, OPEN_EXISTING, err);
    if (file == INVALID_HANDLE_VALUE)
        return false;
    if (GetFileType(file) != FILE_TYPE_DISK) { /* a pipe or the console ends when its writer does */
        CloseHandle(file);
        return mgc_error_set(err, MGC_E_IO, "open '%s': not a regular file", path);
    }
    size_t before = buf->len;
    bool ok = read_to_end(file, path, max, buf, err);
    CloseHandle(file);
    if (!ok)
        buf->len = before;
    if (buf->data)
        buf->data[buf->len] = '\0';
    return ok;
}

/* ---- rename ---- */

static DWORD move_wide(const uint16_t *from, const uint16_t *to)
{
    /* WRITE_THROUGH: returns once the move is on the disk. */
    return MoveFileExW(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)
               ? ERROR_SUCCESS
               : GetLastError();
}

/* Access to a directory is denied for good, so there is nothing to wait for. */
static bool may_pass(const uint16_t *to, DWORD error)
{
    DWORD attributes = GetFileAttributesW(to);
    return is_held(error) &&
           (attributes == INVALID_FILE_ATTRIBUTES || !(attributes & FILE_ATTRIBUTE_DIRECTORY));
}

static bool move_path(const char *from, const char *to, const char *what, struct mgc_error *err)
{
    uint16_t *wide_from = mgc_win_path(from, what, err);
    uint16_t *wide_to = wide_from ? mgc_win_path(to, what, err) : NULL;
    DWORD error = ERROR_INVALID_NAME;
    if (wide_to) {
        error = move_wide(wide_from, wide_to);
        for (int i = 0; i < HELD_TRIES && error && may_pass(wide_to, error); i++) {
            mgc_sleep_ms(HELD_PAUSE_MS);
            error = move_wide(wide_from, wide_to);
        }
        if (error)
            mgc_win_error(err, error, "%s '%s' to '%s'", what, from, to);
    }
    free(wide_from);
    free(wide_to);
    return error == ERROR_SUCCESS;
}

bool mgc_file_rename(const char *from, const char *to, struct mgc_error *err)
{
    return move_path(from, to, "rename", err);
}

bool mgc_stream_sync(FILE *stream, const char *path, struct mgc_error *err)
{
    if (fflush(stream) != 0 || _commit(_fileno(stream)) != 0)
        return mgc_error_errno(err, errno, "write '%s'", path);
    return true; /* NTFS journals names */
}

/* ---- write ---- */

/* A neighbour of `path` that either becomes it (commit) or goes away (discard). */
struct draft {
    const char *path; /* borrowed */
    char name[MGC_PATH_MAX];
    HANDLE file;
};

static bool draft_open(struct draft *draft, const char *path, struct mgc_error *err)
{
    static atomic_uint turn;
    draft->path = path;
    int len = snprintf(draft->name, sizeof(draft->name), "%s.%lx-%x", path,
        (unsigned long)GetCurrentProcessId(), atomic_fetch_add(&turn, 1));
    if (len < 0 || (size_t)len >= sizeof(draft->name))
        return mgc_error_set(err, MGC_E_IO, "write '%.80s...': path is too long", path);
    /* ALWAYS: the name is this process's, a file of it was left by a dead one with its number. */
    draft->file = open_path(draft->name, "write", GENERIC_WRITE, CREATE_ALWAYS, err);
    return draft->file != INVALID_HANDLE_VALUE;
}

static void draft_discard(struct draft *draft)
{
    if (draft->file != INVALID_HANDLE_VALUE)
        CloseHandle(draft->file);
    mgc_file_remove(draft->name, NULL);
}

static bool draft_write(struct draft *draft, const char *data, size_t len, struct mgc_error *err)
{
    while (len) {
        DWORD put;
        if (!WriteFile(draft->file, data, (DWORD)(len < CHUNK ? len : CHUNK), &put, NULL))
            return mgc_win_error(err, GetLastError(), "write '%s'", draft->path);
        data += put;
        len -= put;
    }
    return true;
}

static bool draft_commit(struct draft *draft, struct mgc_error *err)
{
    DWORD error = FlushFileBuffers(draft->file) ? ERROR_SUCCESS : GetLastError();
    CloseHandle(draft->file);
    draft->file = INVALID_HANDLE_VALUE;
    bool ok = error ? mgc_win_error(err, error, "write '%s'", draft->path)
                    : move_path(draft->name, draft->path, "write", err);
    if (!ok)
        draft_discard(draft);
    return ok;
}

bool mgc_file_write(
    const char *path, const void *data, size_t len, unsigned mode, struct mgc_error *err)
{
    struct draft draft;
    (void)mode; /* access comes from the directory's list */
    if (!draft_open(&draft, path, err))
        return false;
    if (draft_write(&draft, data, len, err))
        return draft_commit(&draft, err);
    draft_discard(&draft);
    return false;
}

/* ---- copy ---- */

static bool copy_bytes(HANDLE from, struct draft *to, const char *path, struct mgc_error *err)
{
    char *chunk = malloc(CHUNK);
    DWORD got = 1;
    bool ok = chunk || mgc_error_set(err, MGC_E_NO_MEMORY, "copy '%s': out of memory", path);
    while (ok && got) {
        ok = ReadFile(from, chunk, CHUNK, &got, NULL) ||
             mgc_win_error(err, GetLastError(), "copy '%s': read", path);
        ok = ok && draft_write(to, chunk, got, err);
    }
    free(chunk);
    return ok;
}

bool mgc_file_copy(const char *from, const char *to, unsigned mode, struct mgc_error *err)
{
    (void)mode;
    HANDLE file = open_path(from, "copy", GENERIC_READ, OPEN_EXISTING, err);
    if (file == INVALID_HANDLE_VALUE)
        return false;
    struct draft draft;
    bool ok = draft_open(&draft, to, err);
    if (ok) {
        ok = copy_bytes(file, &draft, from, err);
        if (ok)
            ok = draft_commit(&draft, err);
        else
            draft_discard(&draft);
    }
    CloseHandle(file);
    return ok;
}

/* ---- facts ---- */

static bool read_facts(
    const char *path, const char *what, WIN32_FILE_ATTRIBUTE_DATA *ret_facts, struct mgc_error *err)
{
    uint16_t *wide = mgc_win_path(path, what, err);
    if (!wide)
        return false;
    bool ok = GetFileAttributesExW(wide, GetFileExInfoStandard, ret_facts) ||
              mgc_win_error(err, GetLastError(), "%s '%s'", what, path);
    free(wide);
    return ok;
}

bool mgc_file_exists(const char *path)
{
    WIN32_FILE_ATTRIBUTE_DATA facts;
    return read_facts(path, "look at", &facts, NULL);
}

bool mgc_file_size(const char *path, uint64_t *ret_bytes, struct mgc_error *err)
{
    WIN32_FILE_ATTRIBUTE_DATA facts;
    if (!read_facts(path, "size of", &facts, err))
        return false;
    if (facts.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY)
        return mgc_error_set(err, MGC_E_IO, "size of '%s': not a regular file", path);
    *ret_bytes = (uint64_t)facts.nFileSizeHigh << 32 | facts.nFileSizeLow;
    return true;
}

bool mgc_file_changed(const char *path, int64_t *ret_wall_ns, struct mgc_error *err)
{
    WIN32_FILE_ATTRIBUTE_DATA facts;
    if (!read_facts(path, "time of", &facts, err))
        return false;
    int64_t units = (int64_t)((uint64_t)facts.ftLastWriteTime.dwHighDateTime << 32 |
                              facts.ftLastWriteTime.dwLowDateTime);
    *ret_wall_ns = (units - INT64_C(116444736000000000)) * 100; /* a FILETIME counts from 1601 */
    return true;
}

/* ---- remove ---- */

static DWORD remove_wide(const uint16_t *path)
{
    if (DeleteFileW(path))
        return ERROR_SUCCESS;
    DWORD error = GetLastError();
    DWORD attributes = GetFileAttributesW(path);
    if (error != ERROR_ACCESS_DENIED || attributes == INVALID_FILE_ATTRIBUTES ||
        !(attributes & FILE_ATTRIBUTE_READONLY))
        return error;
    /* As on other systems, read-only protects the content, not the name. */
    SetFileAttributesW(path, FILE_ATTRIBUTE_NORMAL);
    return DeleteFileW(path) ? ERROR_SUCCESS : GetLastError();
}

bool mgc_file_remove(const char *path, struct mgc_error *err)
{
    uint16_t *wide = mgc_win_path(path, "remove", err);
    if (!wide)
        return false;
    DWORD error = remove_wide(wide);
    for (int i = 0; i < HELD_TRIES && error && may_pass(wide, error); i++) {
        mgc_sleep_ms(HELD_PAUSE_MS);
        error = remove_wide(wide);
    }
    free(wide);
    return !error || is_absent(error) || mgc_win_error(err, error, "remove '%s'", path);
}
