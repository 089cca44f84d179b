/* adb's shell services: a command (or an interactive shell) with the phone's environment.
 *
 *   shell[,v2][,raw|,pty][,TERM=name]:[command]     exec:command
 *
 * v2 keeps stdout and stderr apart and reports the exit code (frame.h); the older form and exec are
 * one byte stream. When the host closes the stream the process group gets SIGHUP, as from adbd, so
 * nohup and setsid survive. */
#ifndef MGC_LAB_PHONE_SHELL_H
#define MGC_LAB_PHONE_SHELL_H

#include <stdbool.h>

#include "lab/phone/loop.h"
#include "lab/phone/stream.h"

struct mgl_shell_request {
    bool v2;
    bool pty;
    bool exec;           /* no terminal, no protocol */
    const char *term;    /* NULL: none */
    const char *command; /* NULL: interactive */
};

/* Pure: parse a service name, cutting it in place; false when it is no shell service. */
bool mgl_shell_parse(char *name, struct mgl_shell_request *ret_request);

/* Accepts or refuses the stream. */
void mgl_shell_open(
    struct mgl_loop *loop, struct mgl_stream *stream, const struct mgl_shell_request *request);

#endif
