/* How a program on the lab phone writes to the phone's log, as liblog does on Android.
 *
 * One datagram per entry to a unix socket that mgphone owns; `logcat` reads them back. The
 * writing process is named by the kernel (SCM_CREDENTIALS), so the pid cannot be forged. Where
 * the socket does not exist (outside a lab phone) writing does nothing. Datagram, integers little
 * endian; our own format, Android's real one is not imitated:
 *
 *   0      version, 1
 *   1      priority, 2 (verbose) .. 7 (fatal)
 *   2-5    thread id of the writer
 *   6-13   wall clock, ns since 1970
 *   14-    tag, NUL, text up to the end of the datagram
 */
#ifndef MGC_LAB_PHONE_LOGD_H
#define MGC_LAB_PHONE_LOGD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MGL_LOGD_SOCKET "/dev/socket/logdw"

/* Android's numbers (android/log.h). */
enum mgl_log_prio {
    MGL_LOG_VERBOSE = 2,
    MGL_LOG_DEBUG = 3,
    MGL_LOG_INFO = 4,
    MGL_LOG_WARN = 5,
    MGL_LOG_ERROR = 6,
    MGL_LOG_FATAL = 7,
    MGL_LOG_SILENT = 8, /* only in filters */
};

enum {
    MGL_LOGD_HEAD = 14,
    MGL_LOGD_TAG_MAX = 128,   /* bytes without NUL */
    MGL_LOGD_TEXT_MAX = 4068, /* Android's payload limit; longer text is cut */
    MGL_LOGD_DATAGRAM_MAX = MGL_LOGD_HEAD + MGL_LOGD_TAG_MAX + 1 + MGL_LOGD_TEXT_MAX,
};

/* One entry as decoded; tag and text are borrowed from the datagram, text is not terminated. */
struct mgl_logd_entry {
    enum mgl_log_prio prio;
    uint32_t tid;
    int64_t wall_ns;
    const char *tag;
    const char *text;
    size_t text_len;
};

/* Write one entry. Waits at most a quarter second for a busy log, then drops the entry; true when
 * it was handed over. Any thread, also after fork. */
bool mgl_logd_write(enum mgl_log_prio prio, const char *tag, const char *text);

/* Pure: bytes written to buf (at least MGL_LOGD_DATAGRAM_MAX); tag and text are cut to the caps. */
size_t mgl_logd_encode(uint8_t *buf, const struct mgl_logd_entry *entry);
/* Pure: false when the datagram breaks the layout above. */
bool mgl_logd_decode(const uint8_t *data, size_t len, struct mgl_logd_entry *ret_entry);

#endif
