#include "common/device/errnum.h"

#include <stdio.h>

/* asm-generic/errno-base.h and errno.h, which x86_64, arm and aarch64 share. */
static const struct {
    int errnum;
    const char *name;
    enum mgc_code code;
} rows[] = {
    {1, "EPERM", MGC_E_DENIED},
    {2, "ENOENT", MGC_E_NOT_FOUND},
    {3, "ESRCH", MGC_E_NOT_FOUND},
    {4, "EINTR", MGC_E_IO},
    {5, "EIO", MGC_E_IO},
    {9, "EBADF", MGC_E_IO},
    {11, "EAGAIN", MGC_E_IO},
    {12, "ENOMEM", MGC_E_NO_MEMORY},
    {13, "EACCES", MGC_E_DENIED},
    {16, "EBUSY", MGC_E_BUSY},
    {17, "EEXIST", MGC_E_EXISTS},
    {18, "EXDEV", MGC_E_IO},
    {19, "ENODEV", MGC_E_NOT_FOUND},
    {20, "ENOTDIR", MGC_E_NOT_FOUND},
    {21, "EISDIR", MGC_E_IO},
    {22, "EINVAL", MGC_E_IO},
    {23, "ENFILE", MGC_E_NO_MEMORY},
    {24, "EMFILE", MGC_E_NO_MEMORY},
    {26, "ETXTBSY", MGC_E_BUSY},
    {27, "EFBIG", MGC_E_NO_SPACE},
    {28, "ENOSPC", MGC_E_NO_SPACE},
    {30, "EROFS", MGC_E_DENIED},
    {36, "ENAMETOOLONG", MGC_E_USAGE},
    {38, "ENOSYS", MGC_E_UNSUPPORTED},
    {39, "ENOTEMPTY", MGC_E_EXISTS},
    {40, "ELOOP", MGC_E_DENIED},
    {75, "EOVERFLOW", MGC_E_IO},
    {95, "EOPNOTSUPP", MGC_E_UNSUPPORTED},
    {116, "ESTALE", MGC_E_LOST},
    {122, "EDQUOT", MGC_E_NO_SPACE},
};

const char *mgc_device_errnum_name(int errnum)
{
    static _Thread_local char text[24];
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].errnum == errnum)
            return rows[i].name;
    snprintf(text, sizeof(text), "errno %d", errnum);
    return text;
}

enum mgc_code mgc_device_errnum_code(int errnum)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].errnum == errnum)
            return rows[i].code;
    return MGC_E_IO;
}
