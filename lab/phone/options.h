/* What mgphone was told on its command line. */
#ifndef MGC_LAB_PHONE_OPTIONS_H
#define MGC_LAB_PHONE_OPTIONS_H

#include <stdbool.h>

struct mgl_options {
    const char *data;    /* host directory that holds the phone's data/ and sdcard/ */
    const char *listen;  /* ADDR:PORT of the adb device side */
    const char *app_lib; /* host directory with libMobileGLServer.so and its like; NULL: empty */
    const char *run_dir; /* host directory bound to /run/mglab; NULL: /run/mglab when it exists */
    const char *tools;   /* host directory with mgphone-cmd and mgphone-app; NULL: beside mgphone */
    const char *toybox;  /* host paths; NULL: /usr/bin/toybox, /usr/bin/mksh-static */
    const char *shell;
    int journal_fd;       /* inside only: journal.h */
    const char *serialno; /* ro.serialno; NULL: mglab0001 */
    const char *latency;  /* profile; NULL: none */
    bool flat;            /* without namespaces: outside proot, see flat.h */
    bool inside;          /* ... and in it: the root is made, the rest is as usual */
};

#endif
