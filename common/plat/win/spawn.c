#include "common/plat/win/spawn.h"

#include <assert.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/utf16.h"
#include "common/plat/win/error.h"
#include "common/plat/win/find.h"
#include "common/plat/win/quote.h"
#include "common/plat/win/stop.h"
#include "common/plat/win/wide.h"

enum { IN_STREAM, OUT_STREAM, ERR_STREAM, STREAM_COUNT };

/* Everything that CreateProcessW needs. All owned. */
struct launch {
    const struct mgc_process_spec *spec; /* borrowed */
    uint16_t *program, *line, *environment, *cwd;
    HANDLE streams[STREAM_COUNT]; /* inheritable; NULL: none */
    HANDLE pipe_read;
    PPROC_THREAD_ATTRIBUTE_LIST attributes;
};

/* ---- its words ---- */

static bool make_line(struct launch *launch, struct mgc_error *err)
{
    struct mgc_buf line = {0};
    if (mgc_win_command_line(&line, launch->spec->argv, err))
        launch->line = mgc_win_text(mgc_buf_text(&line), "start", err);
    mgc_buf_destroy(&line);
    return launch->line != NULL;
}

/* Strings one after the other, an empty one at the end, from UTF-8 to UTF-16. */
static uint16_t *wide_block(const struct mgc_buf *block)
{
    uint16_t *out = calloc(block->len + 1, sizeof(*out));
    size_t at = 0;
    for (size_t i = 0; out && i < block->len; i += strlen(block->data + i) + 1) {
        size_t units = 0;
        uint16_t *wide = mgc_utf16_from_utf8(block->data + i, &units);
        if (!wide) {
            free(out);
            return NULL;
        }
        memcpy(out + at, wide, (units + 1) * sizeof(*out));
        at += units + 1;
        free(wide);
    }
    return out;
}

/* Our own environment as a list; names that are no text cannot be handed on. Free it with
 * free_list. */
static char **own_environment(void)
{
    size_t count = 0;
    wchar_t *all = GetEnvironmentStringsW();
    for (const wchar_t *p = all; p && *p; p += wcslen(p) + 1)
        count++;
    char **list = all ? calloc(count + 1, sizeof(*list)) : NULL;
    size_t kept = 0;
    for (const wchar_t *p = all; list && *p; p += wcslen(p) + 1) {
        list[kept] = mgc_utf8_from_utf16(p, NULL);
        kept += list[kept] != NULL;
    }
    if (all)
        FreeEnvironmentStringsW(all);
    return list;
}

static void free_list(char **list)
{
    for (size_t i = 0; list && list[i]; i++)
        free(list[i]);
    free(list);
}

static bool make_environment(struct launch *launch, const char *stop_event, struct mgc_error *err)
{
    char more[128];
    struct mgc_buf block = {0};
    char **own = launch->spec->env ? NULL : own_environment();
    const char *const *env = launch->spec->env ? launch->spec->env : (const char *const *)own;
    snprintf(more, sizeof(more), "%s=%s", MGC_WIN_STOP_VARIABLE, stop_event);
    bool ok = env || mgc_error_set(err, MGC_E_NO_MEMORY, "environment: out of memory");
    ok = ok && mgc_win_environment(&block, env, more, err);
    if (ok) {
        launch->environment = wide_block(&block);
        ok = launch->environment ||
             mgc_error_set(err, MGC_E_USAGE, "environment: an entry is not UTF-8");
    }
    mgc_buf_destroy(&block);
    free_list(own);
    return ok || mgc_error_prefix(err, "start '%s'", launch->spec->argv[0]);
}

/* ---- its streams ---- */

static SECURITY_ATTRIBUTES inheritable = {.nLength = sizeof(inheritable), .bInheritHandle = TRUE};

