/* Text of the phone's log: logcat's filters, formats, sizes and times. Pure. */
#ifndef MGC_LAB_PHONE_LOG_TEXT_H
#define MGC_LAB_PHONE_LOG_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "lab/phone/log_ring.h"

/* 'V' 'D' 'I' 'W' 'E' 'F' 'S' in either case. */
bool mgl_log_prio_parse(char letter, enum mgl_log_prio *ret_prio);
char mgl_log_prio_letter(enum mgl_log_prio prio);

enum { MGL_LOG_RULES_MAX = 64 };

/* What to show: the newest rule that names a tag decides, else the default. */
struct mgl_log_filter {
    struct {
        char tag[MGL_LOGD_TAG_MAX + 1];
        enum mgl_log_prio prio;
    } rules[MGL_LOG_RULES_MAX];
    size_t count;
    enum mgl_log_prio otherwise; /* set by "*:P" and by -s */
};

void mgl_log_filter_init(struct mgl_log_filter *filter); /* shows everything */
/* "TAG:P", "TAG" (all of it), "*:P". False: not a filter, or too many. */
bool mgl_log_filter_add(struct mgl_log_filter *filter, const char *spec);
/* Several, between spaces or commas, as in ANDROID_LOG_TAGS. */
bool mgl_log_filter_add_all(struct mgl_log_filter *filter, const char *specs);
bool mgl_log_filter_shows(
    const struct mgl_log_filter *filter, const char *tag, enum mgl_log_prio prio);

enum mgl_log_layout {
    MGL_LOG_THREADTIME,
    MGL_LOG_TIME,
    MGL_LOG_BRIEF,
    MGL_LOG_PROCESS,
    MGL_LOG_TAG,
    MGL_LOG_RAW,
    MGL_LOG_LONG,
};

struct mgl_log_format {
    enum mgl_log_layout layout;
    bool epoch, usec, year, utc;
};

/* A layout or a modifier by its name ("threadtime", "epoch"); false when unknown. */
bool mgl_log_format_set(struct mgl_log_format *format, const char *name);
/* Append the entry, one line per line of its text, each with the prefix. */
bool mgl_log_format_append(
    struct mgc_buf *out, const struct mgl_log_format *format, const struct mgl_log_record *record);

/* "262144", "64K", "2M" as bytes. */
bool mgl_log_size_parse(const char *text, uint64_t *ret_bytes);
/* "MM-DD HH:MM:SS.mmm" (year taken from now_ns), "YYYY-MM-DD HH:MM:SS.mmm" (local time) or
 * "SECONDS.mmm". */
bool mgl_log_time_parse(const char *text, int64_t now_ns, int64_t *ret_ns);

#endif
