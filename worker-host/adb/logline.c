#include "worker-host/adb/logline.h"

#include <stdio.h>
#include <string.h>

enum { STAMP_LEN = 18 };
#define YEAR_MS (INT64_C(12) * 31 * 24 * 3600 * 1000)

static bool digits(const char *text, int count, int64_t *ret)
{
    int64_t value = 0;
    for (int i = 0; i < count; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        value = value * 10 + (text[i] - '0');
    }
    *ret = value;
    return true;
}

/* "MM-DD hh:mm:ss.mmm" */
static bool parse_stamp(const char *text, int64_t *ret_ms)
{
    int64_t month, day, hour, minute, second, ms;
    bool good = digits(text, 2, &month) && text[2] == '-' && digits(text + 3, 2, &day) &&
                text[5] == ' ' && digits(text + 6, 2, &hour) && text[8] == ':' &&
                digits(text + 9, 2, &minute) && text[11] == ':' && digits(text + 12, 2, &second) &&
                text[14] == '.' && digits(text + 15, 3, &ms) && month >= 1 && month <= 12 &&
                day >= 1 && day <= 31;
    if (good)
        *ret_ms =
            ((((month - 1) * 31 + day - 1) * 24 + hour) * 60 + minute) * 60000 + second * 1000 + ms;
    return good;
}

/* A number after blanks; moves *at behind it. */
static bool next_number(const char *line, size_t len, size_t *at, int64_t *ret)
{
    size_t i = *at;
    while (i < len && line[i] == ' ')
        i++;
    size_t start = i;
    while (i < len && line[i] >= '0' && line[i] <= '9' && i - start < 10)
        i++;
    if (i == start || !digits(line + start, (int)(i - start), ret))
        return false;
    *at = i;
    return true;
}

bool mgc_adb_logline_parse(const char *line, size_t len, struct mgc_adb_logline *ret_line)
{
    struct mgc_adb_logline parsed = {0};
    size_t at = STAMP_LEN;
    while (len && line[len - 1] == '\r')
        len--;
    if (len < STAMP_LEN || !parse_stamp(line, &parsed.year_ms) ||
        !next_number(line, len, &at, &parsed.pid) || !next_number(line, len, &at, &parsed.tid))
        return false;
    if (len - at < 4 || line[at] != ' ' || !strchr("VDIWEFS", line[at + 1]) || line[at + 2] != ' ')
        return false;
    parsed.level = line[at + 1];
    parsed.tag = line + at + 3;
    /* The tag is padded with blanks and may hold ':'; the text begins after the first ": ". */
    const char *end = line + len, *colon = parsed.tag;
    while (colon < end && !(*colon == ':' && (colon + 1 == end || colon[1] == ' ')))
        colon++;
    if (colon == end)
        return false;
    parsed.tag_len = (size_t)(colon - parsed.tag);
    while (parsed.tag_len && parsed.tag[parsed.tag_len - 1] == ' ')
        parsed.tag_len--;
    parsed.text = colon + 1 + (colon + 1 < end);
    parsed.text_len = (size_t)(end - parsed.text);
    memcpy(parsed.stamp, line, STAMP_LEN);
    *ret_line = parsed;
    return true;
}

bool mgc_adb_logline_has_tag(const struct mgc_adb_logline *line, const char *tag)
{
    return strlen(tag) == line->tag_len && memcmp(line->tag, tag, line->tag_len) == 0;
}

/* "--------- beginning of main": has this buffer begun before? */
static enum mgc_adb_log_gap buffer_begins(
    struct mgc_adb_logscan *scan, const char *name, size_t len)
{
    char text[16];
    snprintf(text, sizeof(text), "%.*s", (int)(len < 15 ? len : 15), name);
    for (size_t i = 0; i < scan->buffer_count; i++) {
        if (strcmp(scan->buffers[i], text) == 0)
            return MGC_ADB_GAP_RESTART;
    }
    if (scan->buffer_count < MGC_ADB_LOG_BUFFERS_MAX)
        memcpy(scan->buffers[scan->buffer_count++], text, sizeof(text));
    return MGC_ADB_GAP_NONE;
}

