#include "common/plat/process.h"

#include <io.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "common/base/clock.h"
#include "common/plat/win/error.h"
#include "common/plat/win/job.h"
#include "common/plat/win/spawn.h"
#include "common/plat/win/wide.h"

enum { KILL_WAIT_MS = 5000, SIGKILL_NUMBER = 9 };

/* Our handle keeps the ended child's number from being given to others, and its exit code. */
struct mgc_process {
    HANDLE process, job, stop_event; /* owned */
    DWORD pid;
    int stdout_fd; /* owned; -1 without a pipe */
    bool ended, stopped;
    struct mgc_exit exit; /* valid once ended */
    char name[64];
};

static void close_handle(HANDLE handle)
{
    if (handle)
        CloseHandle(handle);
}

static void destroy(struct mgc_process *process)
{
    if (process->stdout_fd >= 0)
        _close(process->stdout_fd);
    close_handle(process->process);
    close_handle(process->job);
    close_handle(process->stop_event);
    free(process);
}

/* Set by us, seen by the child and by what it starts. */
static bool make_event(
    struct mgc_process *process, char *ret_name, size_t size, struct mgc_error *err)
{
    static atomic_uint turn;
    snprintf(ret_name, size, "Local\\mgc-stop-%lu-%u", (unsigned long)GetCurrentProcessId(),
        atomic_fetch_add(&turn, 1));
    uint16_t *wide = mgc_win_text(ret_name, "event", err);
    if (!wide)
        return false;
    process->stop_event = CreateEventW(NULL, TRUE, FALSE, wide);
    free(wide);
    return process->stop_event ||
           mgc_win_error(err, GetLastError(), "make the event '%s'", ret_name);
}

static bool start(
    struct mgc_process *process, const struct mgc_process_spec *spec, struct mgc_error *err)
{
    char event[64];
    struct mgc_win_child child;
    if (!make_event(process, event, sizeof(event), err))
        return false;
    process->job = mgc_win_job_new(spec->spares_children, err);
    if (!process->job || !mgc_win_spawn(spec, process->job, event, &child, err))
        return false;
    process->process = child.process;
    process->pid = child.pid;
    process->stdout_fd = child.stdout_fd;
    return true;
}

struct mgc_process *mgc_process_start(const struct mgc_process_spec *spec, struct mgc_error *err)
{
    struct mgc_process *process = calloc(1, sizeof(*process));
    if (!process) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "start '%s': out of memory", spec->argv[0]);
        return NULL;
    }
    process->stdout_fd = -1;
    snprintf(process->name, sizeof(process->name), "%s", spec->argv[0]);
    if (start(process, spec, err))
        return process;
    destroy(process);
    return NULL;
}

int64_t mgc_process_pid(const struct mgc_process *process)
{
    return process->pid;
}

int mgc_process_stdout(const struct mgc_process *process)
{
    return process->stdout_fd;
}

int mgc_process_fd(const struct mgc_process *process)
{
    (void)process;
    return -1;
}

static bool collect(struct mgc_process *process, struct mgc_error *err)
{
    DWORD code;
    if (!GetExitCodeProcess(process->process, &code))
        return mgc_win_error(err, GetLastError(), "wait for '%s'", process->name);
    process->exit = (struct mgc_exit){MGC_EXIT_CODE, (int)code};
    if (code == MGC_WIN_KILLED)
        process->exit = (struct mgc_exit){MGC_EXIT_SIGNAL, SIGKILL_NUMBER};
    process->ended = true;
    return true;
}

bool mgc_process_wait(struct mgc_process *process, int64_t deadline_ns, struct mgc_exit *ret_exit,
    struct mgc_error *err)
{
    if (!process->ended) {
        if (!mgc_win_wait_handle(process->process, deadline_ns))
            return mgc_error_set(err, MGC_E_TIMEOUT,
                "wait for '%s' to end: no answer before the deadline", process->name);
        if (!collect(process, err))
            return false;
    }
    if (ret_exit)
        *ret_exit = process->exit;
    return true;
}

void mgc_process_stop(struct mgc_process *process, int64_t grace_ms)
{
    if (process->stopped)
        return;
    SetEvent(process->stop_event);
    if (grace_ms <= 0 || !mgc_win_job_wait(process->job, mgc_deadline_in_ms(grace_ms)))
        mgc_win_job_end(process->job);
    if (!process->ended && mgc_win_wait_handle(process->process, mgc_deadline_in_ms(KILL_WAIT_MS)))
        collect(process, NULL);
    process->stopped = true;
}

void mgc_process_kill_tree(struct mgc_process *process)
{
    TerminateJobObject(process->job, MGC_WIN_KILLED);
}

void mgc_process_free(struct mgc_process *process)
{
    if (!process)
        return;
    mgc_process_stop(process, 0);
    destroy(process);
}

const char *mgc_exit_text(const struct mgc_exit *exit, char *buf, size_t size)
{
    if (exit->kind == MGC_EXIT_SIGNAL)
        snprintf(buf, size, "signal %d (Killed)", exit->value);
    else if (exit->value < 0) /* a system status: 0xC0000005 is an access violation */
        snprintf(buf, size, "exit code 0x%08X", (unsigned)exit->value);
    else
        snprintf(buf, size, "exit code %d", exit->value);
    return buf;
}

/* ---- processes of earlier runs ---- */

/* NULL when there is none, or none that we may open, or it has ended and only handles are left. */
static HANDLE open_living(int64_t pid, DWORD access, uint64_t *ret_ticks)
{
    FILETIME created, ended, kernel, user;
    if (pid <= 0 || pid > UINT32_MAX)
        return NULL;
    HANDLE process =
        OpenProcess(access | SYNCHRONIZE | PROCESS_QUERY_LIMITED_INFORMATION, FALSE, (DWORD)pid);
    if (!process)
        return NULL;
    if (WaitForSingleObject(process, 0) == WAIT_TIMEOUT &&
        GetProcessTimes(process, &created, &ended, &kernel, &user)) {
        *ret_ticks = (uint64_t)created.dwHighDateTime << 32 | created.dwLowDateTime;
        return process;
    }
    CloseHandle(process);
    return NULL;
}

bool mgc_process_start_time(int64_t pid, uint64_t *ret_ticks)
{
    HANDLE process = open_living(pid, 0, ret_ticks);
    close_handle(process);
    return process != NULL;
}

bool mgc_process_kill_stale(
    int64_t pid, uint64_t start_ticks, const char *dir, struct mgc_error *err)
{
    uint64_t ticks = 0;
    HANDLE process = open_living(pid, PROCESS_TERMINATE, &ticks);
    if (!process)
        return true;
    bool ok = true;
    if (ticks == start_ticks) {
        if (!TerminateProcess(process, MGC_WIN_KILLED))
            ok = mgc_win_error(err, GetLastError(), "end stale process %lld", (long long)pid);
        else if (!mgc_win_wait_handle(process, mgc_deadline_in_ms(KILL_WAIT_MS)))
            ok = mgc_error_set(
                err, MGC_E_TIMEOUT, "end stale process %lld: it is still alive", (long long)pid);
    }
    CloseHandle(process);
    return ok;
}
