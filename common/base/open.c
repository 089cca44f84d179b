#include "common/base/open.h"

#ifdef _WIN32

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <windows.h>

#include "common/base/winpath.h"

static int errno_of(DWORD error)
{
    switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
        return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
        return EACCES;
    case ERROR_DISK_FULL:
        return ENOSPC;
    default:
        return EIO;
    }
}

static FILE *stream_of(HANDLE handle, int flags, const char *mode)
{
    int fd = _open_osfhandle((intptr_t)handle, flags | _O_BINARY | _O_NOINHERIT);
    FILE *file = fd < 0 ? NULL : _fdopen(fd, mode);
    if (file)
        return file;
    if (fd >= 0)
        _close(fd);
    else
        CloseHandle(handle);
    errno = EMFILE;
    return NULL;
}

static FILE *open_as(const char *path, DWORD access, DWORD creation, int flags, const char *mode)
{
    uint16_t *wide = mgc_winpath_new(path);
    if (!wide)
        return NULL;
    HANDLE handle =
        CreateFileW(wide, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
            creation, FILE_ATTRIBUTE_NORMAL, NULL);
    DWORD error = GetLastError();
    free(wide);
    if (handle != INVALID_HANDLE_VALUE)
        return stream_of(handle, flags, mode);
    errno = errno_of(error);
    return NULL;
}

FILE *mgc_open_read(const char *path)
{
    return open_as(path, GENERIC_READ, OPEN_EXISTING, _O_RDONLY, "rb");
}

FILE *mgc_open_write(const char *path)
{
    return open_as(path, GENERIC_WRITE, CREATE_ALWAYS, _O_WRONLY, "wb");
}

#else

FILE *mgc_open_read(const char *path)
{
    return fopen(path, "rbe");
}

FILE *mgc_open_write(const char *path)
{
    return fopen(path, "wbe");
}

#endif
