#include "common/contract/link_metrics.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/parse.h"

static const char *const key_names[MGC_LINK_KEY_COUNT] = {
    [MGC_LINK_KEY_FRAME] = "frame",
    [MGC_LINK_KEY_WAIT_REPLIES] = "wait_replies",
    [MGC_LINK_KEY_RTT_SAMPLES] = "rtt_samples",
    [MGC_LINK_KEY_RTT_P50_UPPER_US] = "rtt_p50_upper_us",
    [MGC_LINK_KEY_RTT_P99_UPPER_US] = "rtt_p99_upper_us",
    [MGC_LINK_KEY_STAGE_BYTES] = "stage_bytes",
    [MGC_LINK_KEY_WALL_NS] = "wall_ns",
    [MGC_LINK_KEY_CLIENT_THREAD_CPU_NS] = "client_thread_cpu_ns",
    [MGC_LINK_KEY_TRANSPORT_WAIT_NS] = "transport_wait_ns",
};

static bool parse_hist(char *text, struct mgc_link_metrics *metrics)
{
    uint64_t bins[MGC_LINK_HIST_BINS];
    size_t count = 0;
    for (char *item = text; item; count++) {
        char *comma = strchr(item, ',');
        if (comma)
            *comma++ = '\0';
        int64_t value;
        if (count == MGC_LINK_HIST_BINS || !mgc_parse_int(item, 0, INT64_MAX, &value))
            return false;
        bins[count] = (uint64_t)value;
        item = comma;
    }
    if (count != MGC_LINK_HIST_BINS)
        return false;
    memcpy(metrics->hist, bins, sizeof(bins));
    metrics->has_hist = true;
    return true;
}

/* One "name=value" word; an unknown name is skipped. False when the value is malformed. */
static bool parse_word(const char *name, char *value, struct mgc_link_metrics *metrics)
{
    if (strcmp(name, "rtt_hist_us_pow2") == 0)
        return parse_hist(value, metrics);
    if (strcmp(name, "rtt_mean_us") == 0) {
        metrics->has_rtt_mean = mgc_parse_double(value, &metrics->rtt_mean_us);
        return metrics->has_rtt_mean && metrics->rtt_mean_us >= 0;
    }
    for (size_t i = 0; i < MGC_LINK_KEY_COUNT; i++) {
        if (strcmp(name, key_names[i]) == 0) {
            metrics->has[i] = mgc_parse_int(value, 0, INT64_MAX, &metrics->values[i]);
            return metrics->has[i];
        }
    }
    return true;
}

/* The words after kind; `text` is cut up. */
static enum mgc_link_line parse_words(
    char *text, struct mgc_link_metrics *metrics, struct mgc_error *err)
{
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(word, '=');
        if (!equals)
            continue;
        *equals = '\0';
        if (!parse_word(word, equals + 1, metrics)) {
            mgc_error_set(err, MGC_E_PROTOCOL,
                "P65LinkMetrics: \"%.40s=%.40s\" is not a value of its kind", word, equals + 1);
            return MGC_LINK_LINE_BAD;
        }
    }
    if (!metrics->has[MGC_LINK_KEY_FRAME]) {
        mgc_error_set(err, MGC_E_PROTOCOL, "P65LinkMetrics: the line has no frame number");
        return MGC_LINK_LINE_BAD;
    }
    return MGC_LINK_LINE_OK;
}

enum mgc_link_line mgc_link_metrics_parse(
    const char *line, struct mgc_link_metrics *ret_metrics, struct mgc_error *err)
{
    static const char mark[] = "P65LinkMetrics kind=";
    const char *at = strstr(line, mark);
    if (!at)
        return MGC_LINK_LINE_NONE;
    at += sizeof(mark) - 1;

    struct mgc_link_metrics metrics = {.kind = MGC_LINK_OTHER};
    /* With the space: "frame-op" and "frame-sent" are other kinds. */
    if (strncmp(at, "frame ", 6) == 0)
        metrics.kind = MGC_LINK_FRAME;
    else if (strncmp(at, "summary ", 8) == 0)
        metrics.kind = MGC_LINK_SUMMARY;

    enum mgc_link_line outcome = MGC_LINK_LINE_OK;
    if (metrics.kind != MGC_LINK_OTHER) {
        char words[MGC_LINE_MAX + 1];
        size_t len = strlen(at);
        if (len > MGC_LINE_MAX) {
            mgc_error_set(err, MGC_E_PROTOCOL, "P65LinkMetrics: a line of %zu bytes", len);
            return MGC_LINK_LINE_BAD;
        }
        memcpy(words, at, len + 1);
        outcome = parse_words(words, &metrics, err);
    }
    if (outcome == MGC_LINK_LINE_OK)
        *ret_metrics = metrics;
    return outcome;
}

