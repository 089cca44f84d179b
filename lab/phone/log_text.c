#include "lab/phone/log_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/clock.h"

static const char letters[] = "VDIWEFS"; /* from MGL_LOG_VERBOSE on */

bool mgl_log_prio_parse(char letter, enum mgl_log_prio *ret_prio)
{
    const char *at = letter ? strchr(letters, toupper((unsigned char)letter)) : NULL;
    if (!at)
        return false;
    *ret_prio = (enum mgl_log_prio)(MGL_LOG_VERBOSE + (at - letters));
    return true;
}

char mgl_log_prio_letter(enum mgl_log_prio prio)
{
    if (prio < MGL_LOG_VERBOSE || prio > MGL_LOG_SILENT)
        return '?';
    return letters[prio - MGL_LOG_VERBOSE];
}

void mgl_log_filter_init(struct mgl_log_filter *filter)
{
    filter->count = 0;
    filter->otherwise = MGL_LOG_VERBOSE;
}

bool mgl_log_filter_add(struct mgl_log_filter *filter, const char *spec)
{
    enum mgl_log_prio prio = MGL_LOG_VERBOSE;
    const char *colon = strrchr(spec, ':');
    size_t len = colon ? (size_t)(colon - spec) : strlen(spec);
    bool any = len == 1 && spec[0] == '*';
    if (len == 0 || len > MGL_LOGD_TAG_MAX)
        return false;
    if (colon && colon[1] == '*' && !colon[2])
        prio = MGL_LOG_VERBOSE;
    else if (colon && (!mgl_log_prio_parse(colon[1], &prio) || colon[2]))
        return false;
    if (any) {
        /* A bare "*" means debug and up, as in liblog. */
        filter->otherwise = colon ? prio : MGL_LOG_DEBUG;
        return true;
    }
    if (filter->count == MGL_LOG_RULES_MAX)
        return false;
    memcpy(filter->rules[filter->count].tag, spec, len);
    filter->rules[filter->count].tag[len] = 0;
    filter->rules[filter->count++].prio = prio;
    return true;
}

bool mgl_log_filter_add_all(struct mgl_log_filter *filter, const char *specs)
{
    char *copy = strdup(specs), *rest = copy, *spec;
    bool ok = copy != NULL;
    while (ok && (spec = strsep(&rest, " \t,")))
        ok = !*spec || mgl_log_filter_add(filter, spec);
    free(copy);
    return ok;
}

bool mgl_log_filter_shows(
    const struct mgl_log_filter *filter, const char *tag, enum mgl_log_prio prio)
{
    for (size_t i = filter->count; i-- > 0;)
        if (strcmp(filter->rules[i].tag, tag) == 0)
            return prio >= filter->rules[i].prio;
    return prio >= filter->otherwise;
}

bool mgl_log_format_set(struct mgl_log_format *format, const char *name)
{
    static const char *const layouts[] = {[MGL_LOG_THREADTIME] = "threadtime",
        [MGL_LOG_TIME] = "time",
        [MGL_LOG_BRIEF] = "brief",
        [MGL_LOG_PROCESS] = "process",
        [MGL_LOG_TAG] = "tag",
        [MGL_LOG_RAW] = "raw",
        [MGL_LOG_LONG] = "long"};
    for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
        if (strcmp(layouts[i], name) != 0)
            continue;
        format->layout = (enum mgl_log_layout)i;
        return true;
    }
    if (strcmp(name, "epoch") == 0)
        format->epoch = true;
    else if (strcmp(name, "usec") == 0)
        format->usec = true;
    else if (strcmp(name, "year") == 0)
        format->year = true;
    else if (strcmp(name, "UTC") == 0)
        format->utc = true;
    else
        return false;
    return true;
}

static void print_time(
    char *text, size_t size, const struct mgl_log_format *format, int64_t wall_ns)
{
    time_t seconds = (time_t)(wall_ns / MGC_NS_PER_S);
    long long micros = (long long)(wall_ns % MGC_NS_PER_S / MGC_NS_PER_US);
    char head[48];
    struct tm tm;
    if (format->epoch) {
        snprintf(head, sizeof(head), "%lld", (long long)seconds);
    } else if (format->utc ? gmtime_r(&seconds, &tm) : localtime_r(&seconds, &tm)) {
        int year = format->year ? snprintf(head, sizeof(head), "%04lld-", tm.tm_year + 1900LL) : 0;
        strftime(head + year, sizeof(head) - (size_t)year, "%m-%d %H:%M:%S", &tm);
    } else {
        snprintf(head, sizeof(head), "(no time)");
    }
    if (format->usec)
        snprintf(text, size, "%s.%06lld", head, micros);
    else
        snprintf(text, size, "%s.%03lld", head, micros / 1000);
}

