/* Finding and ending all processes of an app. */
#ifndef MGC_LAB_PHONE_PROCS_H
#define MGC_LAB_PHONE_PROCS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* In the environment of an app's first process and, inherited, of all it starts. Its value, the
 * mark, is "PACKAGE@ID" with the random id of this phone: a phone without namespaces sees the
 * processes of the same package on every other phone of the machine. */
#define MGL_APP_MARKER "MGPHONE_APP"

/* Kill (SIGKILL) everything that descends from `roots` or carries exactly this mark, and
 * wait until it is gone; false when something was still there after two seconds. A process that
 * run-as started is not of the app and stays, as on Android. The roots are subreapers, so a double
 * fork stays their descendant; the marker finds what outlived its root. */
bool mgl_procs_kill_app(const char *package, const pid_t *roots, size_t root_count);

/* Kill everything that descends from us, a subreaper, in the same way. */
bool mgl_procs_kill_below(void);

/* Is `pid` the process `root` or below it? False when one on the way has just ended. */
bool mgl_procs_descends(pid_t pid, pid_t root);

/* Pure: does an environment block (NUL-separated) hold exactly "KEY=value"? */
bool mgl_procs_environ_has(const char *block, size_t len, const char *key, const char *value);

#endif
