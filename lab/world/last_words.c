#include "lab/world/last_words.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

const char *mgc_lab_last_words(const char *log_path, char *buf, size_t size)
{
    int fd = open(log_path, O_RDONLY | O_CLOEXEC);
    off_t end = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
    off_t from = end > (off_t)size - 1 ? end - (off_t)size + 1 : 0;
    ssize_t n = fd >= 0 ? pread(fd, buf, size - 1, from) : 0;
    if (fd >= 0)
        close(fd);
    while (n > 0 && buf[n - 1] == '\n')
        n--;
    if (n <= 0)
        return "its log is empty";
    buf[n] = '\0';
    const char *line = strrchr(buf, '\n');
    return line != NULL ? line + 1 : buf;
}