/* chatty: "uid=1000(system) Binder:1 expire 12 lines"; "identical 5 lines" is only folded. */
static bool chatty_expired(const struct mgc_adb_logline *line, uint64_t *ret_lines)
{
    static const char word[] = " expire ";
    const char *end = line->text + line->text_len;
    if (!mgc_adb_logline_has_tag(line, "chatty"))
        return false;
    for (const char *c = line->text; c + sizeof(word) - 1 < end; c++) {
        if (memcmp(c, word, sizeof(word) - 1) != 0)
            continue;
        uint64_t count = 0;
        for (c += sizeof(word) - 1; c < end && *c >= '0' && *c <= '9' && count < 1000000000; c++)
            count = count * 10 + (uint64_t)(*c - '0');
        *ret_lines = count;
        return true;
    }
    return false;
}

static enum mgc_adb_log_gap stamped_line(
    struct mgc_adb_logscan *scan, const struct mgc_adb_logline *line)
{
    int64_t back_ms = scan->last_stamp[0] ? scan->last_ms - line->year_ms : 0;
    uint64_t expired;
    scan->last_ms = line->year_ms;
    memcpy(scan->last_stamp, line->stamp, sizeof(scan->last_stamp));
    if (chatty_expired(line, &expired)) {
        scan->expired_lines += expired;
        return MGC_ADB_GAP_EXPIRED;
    }
    /* Back by about a year is New Year's Eve: stamps have no year. */
    return back_ms > MGC_ADB_LOG_BACK_MS && back_ms < YEAR_MS / 2 ? MGC_ADB_GAP_BACKWARDS
                                                                  : MGC_ADB_GAP_NONE;
}

static bool starts(const char *line, size_t len, const char *prefix)
{
    size_t prefix_len = strlen(prefix);
    return len >= prefix_len && memcmp(line, prefix, prefix_len) == 0;
}

enum mgc_adb_log_gap mgc_adb_logscan_line(
    struct mgc_adb_logscan *scan, const char *line, size_t len)
{
    static const char begin[] = "--------- beginning of ";
    struct mgc_adb_logline parsed;
    enum mgc_adb_log_gap gap = MGC_ADB_GAP_NONE;
    scan->lines++;
    scan->bytes += len + 1;
    if (starts(line, len, begin))
        gap = buffer_begins(scan, line + sizeof(begin) - 1, len - (sizeof(begin) - 1));
    else if (starts(line, len, "read: unexpected EOF") || starts(line, len, "logcat: Unexpected"))
        gap = MGC_ADB_GAP_OVERRUN;
    else if (mgc_adb_logline_parse(line, len, &parsed))
        gap = stamped_line(scan, &parsed);
    if (gap != MGC_ADB_GAP_NONE)
        scan->gaps++;
    return gap;
}

void mgc_adb_logscan_reopened(struct mgc_adb_logscan *scan)
{
    scan->buffer_count = 0;
    scan->gaps++;
}

/* Is this our line ("begin NONCE", "end NONCE")? */
static bool is_mark(
    const struct mgc_adb_logmarks *marks, const char *line, size_t len, const char *word)
{
    char want[48];
    struct mgc_adb_logline parsed;
    int want_len = snprintf(want, sizeof(want), "%s %s", word, marks->nonce);
    return mgc_adb_logline_parse(line, len, &parsed) &&
           mgc_adb_logline_has_tag(&parsed, MGC_ADB_LOG_TAG) &&
           parsed.text_len == (size_t)want_len && memcmp(parsed.text, want, parsed.text_len) == 0;
}

bool mgc_adb_logmarks_line(struct mgc_adb_logmarks *marks, const char *line, size_t len)
{
    if (!marks->begun)
        marks->begun = is_mark(marks, line, len, "begin");
    else if (!marks->ended)
        marks->ended = is_mark(marks, line, len, "end");
    return marks->begun;
}
