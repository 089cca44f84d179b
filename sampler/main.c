/* mgdevice: what the host worker runs on the phone. One static program, one process, one poll loop;
 * started over one adb stream, it speaks common/device/ on its standard streams and ends, leaving
 * nothing, when its input ends or its parent is gone. It needs no right of its own: it does what
 * the user may do who runs it, the shell's or the app's. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sampler/session.h"

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("mgdevice %s, device protocol %d\n", MGC_VERSION, MGC_DEVICE_PROTOCOL);
        return 0;
    }
    if (argc != 1) {
        fputs("usage: mgdevice [--version]\n"
              "Speaks mgcoord's device protocol on its standard input and output.\n",
            stderr);
        return 64;
    }
    signal(SIGPIPE, SIG_IGN);
    return mgd_session_run(STDIN_FILENO, STDOUT_FILENO);
}
