/* What test_child.c starts: one behaviour per first argument. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#include <windows.h>
#endif

#include "common/base/clock.h"
#include "common/plat/file.h"
#include "common/plat/host.h"
#include "common/plat/net.h"
#include "common/plat/process.h"
#include "common/plat/stop.h"

static void say(const char *text)
{
    puts(text);
    fflush(stdout);
}

static int do_exit(int argc, char **argv)
{
    return atoi(argv[2]);
}

static int do_args(int argc, char **argv)
{
    for (int i = 2; i < argc; i++)
        printf("[%s]\n", argv[i]);
    return 0;
}

static int do_env(int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        const char *value = getenv(argv[i]);
        say(value ? value : "(unset)");
    }
    return 0;
}

static int do_mark(int argc, char **argv) /* relative, so it shows the working directory */
{
    return mgc_file_write(argv[2], "here", 4, 0600, NULL) ? 0 : 1;
}

static int do_both(int argc, char **argv)
{
    say("1");
    fputs("2\n", stderr);
    fflush(stderr);
    say("3");
    return getchar() == EOF ? 0 : 1; /* nothing can come in */
}

static int do_sleep(int argc, char **argv)
{
    say("ready");
    mgc_sleep_until(MGC_NEVER);
    return 0;
}

static int do_polite(int argc, char **argv)
{
    struct mgc_stop *stop = mgc_stop_on_signals(NULL);
    if (!stop)
        return 1;
    say("ready");
    mgc_socket sockets[1] = {stop->read_fd};
    bool ready[1];
    mgc_net_wait_readable(sockets, ready, 1, MGC_NEVER, NULL);
    say("bye");
    return 5;
}

static int do_lock(int argc, char **argv)
{
    struct mgc_lock lock = MGC_LOCK_INIT;
    if (!mgc_lock_take(&lock, argv[2], NULL))
        return 1;
    return do_sleep(argc, argv);
}

/* A child of the child, whose pid is told. */
static int do_parent(int argc, char **argv)
{
    const char *const words[] = {argv[0], "sleep", NULL};
    struct mgc_process_spec spec = {.argv = words, .die_with_us = true};
    struct mgc_process *process = mgc_process_start(&spec, NULL);
    if (!process)
        return 1;
    printf("%lld\n", (long long)mgc_process_pid(process));
    fflush(stdout);
    mgc_sleep_until(MGC_NEVER);
    return 0;
}

/* As "adb start-server": leave a process behind that is meant to stay, and tell its pid. */
static long long leave_behind(char *program)
{
#ifdef _WIN32
    char line[1024];
    STARTUPINFOA info = {.cb = sizeof(info)};
    PROCESS_INFORMATION made;
    snprintf(line, sizeof(line), "\"%s\" sleep", program);
    if (!CreateProcessA(NULL, line, NULL, NULL, FALSE, DETACHED_PROCESS, NULL, NULL, &info, &made))
        return -1;
    return made.dwProcessId;
#else
    pid_t pid = fork();
    if (pid != 0) {
        setpgid(pid, pid); /* both do it: whoever comes first */
        return pid;
    }
    setpgid(0, 0);
    fclose(stdout);
    execl(program, program, "sleep", (char *)NULL);
    _exit(1);
#endif
}

static int do_leave(int argc, char **argv)
{
    char program[1024];
    if (!mgc_host_program(program, sizeof(program), NULL))
        return 1;
    printf("%lld\n", leave_behind(program));
    return 0;
}

#ifdef _WIN32
/* Is that number a handle here? */
static int do_handle(int argc, char **argv)
{
    DWORD flags;
    HANDLE handle = (HANDLE)(intptr_t)atoll(argv[2]);
    say(GetHandleInformation(handle, &flags) && GetFileType(handle) == FILE_TYPE_DISK ? "there"
                                                                                      : "absent");
    return 0;
}

static int do_crash(int argc, char **argv)
{
    RaiseException(EXCEPTION_ACCESS_VIOLATION, EXCEPTION_NONCONTINUABLE, 0, NULL);
    return 0;
}
#endif

static const struct {
    const char *name;
    int (*fn)(int argc, char **argv);
} kinds[] = {
    {"exit", do_exit},
    {"args", do_args},
    {"env", do_env},
    {"mark", do_mark},
    {"both", do_both},
    {"sleep", do_sleep},
    {"polite", do_polite},
    {"lock", do_lock},
    {"parent", do_parent},
    {"leave", do_leave},
#ifdef _WIN32
    {"handle", do_handle},
    {"crash", do_crash},
#endif
};

int main(int argc, char **argv)
{
#ifdef _WIN32
    _setmode(1, _O_BINARY);
    _setmode(2, _O_BINARY);
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);
#endif
    for (size_t i = 0; argc > 1 && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(argv[1], kinds[i].name) == 0)
            return kinds[i].fn(argc, argv);
    }
    return 99;
}
