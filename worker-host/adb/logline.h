/* Lines of "logcat -v threadtime" and what is wrong with a stream of them. Pure; one thread.
 *
 *   09-28 12:00:01.123  4711  4720 I MobileGL: text
 *   --------- beginning of main
 */
#ifndef MGC_ADB_LOGLINE_H
#define MGC_ADB_LOGLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mgc_adb_logline {
    char stamp[24];  /* "09-28 12:00:01.123", the device's local time, without a year */
    int64_t year_ms; /* the stamp as ms since its 1 January (months of 31 days) */
    int64_t pid, tid;
    char level;      /* one of VDIWEFS */
    const char *tag; /* borrowed from the line */
    size_t tag_len;
    const char *text; /* borrowed, up to the end of the line */
    size_t text_len;
};

/* Parse one line (no newline in it). False: not in this format, such as a separator. */
bool mgc_adb_logline_parse(const char *line, size_t len, struct mgc_adb_logline *ret_line);
/* True when the line's tag is exactly this one. */
bool mgc_adb_logline_has_tag(const struct mgc_adb_logline *line, const char *tag);

enum mgc_adb_log_gap {
    MGC_ADB_GAP_NONE,
    MGC_ADB_GAP_BACKWARDS, /* stamps went back by more than MGC_ADB_LOG_BACK_MS: clock or reader */
    MGC_ADB_GAP_EXPIRED,   /* chatty says that lines were dropped */
    MGC_ADB_GAP_RESTART, /* "beginning of" a buffer that had begun before: cleared, or a new logd */
    MGC_ADB_GAP_OVERRUN, /* logcat says that it read too slowly */
};

enum {
    MGC_ADB_LOG_BACK_MS = 1000, /* several buffers are merged with less disorder than this */
    MGC_ADB_LOG_BUFFERS_MAX = 8,
};

/* Counts over a stream. Zeroed is a valid start. */
struct mgc_adb_logscan {
    uint64_t lines, bytes, gaps;
    uint64_t expired_lines; /* dropped according to chatty */
    char last_stamp[24];    /* of the latest line; empty: none yet */
    int64_t last_ms;
    char buffers[MGC_ADB_LOG_BUFFERS_MAX][16]; /* that have begun */
    size_t buffer_count;
};

/* Take one line (without its newline); says which gap it shows, and counts it. */
enum mgc_adb_log_gap mgc_adb_logscan_line(
    struct mgc_adb_logscan *scan, const char *line, size_t len);
/* The stream is about to be opened again: buffers will begin again. Counts one gap. */
void mgc_adb_logscan_reopened(struct mgc_adb_logscan *scan);

/* --- begin and end proved by order ------------------------------------------------------------ */

#define MGC_ADB_LOG_TAG "mgcoord"

/* Two lines that this host writes into the log frame what it keeps: "begin NONCE", "end NONCE".
 * Lines before the first one are older than the start, whatever their stamps say. */
struct mgc_adb_logmarks {
    char nonce[24]; /* not empty */
    bool begun, ended;
};

/* Take the next line of the stream; true when it is one to keep (from the begin marker on). */
bool mgc_adb_logmarks_line(struct mgc_adb_logmarks *marks, const char *line, size_t len);

#endif
