#include "common/plat/win/codes.h"

#include <stddef.h>

static const struct {
    uint32_t error;
    enum mgc_code code;
} table[] = {
    {0, MGC_OK}, {2, MGC_E_NOT_FOUND}, /* ERROR_FILE_NOT_FOUND */
    {3, MGC_E_NOT_FOUND},              /* ERROR_PATH_NOT_FOUND */
    {5, MGC_E_DENIED},                 /* ERROR_ACCESS_DENIED */
    {8, MGC_E_NO_MEMORY},              /* ERROR_NOT_ENOUGH_MEMORY */
    {14, MGC_E_NO_MEMORY},             /* ERROR_OUTOFMEMORY */
    {15, MGC_E_NOT_FOUND},             /* ERROR_INVALID_DRIVE */
    {19, MGC_E_DENIED},                /* ERROR_WRITE_PROTECT */
    {32, MGC_E_BUSY},                  /* ERROR_SHARING_VIOLATION */
    {33, MGC_E_BUSY},                  /* ERROR_LOCK_VIOLATION */
    {39, MGC_E_NO_SPACE},              /* ERROR_HANDLE_DISK_FULL */
    {50, MGC_E_UNSUPPORTED},           /* ERROR_NOT_SUPPORTED */
    {53, MGC_E_NOT_FOUND},             /* ERROR_BAD_NETPATH */
    {80, MGC_E_EXISTS},                /* ERROR_FILE_EXISTS */
    {87, MGC_E_NOT_FOUND},      /* ERROR_INVALID_PARAMETER: OpenProcess says it of a dead pid */
    {109, MGC_E_LOST},          /* ERROR_BROKEN_PIPE */
    {112, MGC_E_NO_SPACE},      /* ERROR_DISK_FULL */
    {123, MGC_E_NOT_FOUND},     /* ERROR_INVALID_NAME */
    {183, MGC_E_EXISTS},        /* ERROR_ALREADY_EXISTS */
    {232, MGC_E_LOST},          /* ERROR_NO_DATA: a pipe is being closed */
    {267, MGC_E_NOT_FOUND},     /* ERROR_DIRECTORY: a working directory that is none */
    {995, MGC_E_CANCELLED},     /* ERROR_OPERATION_ABORTED */
    {1295, MGC_E_NO_SPACE},     /* ERROR_DISK_QUOTA_EXCEEDED */
    {10013, MGC_E_DENIED},      /* WSAEACCES */
    {10048, MGC_E_BUSY},        /* WSAEADDRINUSE */
    {10049, MGC_E_UNREACHABLE}, /* WSAEADDRNOTAVAIL */
    {10050, MGC_E_UNREACHABLE}, /* WSAENETDOWN */
    {10051, MGC_E_UNREACHABLE}, /* WSAENETUNREACH */
    {10052, MGC_E_LOST},        /* WSAENETRESET */
    {10053, MGC_E_LOST},        /* WSAECONNABORTED */
    {10054, MGC_E_LOST},        /* WSAECONNRESET */
    {10055, MGC_E_NO_MEMORY},   /* WSAENOBUFS */
    {10060, MGC_E_TIMEOUT},     /* WSAETIMEDOUT */
    {10061, MGC_E_REFUSED},     /* WSAECONNREFUSED */
    {10065, MGC_E_UNREACHABLE}, /* WSAEHOSTUNREACH */
};

enum mgc_code mgc_win_code(uint32_t error)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (table[i].error == error)
            return table[i].code;
    }
    return MGC_E_IO;
}
