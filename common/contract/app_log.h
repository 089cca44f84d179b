/* What Android's ActivityManager says in the phone's log of an app: started, stopped by somebody,
 * ended. Pure.
 *
 *   Start proc 582:top.mobilegl.plugin.trace:mglsrv/u0a231 for service {...}
 *   Force stopping top.mobilegl.plugin.trace appid=10231 user=0: from pid 4242
 *   Killing 582:top.mobilegl.plugin.trace:mglsrv/u0a231 (adj 0): stop ... due to from pid 4242
 *   Process top.mobilegl.plugin.trace:mglsrv (pid 582) has died: fg TOP
 *
 * (Android 10 to 15, ActivityManagerService and ProcessList; what follows differs between them.)
 */
#ifndef MGC_CONTRACT_APP_LOG_H
#define MGC_CONTRACT_APP_LOG_H

#include <stdbool.h>
#include <stddef.h>

enum mgc_app_event {
    MGC_APP_NONE,    /* not about a process of an app */
    MGC_APP_STARTED, /* a process was started */
    MGC_APP_STOPPED, /* somebody had all processes of the package stopped */
    MGC_APP_ENDED,   /* a process was killed or died */
};

enum { MGC_APP_NAME_MAX = 256 }; /* bytes with NUL; Android's own limit is 223 */

struct mgc_app_line {
    enum mgc_app_event event;
    char package[MGC_APP_NAME_MAX];
    char process[MGC_APP_NAME_MAX]; /* ":mglsrv"; empty: the main one, or all of them */
};

/* A line of the phone's log in any form that has the tag before ": ". Names that are too long, and
 * lines of other tags, are MGC_APP_NONE. */
enum mgc_app_event mgc_app_line_parse(const char *line, struct mgc_app_line *ret_line);

#endif
