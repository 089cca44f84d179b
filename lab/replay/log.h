/* Log lines in MobileGL's frame: `[HH:MM:SS] [OS thread/LEVEL]: text`, local time (contract
 * section 5). The OS word is Android where /system/bin exists, else Linux; the environment variable
 * MGLAB_LOG_OS overrides it. Not to be mixed up with common/base/log.h, which is our own log.
 * One thread per log.
 */
#ifndef MGC_LAB_REPLAY_LOG_H
#define MGC_LAB_REPLAY_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"

enum mgr_level { MGR_INFO, MGR_WARN, MGR_ERROR };

/* Called with each finished line, without newline; for forwarding. */
typedef void mgr_log_tap(void *user, enum mgr_level level, const char *line);

struct mgr_log {
    char os[16], thread[16]; /* the name of a thread is cut at 15 characters, as comm is */
    int fd;                  /* owned; -1: no file */
    bool to_stderr;
    bool to_logcat;   /* tag MobileGL, where the phone's log socket exists */
    mgr_log_tap *tap; /* may be NULL */
    void *tap_user;
};

/* Opens and truncates `<base><suffix>` ("/o/mobilegl.log" and ".client.log" give
 * "/o/mobilegl.client.log": a final ".log" of the base is replaced). NULL base: no file. */
bool mgr_log_open(struct mgr_log *log, const char *base, const char *suffix, const char *thread,
    struct mgc_error *err);
void mgr_log_close(struct mgr_log *log); /* takes NULL and a closed one */

void mgr_log_thread(struct mgr_log *log, const char *thread);

/* One line in one write, so that processes that share the file do not mix their lines. */
void mgr_log_line(struct mgr_log *log, enum mgr_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* A finished line of the peer's, as it came. */
void mgr_log_raw(struct mgr_log *log, const char *line, size_t len);

#endif
