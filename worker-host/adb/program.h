/* The adb program: used to start a missing server and to say which version it is, nothing else.
 *
 * Blocking, with a deadline; a program that hangs is ended. Any thread.
 */
#ifndef MGC_ADB_PROGRAM_H
#define MGC_ADB_PROGRAM_H

#include <stdbool.h>

#include "common/base/error.h"
#include "worker-host/adb/conn.h"

/* Run "PROGRAM -P PORT start-server" and wait for its end. Only to be called when the port has
 * just refused a connection: a client that meets a server of another version ends it. */
bool mgc_adb_program_start_server(
    const char *program, unsigned port, const struct mgc_adb_wait *wait, struct mgc_error *err);

struct mgc_adb_program_version {
    unsigned protocol; /* 41 for "1.0.41" */
    char release[64];  /* "29.0.6-debian"; empty when it did not say */
    char path[512];    /* "Installed as"; empty when it did not say */
};

/* Run "PROGRAM version", which talks to no server. */
bool mgc_adb_program_version(const char *program, struct mgc_adb_program_version *ret_version,
    const struct mgc_adb_wait *wait, struct mgc_error *err);
/* Its output, pure. */
bool mgc_adb_program_version_parse(
    const char *text, struct mgc_adb_program_version *ret_version, struct mgc_error *err);

#endif