static HANDLE open_stream(const char *path, DWORD access, const char *what, struct mgc_error *err)
{
    uint16_t *wide = path ? mgc_win_path(path, what, err) : mgc_win_text("NUL", what, err);
    if (!wide)
        return NULL;
    HANDLE file = CreateFileW(wide, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
        &inheritable, path ? CREATE_ALWAYS : OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
    DWORD error = GetLastError();
    free(wide);
    if (file != INVALID_HANDLE_VALUE)
        return file;
    mgc_win_error(err, error, "%s: open '%s'", what, path ? path : "NUL");
    return NULL;
}

/* A copy of a handle of ours that the child may inherit. */
static HANDLE inherited_copy(HANDLE handle)
{
    HANDLE copy = NULL, self = GetCurrentProcess();
    if (!handle || handle == INVALID_HANDLE_VALUE)
        return NULL;
    return DuplicateHandle(self, handle, self, &copy, 0, TRUE, DUPLICATE_SAME_ACCESS) ? copy : NULL;
}

static bool share_streams(struct launch *launch)
{
    static const DWORD names[] = {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
    for (int i = 0; i < STREAM_COUNT; i++) /* a service has none: then the child has none */
        launch->streams[i] = inherited_copy(GetStdHandle(names[i]));
    return true;
}

static bool open_output(struct launch *launch, const char *what, struct mgc_error *err)
{
    if (!launch->spec->stdout_pipe) {
        launch->streams[OUT_STREAM] =
            open_stream(launch->spec->stdout_path, GENERIC_WRITE, what, err);
        return launch->streams[OUT_STREAM] != NULL;
    }
    return (CreatePipe(&launch->pipe_read, &launch->streams[OUT_STREAM], &inheritable, 0) &&
               SetHandleInformation(launch->pipe_read, HANDLE_FLAG_INHERIT, 0)) ||
           mgc_win_error(err, GetLastError(), "%s: make a pipe", what);
}

static bool open_streams(struct launch *launch, struct mgc_error *err)
{
    const struct mgc_process_spec *spec = launch->spec;
    char what[300];
    snprintf(what, sizeof(what), "start '%.200s'", spec->argv[0]);
    if (spec->inherit_stdio)
        return share_streams(launch);
    launch->streams[IN_STREAM] = open_stream(NULL, GENERIC_READ, what, err);
    if (!launch->streams[IN_STREAM] || !open_output(launch, what, err))
        return false;
    bool shared = !spec->stdout_pipe && spec->stdout_path && spec->stderr_path &&
                  strcmp(spec->stdout_path, spec->stderr_path) == 0;
    launch->streams[ERR_STREAM] = shared ? inherited_copy(launch->streams[OUT_STREAM])
                                         : open_stream(spec->stderr_path, GENERIC_WRITE, what, err);
    return launch->streams[ERR_STREAM] != NULL ||
           (shared && mgc_win_error(err, GetLastError(), "%s: share a file", what));
}

/* Without this list a child gets every inheritable handle of the process, those of other children
 * that another thread starts at this moment included. */
static bool list_handles(struct launch *launch, HANDLE handles[STREAM_COUNT], struct mgc_error *err)
{
    SIZE_T size = 0;
    DWORD count = 0;
    for (int i = 0; i < STREAM_COUNT; i++) {
        if (launch->streams[i])
            handles[count++] = launch->streams[i];
    }
    InitializeProcThreadAttributeList(NULL, 1, 0, &size);
    PPROC_THREAD_ATTRIBUTE_LIST list = malloc(size);
    if (!list || !InitializeProcThreadAttributeList(list, 1, 0, &size)) {
        free(list);
        return mgc_error_set(err, MGC_E_NO_MEMORY, "start a program: out of memory");
    }
    launch->attributes = list;
    return count == 0 ||
           UpdateProcThreadAttribute(list, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles,
               count * sizeof(*handles), NULL, NULL) ||
           mgc_win_error(
               err, GetLastError(), "start '%s': list its handles", launch->spec->argv[0]);
}

/* ---- the start ---- */

static bool create(struct launch *launch, PROCESS_INFORMATION *ret_made, struct mgc_error *err)
{
    HANDLE handles[STREAM_COUNT];
    if (!list_handles(launch, handles, err))
        return false;
    STARTUPINFOEXW info = {.StartupInfo = {.cb = sizeof(info), .dwFlags = STARTF_USESTDHANDLES}};
    info.StartupInfo.hStdInput = launch->streams[IN_STREAM];
    info.StartupInfo.hStdOutput = launch->streams[OUT_STREAM];
    info.StartupInfo.hStdError = launch->streams[ERR_STREAM];
    info.lpAttributeList = launch->attributes;
    /* A group of its own: Ctrl-C in our console is for us, we then stop the child. */
    DWORD flags = CREATE_SUSPENDED | CREATE_UNICODE_ENVIRONMENT | EXTENDED_STARTUPINFO_PRESENT |
                  CREATE_NEW_PROCESS_GROUP | (launch->spec->inherit_stdio ? 0 : CREATE_NO_WINDOW);
    if (CreateProcessW(launch->program, launch->line, NULL, NULL, TRUE, flags, launch->environment,
            launch->cwd, &info.StartupInfo, ret_made))
        return true;
    return mgc_win_error(err, GetLastError(), "start '%s'%s%s", launch->spec->argv[0],
        launch->spec->cwd ? " in " : "", launch->spec->cwd ? launch->spec->cwd : "");
}

/* Suspended until it is in the job, so that nothing it starts can be outside. */
static bool enter_job(
    const struct launch *launch, PROCESS_INFORMATION *made, HANDLE job, struct mgc_error *err)
{
    bool ok =
        (AssignProcessToJobObject(job, made->hProcess) &&
            ResumeThread(made->hThread) != (DWORD)-1) ||
        mgc_win_error(err, GetLastError(), "start '%s': put it into a job", launch->spec->argv[0]);
    CloseHandle(made->hThread);
    if (ok)
        return true;
    TerminateProcess(made->hProcess, 1);
    CloseHandle(made->hProcess);
    return false;
}

static bool take_pipe(struct launch *launch, int *ret_fd, struct mgc_error *err)
{
    *ret_fd = -1;
    if (!launch->pipe_read)
        return true;
    *ret_fd = _open_osfhandle((intptr_t)launch->pipe_read, _O_RDONLY | _O_BINARY | _O_NOINHERIT);
    if (*ret_fd < 0)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "start '%s': no descriptor is left for its pipe",
            launch->spec->argv[0]);
    launch->pipe_read = NULL; /* the descriptor owns it */
    return true;
}

static bool prepare(struct launch *launch, const char *stop_event, struct mgc_error *err)
{
    const struct mgc_process_spec *spec = launch->spec;
    const char *name = spec->argv[0];
    if (spec->file_size_max)
        return mgc_error_set(
            err, MGC_E_UNSUPPORTED, "start '%s': Windows cannot limit the size of its files", name);
    launch->program = mgc_win_find_program(name, err);
    if (!launch->program || !make_line(launch, err) || !make_environment(launch, stop_event, err))
        return false;
    /* Not in the extended form, which a working directory cannot have. */
    if (spec->cwd && !(launch->cwd = mgc_win_text(spec->cwd, "start in", err)))
        return false;
    return open_streams(launch, err);
}

static void launch_destroy(struct launch *launch)
{
    for (int i = 0; i < STREAM_COUNT; i++) {
        if (launch->streams[i])
            CloseHandle(launch->streams[i]);
    }
    if (launch->pipe_read)
        CloseHandle(launch->pipe_read);
    if (launch->attributes)
        DeleteProcThreadAttributeList(launch->attributes);
    free(launch->attributes);
    free(launch->program);
    free(launch->line);
    free(launch->environment);
    free(launch->cwd);
}

bool mgc_win_spawn(const struct mgc_process_spec *spec, HANDLE job, const char *stop_event,
    struct mgc_win_child *ret_child, struct mgc_error *err)
{
    assert(spec->argv && spec->argv[0]);
    struct launch launch = {.spec = spec};
    PROCESS_INFORMATION made;
    int stdout_fd = -1;
    bool ok = prepare(&launch, stop_event, err) && take_pipe(&launch, &stdout_fd, err) &&
              create(&launch, &made, err) && enter_job(&launch, &made, job, err);
    launch_destroy(&launch);
    if (!ok) {
        if (stdout_fd >= 0)
            _close(stdout_fd);
        return false;
    }
    *ret_child = (struct mgc_win_child){
        .process = made.hProcess, .pid = made.dwProcessId, .stdout_fd = stdout_fd};
    return true;
}
