/* pidof of a phone without namespaces: toybox's, less the processes that are not the phone's. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/phone/commands/commands.h"
#include "lab/phone/control.h"
#include "lab/phone/procs.h"

enum { ARGS_MAX = 64 };

/* toybox is told all but -s, which would let it choose one of somebody else's. */
static FILE *start_toybox(int argc, char **argv, pid_t *ret_pid)
{
    char *args[ARGS_MAX + 1] = {(char[]){"pidof"}};
    int count = 1, fds[2];
    for (int i = 1; i < argc && count < ARGS_MAX; i++)
        if (strcmp(argv[i], "-s") != 0)
            args[count++] = argv[i];
    if (pipe2(fds, O_CLOEXEC) != 0)
        return NULL;
    *ret_pid = fork();
    if (*ret_pid == 0) {
        dup2(fds[1], STDOUT_FILENO);
        execv("/system/bin/toybox", args);
        _exit(127);
    }
    close(fds[1]);
    if (*ret_pid > 0)
        return fdopen(fds[0], "r");
    close(fds[0]);
    return NULL;
}

int mgl_command_pidof(int argc, char **argv)
{
    pid_t toybox, phone = mgl_control_server_pid();
    bool single = argc > 1 && strcmp(argv[1], "-s") == 0;
    int pid, found = 0;
    if (phone <= 0)
        return MGL_EXIT_DEAD;
    FILE *pids = start_toybox(argc, argv, &toybox);
    if (!pids)
        return 1;
    while (fscanf(pids, "%d", &pid) == 1)
        if (mgl_procs_descends((pid_t)pid, phone) && (!single || found == 0))
            printf("%s%d", found++ ? " " : "", pid);
    if (found)
        putchar('\n');
    fclose(pids);
    waitpid(toybox, NULL, 0);
    return found ? 0 : 1;
}
