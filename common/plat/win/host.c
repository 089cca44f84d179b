#include "common/plat/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>
#include <sddl.h>
#include <winternl.h>

#include "common/base/path.h"
#include "common/plat/file.h"
#include "common/plat/win/error.h"
#include "common/plat/win/wide.h"

enum { WIDE_MAX = 32768 }; /* longest path and longest variable of Windows */

/* Both are in ntdll and in the driver kit's documentation, not in mingw's headers. */
NTSTATUS NTAPI RtlGetVersion(OSVERSIONINFOW *version);

struct time_of_day {
    LARGE_INTEGER boot, now, zone_bias;
    ULONG zone_id, reserved;
    ULONGLONG boot_bias, sleep_bias;
};

/* RtlGetVersion tells the truth; GetVersionEx tells programs without a manifest of Windows 8. */
static void read_system(char *ret_text, size_t size)
{
    OSVERSIONINFOW version = {.dwOSVersionInfoSize = sizeof(version)};
    RtlGetVersion(&version);
    snprintf(ret_text, size, "Windows %lu.%lu.%lu", version.dwMajorVersion, version.dwMinorVersion,
        version.dwBuildNumber);
}

static const char *architecture(void)
{
    SYSTEM_INFO info;
    GetNativeSystemInfo(&info);
    switch (info.wProcessorArchitecture) {
    case PROCESSOR_ARCHITECTURE_AMD64:
        return "x86_64";
    case PROCESSOR_ARCHITECTURE_ARM64:
        return "aarch64";
    case PROCESSOR_ARCHITECTURE_INTEL:
        return "x86";
    default:
        return "unknown";
    }
}

/* Windows numbers no boots for programs, but it knows when it booted. When somebody sets the clock
 * it moves that time and counts the move in boot_bias, so the difference is one boot's own. */
static void read_boot_id(char *ret_text, size_t size)
{
    struct time_of_day info = {0};
    ULONG got = 0;
    ret_text[0] = '\0';
    NTSTATUS status =
        NtQuerySystemInformation(SystemTimeOfDayInformation, &info, (ULONG)sizeof(info), &got);
    if (status == 0 && got >= offsetof(struct time_of_day, sleep_bias) && info.boot.QuadPart)
        snprintf(ret_text, size, "boot-%016llx",
            (unsigned long long)info.boot.QuadPart - info.boot_bias);
}

bool mgc_host_read(struct mgc_host *ret_host, struct mgc_error *err)
{
    struct mgc_host host = {0};
    wchar_t name[64];
    DWORD size = 64;
    MEMORYSTATUSEX memory = {.dwLength = sizeof(memory)};
    if (!GetComputerNameExW(ComputerNamePhysicalDnsHostname, name, &size) ||
        !mgc_win_narrow(name, host.name, sizeof(host.name)))
        return mgc_win_error(err, GetLastError(), "read the host's name");
    if (!GlobalMemoryStatusEx(&memory))
        return mgc_win_error(err, GetLastError(), "read the host's memory");
    read_system(host.os, sizeof(host.os));
    snprintf(host.arch, sizeof(host.arch), "%s", architecture());
    read_boot_id(host.boot_id, sizeof(host.boot_id));
    host.cpus = (int)GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    host.memory_bytes = (int64_t)memory.ullTotalPhys;
    *ret_host = host;
    return true;
}

static uint64_t ticks(const FILETIME *time)
{
    return (uint64_t)time->dwHighDateTime << 32 | time->dwLowDateTime;
}

/* Of all CPUs together, in ticks of 100 ns since the boot; the kernel's time includes the idle. */
static bool read_times(uint64_t *ret_busy, uint64_t *ret_all, struct mgc_error *err)
{
    FILETIME idle, kernel, user;
    if (!GetSystemTimes(&idle, &kernel, &user))
        return mgc_win_error(err, GetLastError(), "read the times of the CPUs");
    *ret_all = ticks(&kernel) + ticks(&user);
    *ret_busy = *ret_all - ticks(&idle);
    return true;
}