/* Mark the frame number as seen; *ret_new says whether it was new. False: no memory. */
static bool see(struct mgc_link_log *log, size_t frame, bool *ret_new)
{
    size_t byte = frame / 8;
    if (byte >= log->seen_size) {
        size_t size = byte + 1024;
        unsigned char *seen = realloc(log->seen, size);
        if (!seen)
            return false;
        memset(seen + log->seen_size, 0, size - log->seen_size);
        log->seen = seen;
        log->seen_size = size;
    }
    unsigned char bit = (unsigned char)(1u << (frame % 8));
    *ret_new = !(log->seen[byte] & bit);
    log->seen[byte] |= bit;
    return true;
}

static bool keep_frame(struct mgc_link_log *log, const struct mgc_link_metrics *metrics)
{
    if (log->frame_count == log->frame_cap) {
        size_t cap = log->frame_cap ? log->frame_cap * 2 : 256;
        struct mgc_link_frame *frames = realloc(log->frames, cap * sizeof(*frames));
        if (!frames)
            return false;
        log->frames = frames;
        log->frame_cap = cap;
    }
    struct mgc_link_frame *frame = &log->frames[log->frame_count++];
    frame->frame = metrics->values[MGC_LINK_KEY_FRAME];
    memcpy(frame->has, metrics->has, sizeof(frame->has));
    memcpy(frame->values, metrics->values, sizeof(frame->values));
    return true;
}

static void add_frame(struct mgc_link_log *log, const struct mgc_link_metrics *metrics)
{
    int64_t number = metrics->values[MGC_LINK_KEY_FRAME];
    if (number >= (int64_t)MGC_LINK_MAX_FRAMES) {
        log->bad++;
        return;
    }
    bool is_new;
    if (!see(log, (size_t)number, &is_new) || (is_new && !keep_frame(log, metrics))) {
        log->failed = true;
        return;
    }
    if (!is_new) {
        log->repeated++;
        return;
    }
    for (size_t i = MGC_LINK_KEY_FRAME + 1; i < MGC_LINK_KEY_COUNT; i++) {
        if (!metrics->has[i])
            continue;
        log->has_sum[i] = true;
        /* A sum past the type is a lie in the log; it stays at the top instead of wrapping. */
        if (__builtin_add_overflow(log->sums[i], metrics->values[i], &log->sums[i]))
            log->sums[i] = INT64_MAX;
    }
}

static void take_line(void *user, const char *line, uint64_t number)
{
    struct mgc_link_log *log = user;
    struct mgc_link_metrics metrics;
    (void)number;
    if (log->lines.cut && strstr(line, "P65LinkMetrics")) {
        log->bad++;
        return;
    }
    switch (mgc_link_metrics_parse(line, &metrics, NULL)) {
    case MGC_LINK_LINE_NONE:
        return;
    case MGC_LINK_LINE_BAD:
        log->bad++;
        return;
    case MGC_LINK_LINE_OK:
        break;
    }
    if (metrics.kind == MGC_LINK_FRAME) {
        add_frame(log, &metrics);
    } else if (metrics.kind == MGC_LINK_SUMMARY) {
        log->has_summary = true;
        log->summary = metrics;
    } else {
        log->other++;
    }
}

void mgc_link_log_feed(struct mgc_link_log *log, const void *data, size_t len)
{
    mgc_lines_feed(&log->lines, data, len, take_line, log);
}

void mgc_link_log_finish(struct mgc_link_log *log)
{
    log->lines.len = 0;
    log->lines.cut = false;
}

void mgc_link_log_destroy(struct mgc_link_log *log)
{
    if (!log)
        return;
    free(log->frames);
    free(log->seen);
    *log = (struct mgc_link_log){0};
}
