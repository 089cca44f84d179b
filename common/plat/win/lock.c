/* The lock of file.h. Windows ends it with the handle, so also when the process is gone. Its locks
 * keep others from reading what is locked; so it lies on a byte far behind the text. */
#include "common/plat/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "common/plat/win/error.h"
#include "common/plat/win/wide.h"

enum { LOCKED_OFFSET_HIGH = 1 }; /* 4 GiB */

static bool busy_error(HANDLE file, const char *path, struct mgc_error *err)
{
    char pid[24] = "";
    DWORD got = 0;
    if (ReadFile(file, pid, sizeof(pid) - 1, &got, NULL))
        pid[got] = '\0';
    pid[strspn(pid, "0123456789")] = '\0';
    if (!pid[0])
        return mgc_error_set(err, MGC_E_BUSY, "lock '%s' is held by another process", path);
    return mgc_error_set(err, MGC_E_BUSY, "lock '%s' is held by process %s", path, pid);
}

static DWORD write_text(HANDLE file, const char *text, size_t len)
{
    DWORD put;
    LARGE_INTEGER start = {.QuadPart = 0};
    if (SetFilePointerEx(file, start, NULL, FILE_BEGIN) && SetEndOfFile(file) &&
        WriteFile(file, text, (DWORD)len, &put, NULL))
        return ERROR_SUCCESS;
    return GetLastError();
}

static DWORD write_pid(HANDLE file)
{
    char pid[24];
    int len = snprintf(pid, sizeof(pid), "%lu\n", (unsigned long)GetCurrentProcessId());
    return write_text(file, pid, (size_t)len);
}

static HANDLE open_lock(const char *path, DWORD flags, struct mgc_error *err)
{
    uint16_t *wide = mgc_win_path(path, "lock", err);
    if (!wide)
        return INVALID_HANDLE_VALUE;
    HANDLE file = CreateFileW(wide, GENERIC_READ | GENERIC_WRITE,
        FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL | flags, NULL);
    DWORD error = GetLastError();
    free(wide);
    if (file == INVALID_HANDLE_VALUE)
        mgc_win_error(err, error, "lock '%s'", path);
    return file;
}

/* Takes over file. */
static bool lock_open_file(
    struct mgc_lock *lock, HANDLE file, const char *path, struct mgc_error *err)
{
    OVERLAPPED where = {.OffsetHigh = LOCKED_OFFSET_HIGH};
    DWORD error = ERROR_SUCCESS;
    if (!LockFileEx(file, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &where))
        error = GetLastError();
    if (error == ERROR_LOCK_VIOLATION || error == ERROR_IO_PENDING) {
        busy_error(file, path, err);
    } else {
        if (!error)
            error = write_pid(file);
        if (!error) {
            lock->handle = (intptr_t)file;
            return true;
        }
        mgc_win_error(err, error, "lock '%s'", path);
    }
    CloseHandle(file);
    return false;
}

bool mgc_lock_take(struct mgc_lock *lock, const char *path, struct mgc_error *err)
{
    HANDLE file = open_lock(path, 0, err);
    return file != INVALID_HANDLE_VALUE && lock_open_file(lock, file, path, err);
}

/* Who may open the file is said by the directory's list, see mgc_host_lock_dir. */
bool mgc_lock_take_public(struct mgc_lock *lock, const char *path, struct mgc_error *err)
{
    BY_HANDLE_FILE_INFORMATION info;
    HANDLE file = open_lock(path, FILE_FLAG_OPEN_REPARSE_POINT, err);
    if (file == INVALID_HANDLE_VALUE)
        return false;
    if (GetFileInformationByHandle(file, &info) &&
        !(info.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT))
        return lock_open_file(lock, file, path, err);
    CloseHandle(file);
    return mgc_error_set(err, MGC_E_DENIED, "lock '%s': it is a link", path);
}

bool mgc_lock_note(const struct mgc_lock *lock, const char *text, struct mgc_error *err)
{
    struct mgc_buf content = {0};
    if (*text)
        mgc_buf_printf(&content, "%lu\n%s", (unsigned long)GetCurrentProcessId(), text);
    DWORD error = mgc_buf_ok(&content)
                      ? write_text((HANDLE)lock->handle, mgc_buf_text(&content), content.len)
                      : ERROR_OUTOFMEMORY;
    mgc_buf_destroy(&content);
    return !error || mgc_win_error(err, error, "write a note into a lock file");
}

void mgc_lock_release(struct mgc_lock *lock)
{
    if (!lock || lock->handle < 0)
        return;
    CloseHandle((HANDLE)lock->handle);
    lock->handle = -1;
}
