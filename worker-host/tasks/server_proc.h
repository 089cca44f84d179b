/* The render server as a process on the phone: stop it and prove that it is gone, start it, watch
 * one. Scripts for the device's sh and pure readers of what they print.
 *
 * Stopping waits in a shell loop (0.1 s). The shell's watch (1 s) is the labelled fallback for a
 * phone where the device program cannot be had (server_follow.h).
 */
#ifndef MGC_HOST_SERVER_PROC_H
#define MGC_HOST_SERVER_PROC_H

#include <stdbool.h>
#include <stdint.h>

#include "worker-host/adb/shell.h"

/* Append commands that stop the package and wait until none of its server processes is left:
 * exit code MGC_SERVER_EXIT_LEFT and "mgc-left PID ..." on stderr when one stays. On success
 * "mgc-uptime S.SS" on stderr: any process that starts later is newer. Processes count as the
 * package's when their program lies in its native library directory (".../PACKAGE/..." or
 * ".../PACKAGE-..."); zombies do not count. */
enum { MGC_SERVER_EXIT_STOP = 91, MGC_SERVER_EXIT_LEFT = 92, MGC_SERVER_EXIT_FULL = 93 };
bool mgc_server_stop_script(struct mgc_buf *out, const char *package);

/* Append, after the stop script, commands that say the device's boot id ("mgc-boot ID" on stderr),
 * remove the log of an earlier server, which would pass for this one's, and find out whether the
 * app's files have room: exit code MGC_SERVER_EXIT_FULL and "mgc-full
 * WORDS" when they have none. A server that cannot write its log would seem to say nothing. */
bool mgc_server_room_script(struct mgc_buf *out);
/* The boot id among what the scripts said; empty when it is not there. Pure. */
void mgc_server_boot_id(const char *text, char *ret_id, size_t size);

/* What the stop and room scripts said. exit_code 0: ret_uptime_cs (hundredths of a second since
 * boot) is filled, -1 when it was not said. Else the error: MGC_E_BUSY with the pids that are left,
 * MGC_E_NO_SPACE when the files have no room. Pure. */
bool mgc_server_stop_read(const char *serial, const char *package, int exit_code, const char *text,
    int64_t *ret_uptime_cs, struct mgc_error *err);

/* "123.45" in hundredths; -1 for anything else. Pure. */
int64_t mgc_server_uptime_cs(const char *text);

/* What else is done in the stream that stops: commands that begin before the stop (and may go on
 * in the background meanwhile), and all that is said. */
struct mgc_server_beside {
    const char *script;
    struct mgc_buf *said;
};
/* Run the stop script; `beside` NULL: nothing else. */
bool mgc_server_stop(struct mgc_adb *adb, const char *serial, const char *package,
    const struct mgc_server_beside *beside, const struct mgc_adb_wait *wait, struct mgc_error *err);

struct mgc_server_start {
    const char *package, *listen;
    const char *token; /* secret; NULL: none, as loopback needs none */
    const char *env;   /* "K=V;K=V", may be empty */
};
/* Append the command that starts the service, every value quoted; `shown`: with the token as
 * "***", for files and people. */
bool mgc_server_start_command(
    struct mgc_buf *out, const struct mgc_server_start *start, bool shown);
/* Judge what `am` did: its exit code, and the error words that it prints with exit code 0
 * (contract section 3.1, step 3). Pure. */
bool mgc_server_start_judge(
    const char *serial, const struct mgc_adb_result *result, struct mgc_error *err);

/* Append commands that report on one process until it ends: "mgc-start TICKS" (field 22 of its
 * stat, hundredths of a second since boot on Android), "mgc-alive" about every 5 s, "mgc-gone". */
enum { MGC_SERVER_ALIVE_MS = 5000 };
bool mgc_server_watch_script(struct mgc_buf *out, int64_t pid);

struct mgc_server_watch {
    bool started, gone;
    int64_t start_ticks; /* valid once started */
    char line[64];       /* the current, unfinished one */
    size_t line_len;
};
/* Take output of the watch script. Zeroed is a valid start. Pure. */
void mgc_server_watch_feed(struct mgc_server_watch *watch, const char *data, size_t len);

#endif
