#include "common/base/ticks.h"

#include <pthread.h>
#include <windows.h>

#ifndef CREATE_WAITABLE_TIMER_HIGH_RESOLUTION /* of Windows 10 1803; not in mingw's headers yet */
#define CREATE_WAITABLE_TIMER_HIGH_RESOLUTION 2
#endif

/* Windows counts time in units of 100 ns; a FILETIME counts them from 1601. */
enum { NS_PER_UNIT = 100, NS_PER_MS = 1000000, UNITS_PER_S = 10000000 };
static const int64_t units_1601_to_1970 = INT64_C(116444736000000000);

typedef VOID WINAPI read_units_fn(ULONGLONG *ret_units);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static read_units_fn *read_mono, *read_boot;

/* QueryPerformanceCounter goes on while a machine sleeps, so it is neither of our two clocks on
 * Windows. Wine 8 has no other, and on Linux it does not go on. */
static VOID WINAPI read_counter(ULONGLONG *ret_units)
{
    LARGE_INTEGER count, frequency;
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&count);
    ULONGLONG seconds = (ULONGLONG)(count.QuadPart / frequency.QuadPart);
    ULONGLONG rest = (ULONGLONG)(count.QuadPart % frequency.QuadPart);
    *ret_units = seconds * UNITS_PER_S + rest * UNITS_PER_S / (ULONGLONG)frequency.QuadPart;
}

/* Windows 10 has both; looked up, because a program that imports what Wine lacks does not start. */
static void find_clocks(void)
{
    HMODULE base = GetModuleHandleW(L"kernelbase.dll");
    read_mono = (read_units_fn *)(void *)GetProcAddress(base, "QueryUnbiasedInterruptTimePrecise");
    read_boot = (read_units_fn *)(void *)GetProcAddress(base, "QueryInterruptTimePrecise");
    if (!read_mono || !read_boot)
        read_mono = read_boot = read_counter;
}

int64_t mgc_ticks_mono_ns(void)
{
    ULONGLONG units;
    pthread_once(&once, find_clocks);
    read_mono(&units);
    return (int64_t)units * NS_PER_UNIT;
}

int64_t mgc_ticks_boot_ns(void)
{
    ULONGLONG units;
    pthread_once(&once, find_clocks);
    read_boot(&units);
    return (int64_t)units * NS_PER_UNIT;
}

int64_t mgc_ticks_wall_ns(void)
{
    FILETIME time;
    GetSystemTimePreciseAsFileTime(&time);
    int64_t units = (int64_t)((uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime);
    return (units - units_1601_to_1970) * NS_PER_UNIT;
}

/* Sleep() rounds up to the next tick of 15.6 ms. Windows before 10 1803 has only timers
 * that do so too. */
void mgc_ticks_sleep(int64_t ns)
{
    LARGE_INTEGER due = {.QuadPart = -((ns + NS_PER_UNIT - 1) / NS_PER_UNIT)};
    HANDLE timer =
        CreateWaitableTimerExW(NULL, NULL, CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, TIMER_ALL_ACCESS);
    if (!timer)
        timer = CreateWaitableTimerExW(NULL, NULL, 0, TIMER_ALL_ACCESS);
    if (timer && SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE))
        WaitForSingleObject(timer, INFINITE);
    else
        Sleep((DWORD)(ns / NS_PER_MS % 1000) + 1); /* the caller looks at the clock again */
    if (timer)
        CloseHandle(timer);
}
