#include "common/plat/win/job.h"

#include "common/base/clock.h"
#include "common/plat/win/error.h"

enum { MEMBERS_AT_ONCE = 64, KILL_WAIT_MS = 5000 };

HANDLE mgc_win_job_new(bool spares, struct mgc_error *err)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {0};
    limits.BasicLimitInformation.LimitFlags =
        JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | (spares ? JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK : 0);
    HANDLE job = CreateJobObjectW(NULL, NULL);
    if (job &&
        SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof(limits)))
        return job;
    mgc_win_error(err, GetLastError(), "make a job object");
    if (job)
        CloseHandle(job);
    return NULL;
}

bool mgc_win_wait_handle(HANDLE handle, int64_t deadline_ns)
{
    for (;;) {
        int ms = mgc_deadline_poll_ms(deadline_ns);
        DWORD result = WaitForSingleObject(handle, ms < 0 ? INFINITE : (DWORD)ms);
        if (result != WAIT_TIMEOUT)
            return result == WAIT_OBJECT_0;
        if (mgc_deadline_past(deadline_ns))
            return false;
    }
}

/* True when that process has ended, or is no member (its number is somebody else's by now). */
static bool wait_member(HANDLE job, DWORD pid, int64_t deadline_ns)
{
    BOOL member = FALSE;
    HANDLE process = OpenProcess(SYNCHRONIZE | PROCESS_QUERY_LIMITED_INFORMATION, FALSE, pid);
    if (!process)
        return true;
    bool gone = !IsProcessInJob(process, job, &member) || !member ||
                mgc_win_wait_handle(process, deadline_ns);
    CloseHandle(process);
    return gone;
}

bool mgc_win_job_wait(HANDLE job, int64_t deadline_ns)
{
    union {
        JOBOBJECT_BASIC_PROCESS_ID_LIST list;
        char room[sizeof(JOBOBJECT_BASIC_PROCESS_ID_LIST) + MEMBERS_AT_ONCE * sizeof(ULONG_PTR)];
    } members;
    for (;;) {
        members.list.NumberOfProcessIdsInList = 0;
        /* ERROR_MORE_DATA still fills what has room. */
        if (!QueryInformationJobObject(
                job, JobObjectBasicProcessIdList, &members, sizeof(members), NULL) &&
            GetLastError() != ERROR_MORE_DATA)
            return false;
        if (members.list.NumberOfProcessIdsInList == 0)
            return true;
        for (DWORD i = 0; i < members.list.NumberOfProcessIdsInList; i++) {
            if (!wait_member(job, (DWORD)members.list.ProcessIdList[i], deadline_ns))
                return false;
        }
    }
}

bool mgc_win_job_end(HANDLE job)
{
    TerminateJobObject(job, MGC_WIN_KILLED);
    return mgc_win_job_wait(job, mgc_deadline_in_ms(KILL_WAIT_MS));
}