static void append_prefix(
    struct mgc_buf *out, const struct mgl_log_format *format, const struct mgl_log_record *record)
{
    const struct mgl_logd_entry *entry = &record->entry;
    char prio = mgl_log_prio_letter(entry->prio), when[80];
    print_time(when, sizeof(when), format, entry->wall_ns);
    switch (format->layout) {
    case MGL_LOG_THREADTIME:
        mgc_buf_printf(
            out, "%s %5u %5u %c %-8s: ", when, record->pid, entry->tid, prio, entry->tag);
        break;
    case MGL_LOG_TIME:
        mgc_buf_printf(out, "%s %c/%-8s(%5u): ", when, prio, entry->tag, record->pid);
        break;
    case MGL_LOG_BRIEF:
        mgc_buf_printf(out, "%c/%-8s(%5u): ", prio, entry->tag, record->pid);
        break;
    case MGL_LOG_PROCESS:
        mgc_buf_printf(out, "%c(%5u) ", prio, record->pid);
        break;
    case MGL_LOG_TAG:
        mgc_buf_printf(out, "%c/%-8s: ", prio, entry->tag);
        break;
    case MGL_LOG_LONG:
        mgc_buf_printf(
            out, "[ %s %5u:%5u %c/%-8s ]\n", when, record->pid, entry->tid, prio, entry->tag);
        break;
    case MGL_LOG_RAW:
        break;
    }
}

bool mgl_log_format_append(
    struct mgc_buf *out, const struct mgl_log_format *format, const struct mgl_log_record *record)
{
    const char *at = record->entry.text;
    size_t left = record->entry.text_len;
    while (left > 0 && at[left - 1] == '\n')
        left--;
    bool whole = format->layout == MGL_LOG_LONG;
    do {
        const char *end = whole ? NULL : memchr(at, '\n', left);
        size_t len = end ? (size_t)(end - at) : left;
        append_prefix(out, format, record);
        mgc_buf_append(out, at, len);
        mgc_buf_puts(out, whole ? "\n\n" : "\n");
        at += len + (end != NULL);
        left -= len + (end != NULL);
    } while (left > 0);
    return mgc_buf_ok(out);
}

bool mgl_log_size_parse(const char *text, uint64_t *ret_bytes)
{
    char *end;
    if (!isdigit((unsigned char)text[0]))
        return false;
    unsigned long long number = strtoull(text, &end, 10);
    unsigned shift = 0;
    if (*end == 'K' || *end == 'k')
        shift = 10;
    else if (*end == 'M' || *end == 'm')
        shift = 20;
    else if (*end == 'G' || *end == 'g')
        shift = 30;
    if (end[shift != 0] || number > UINT32_MAX)
        return false;
    *ret_bytes = (uint64_t)number << shift;
    return true;
}

static bool parse_calendar(
    const char *text, int64_t now_ns, struct tm *ret_tm, const char **ret_end)
{
    int year, month, day, hour, minute, second, used = 0;
    time_t now = (time_t)(now_ns / MGC_NS_PER_S);
    if (sscanf(text, "%4d-%2d-%2d %2d:%2d:%2d%n", &year, &month, &day, &hour, &minute, &second,
            &used) != 6) {
        used = 0;
        if (sscanf(text, "%2d-%2d %2d:%2d:%2d%n", &month, &day, &hour, &minute, &second, &used) !=
                5 ||
            !localtime_r(&now, ret_tm))
            return false;
        year = ret_tm->tm_year + 1900;
    }
    *ret_tm = (struct tm){.tm_year = year - 1900,
        .tm_mon = month - 1,
        .tm_mday = day,
        .tm_hour = hour,
        .tm_min = minute,
        .tm_sec = second,
        .tm_isdst = -1};
    *ret_end = text + used;
    return true;
}

/* ".mmm" up to nine digits, or nothing. */
static bool parse_fraction(const char *text, int64_t *ret_ns)
{
    *ret_ns = 0;
    if (!*text)
        return true;
    if (*text++ != '.' || !*text)
        return false;
    int64_t unit = MGC_NS_PER_S;
    for (; isdigit((unsigned char)*text) && unit > 1; text++) {
        unit /= 10;
        *ret_ns += (*text - '0') * unit;
    }
    return !*text;
}

bool mgl_log_time_parse(const char *text, int64_t now_ns, int64_t *ret_ns)
{
    struct tm tm;
    const char *end;
    int64_t fraction_ns;
    long long seconds;
    if (parse_calendar(text, now_ns, &tm, &end)) {
        seconds = (long long)mktime(&tm);
    } else {
        char *number_end;
        if (!isdigit((unsigned char)text[0]))
            return false;
        seconds = strtoll(text, &number_end, 10);
        end = number_end;
    }
    if (seconds < 0 || seconds > INT64_MAX / MGC_NS_PER_S - 1 || !parse_fraction(end, &fraction_ns))
        return false;
    *ret_ns = seconds * MGC_NS_PER_S + fraction_ns;
    return true;
}
