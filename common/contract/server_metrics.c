#include "common/contract/server_metrics.h"

#include <string.h>

#include "common/base/parse.h"

/* The number behind `key` up to a blank, a ')' or the end; `key` stands behind a blank or '('. */
static const char *value_of(const char *text, const char *key, char *ret_word, size_t size)
{
    size_t key_len = strlen(key);
    for (const char *at = strstr(text, key); at; at = strstr(at + 1, key)) {
        if (at != text && at[-1] != ' ' && at[-1] != '(')
            continue;
        size_t len = strcspn(at + key_len, " )\t\r\n");
        if (len == 0 || len >= size)
            return NULL;
        memcpy(ret_word, at + key_len, len);
        ret_word[len] = '\0';
        return ret_word;
    }
    return NULL;
}

static bool count_of(const char *text, const char *key, int64_t *ret)
{
    char word[32];
    return value_of(text, key, word, sizeof(word)) && mgc_parse_int(word, 0, INT64_MAX, ret);
}

static bool ms_of(const char *text, const char *key, double *ret)
{
    char word[32];
    return value_of(text, key, word, sizeof(word)) && mgc_parse_double(word, ret) && *ret >= 0;
}

static const char *after(const char *line, const char *mark)
{
    const char *at = strstr(line, mark);
    return at ? at + strlen(mark) : NULL;
}

enum mgc_p65_line mgc_server_metrics_parse(const char *line, struct mgc_server_metrics *ret)
{
    const char *at = after(line, "P65ServerMetrics ");
    struct mgc_server_metrics metrics = {0};
    int64_t valid;
    if (!at)
        return MGC_P65_NONE;
    if (!count_of(at, "frame=", &metrics.frame) || !count_of(at, "valid=", &valid) || valid > 1 ||
        !count_of(at, "wall_ns=", &metrics.wall_ns) ||
        !count_of(at, "apply_thread_cpu_ns=", &metrics.apply_thread_cpu_ns))
        return MGC_P65_BAD;
    metrics.valid = valid == 1;
    *ret = metrics;
    return MGC_P65_OK;
}

/* "read: 1520000 B in 40 recv(22 reads) recv_ms=36.9 total_ms=37.1 (99% blocked, 41.0 MB/s)" */
static bool parse_read(const char *at, struct mgc_server_frame *frame)
{
    const char *recv = strstr(at, " B in "), *reads = strstr(at, "recv(");
    return recv && reads && recv < reads && count_of(at, "read: ", &frame->read_bytes) &&
           count_of(recv, "in ", &frame->recv_count) &&
           count_of(reads, "recv(", &frame->read_count) && ms_of(at, "recv_ms=", &frame->recv_ms) &&
           ms_of(at, "total_ms=", &frame->total_ms);
}

enum mgc_p65_line mgc_server_frame_parse(const char *line, struct mgc_server_frame *ret)
{
    const char *at = after(line, "P65ServerFrame ");
    struct mgc_server_frame frame = {0};
    if (!at)
        return MGC_P65_NONE;
    if (!count_of(at, "frame=", &frame.frame) || !count_of(at, "records=", &frame.records) ||
        !ms_of(at, "apply_ms=", &frame.apply_ms) || !ms_of(at, "wall_ms=", &frame.wall_ms) ||
        !ms_of(at, "outside_ms=", &frame.outside_ms) || !parse_read(at, &frame))
        return MGC_P65_BAD;
    *ret = frame;
    return MGC_P65_OK;
}

enum mgc_p65_line mgc_client_pace_parse(const char *line, int64_t *ret_present)
{
    const char *at = after(line, "P65ClientPace ");
    int64_t present;
    if (!at)
        return MGC_P65_NONE;
    if (!count_of(at, "present=", &present))
        return MGC_P65_BAD;
    *ret_present = present;
    return MGC_P65_OK;
}