bool mgc_host_load(double *ret_load, struct mgc_error *err)
{
    uint64_t busy, all, busy_then, all_then;
    if (!read_times(&busy_then, &all_then, err))
        return false;
    Sleep(MGC_HOST_LOAD_MS);
    if (!read_times(&busy, &all, err))
        return false;
    if (all <= all_then)
        return mgc_error_set(err, MGC_E_NOT_FOUND, "the times of the CPUs stand still");
    *ret_load = (double)(busy - busy_then) / (double)(all - all_then) *
                GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    return true;
}

/* "<value of the variable>/mgcoord" */
static bool below_variable(
    const wchar_t *name, const char *what, char *ret_path, size_t size, struct mgc_error *err)
{
    char base[MGC_PATH_MAX];
    wchar_t *value = calloc(WIDE_MAX, sizeof(*value));
    DWORD len = value ? GetEnvironmentVariableW(name, value, WIDE_MAX) : 0;
    bool ok = len && len < WIDE_MAX && mgc_win_narrow(value, base, sizeof(base));
    free(value);
    if (!ok)
        return mgc_error_set(err, MGC_E_NOT_FOUND, "no directory for %s is not set", what);
    return mgc_path_join(ret_path, size, base, "mgcoord") ||
           mgc_error_set(err, MGC_E_FAILED, "directory '%.80s...' is too long", base);
}

bool mgc_host_state_dir(char *ret_path, unsigned long size, struct mgc_error *err)
{
    return below_variable(
        L"LOCALAPPDATA", "this user's data: the variable LOCALAPPDATA", ret_path, size, err);
}

/* Made with a list of its own: all users may add files and open each other's, none may remove one
 * of another and make a second of that name; SYSTEM and administrators may do everything. What
 * %ProgramData% hands down would let nobody write to another user's file. */
static bool make_public(const char *path, struct mgc_error *err)
{
    static const wchar_t access[] = L"D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FRFWFX;;;BU)";
    SECURITY_ATTRIBUTES attributes = {.nLength = sizeof(attributes)};
    uint16_t *wide = mgc_win_path(path, "make directory", err);
    DWORD error = ERROR_SUCCESS;
    if (!wide)
        return false;
    if (!ConvertStringSecurityDescriptorToSecurityDescriptorW(
            access, SDDL_REVISION_1, &attributes.lpSecurityDescriptor, NULL) ||
        !CreateDirectoryW(wide, &attributes))
        error = GetLastError();
    LocalFree(attributes.lpSecurityDescriptor);
    free(wide);
    return !error || error == ERROR_ALREADY_EXISTS ||
           mgc_win_error(err, error, "make directory '%s'", path);
}

bool mgc_host_lock_dir(char *ret_path, unsigned long size, struct mgc_error *err)
{
    char base[MGC_PATH_MAX];
    return below_variable(
               L"ProgramData", "locks: the variable ProgramData", base, sizeof(base), err) &&
           mgc_dir_make(base, 0777, err) &&
           (mgc_path_join(ret_path, size, base, "locks") ||
               mgc_error_set(err, MGC_E_FAILED, "directory '%.80s...' is too long", base)) &&
           make_public(ret_path, err);
}

bool mgc_host_program(char *ret_path, unsigned long size, struct mgc_error *err)
{
    wchar_t *path = calloc(WIDE_MAX, sizeof(*path));
    DWORD len = path ? GetModuleFileNameW(NULL, path, WIDE_MAX) : 0;
    DWORD error = GetLastError();
    bool fits = len && len < WIDE_MAX && mgc_win_narrow(path, ret_path, size);
    free(path);
    if (!len)
        return mgc_win_error(err, error, "find the running program");
    return fits || mgc_error_set(err, MGC_E_FAILED, "path of the running program is too long");
}
