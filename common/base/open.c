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

FILE *mgc_open_read(const char *path, struct mgc_error *err)
{
    FILE *file = open_as(path, GENERIC_READ, OPEN_EXISTING, _O_RDONLY, "rb");
    if (!file) {
        mgc_error_errno(err, errno, "open '%s'", path);
        return NULL;
    }
    /* A pipe or the console would be read for as long as somebody writes. */
    if (GetFileType((HANDLE)_get_osfhandle(_fileno(file))) == FILE_TYPE_DISK)
        return file;
    fclose(file);
    mgc_error_set(err, MGC_E_IO, "open '%s': not a regular file", path);
    return NULL;
}

FILE *mgc_open_write(const char *path)
{
    return open_as(path, GENERIC_WRITE, CREATE_ALWAYS, _O_WRONLY, "wb");
}

#else

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int mgc_open_regular(const char *path, struct mgc_error *err)
{
    struct stat st;
    /* A FIFO without a writer would hold us here, a terminal would become ours. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &st) != 0)
        mgc_error_errno(err, errno, "open '%s'", path);
    else if (S_ISREG(st.st_mode))
        return fd;
    else
        mgc_error_set(err, MGC_E_IO, "open '%s': %s, expected a regular file", path,
            S_ISDIR(st.st_mode)    ? "a directory"
            : S_ISFIFO(st.st_mode) ? "a FIFO"
                                   : "a device or socket");
    if (fd >= 0)
        close(fd);
    return -1;
}

FILE *mgc_open_read(const char *path, struct mgc_error *err)
{
    int fd = mgc_open_regular(path, err);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "rb");
    if (fd >= 0 && !file) {
        mgc_error_errno(err, errno, "open '%s'", path);
        close(fd);
    }
    return file;
}

FILE *mgc_open_write(const char *path)
{
    return fopen(path, "wbe");
}

#endif
