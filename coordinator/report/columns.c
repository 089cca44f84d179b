#include "coordinator/report/columns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/base/clock.h"
#include "common/json/json.h"
#include "coordinator/merge/comparisons.h"

const struct mgc_column mgc_crosshost_columns[] = {
    {"frames", "total_frames", 0, "frames", 6, 5, "frames that the client drew"},
    {"fps", "fps", 1, "fps", 6, 4,
        "1/s, the client's own: 1000 over the mean of its *tail frames*, the last 200 of a run; a "
        "shorter trace's hold frame 1, too"},
    {"throughput fps", "throughput_fps", 1, "throughput", 10, 1,
        "1/s: 1000 over the mean of frames 2 and up, that is frames over the time they took. "
        "Compare by this one"},
    {"steady fps", "steady_fps", 1, NULL, 0, 0,
        "1/s, as in the old script: 1000 over the *median* of frames 2 and up. *(bursts)*: it "
        "parts "
        "from the throughput by more than 20 %, since frames came in bursts, and is no rate"},
    {"median ms", "median_ms", 2, "median ms", 9, 2,
        "ms, the client's own: median of its tail frames"},
    {"p95 ms", "p95_ms", 2, "p95 ms", 8, 3,
        "ms, the client's own: 95 of 100 tail frames are as short"},
    {"first frame s", "first_frame_s", 2, "first s", 7, 6,
        "s: frame 1, which holds set-up and load"},
    {"steady MB/frame", "steady_mb_per_frame", 3, NULL, 0, 0,
        "MB (10^6 bytes) that the client sent per frame, mean of frames 2 and up"},
    {"steady MB/s", "steady_mbps", 1, NULL, 0, 0, "MB/s: that times the throughput"},
    {"wait replies", "wait_replies", 0, NULL, 0, 0,
        "how often the client waited for a reply of the server"},
    {"rtt mean ms", "rtt_mean_ms", 2, "rtt ms", 6, 7,
        "ms from a request to its reply, as the client saw it, so with the server's work; *(n = "
        "N)* "
        "where there were fewer than 8 replies, which tells nothing of the link"},
    {"rtt p50 <= ms", "rtt_p50_ub_ms", 2, NULL, 0, 0,
        "ms: half of the replies came within this (upper bound of a power-of-two bin); *(n = N)* "
        "as "
        "before"},
    {"rtt p99 <= ms", "rtt_p99_ub_ms", 2, NULL, 0, 0, "ms: the same for 99 of 100"},
    {"stage MB", "stage_mb", 1, NULL, 0, 0,
        "MB of buffers and textures that the client sent in the whole run"},
    {"client cpu s", "client_cpu_s", 2, NULL, 0, 0,
        "s of CPU that the client's rendering thread used"},
    {"ssim", "ssim", 6, "ssim", 8, 0,
        "likeness of the picture to the golden one, 1 is the same; a cell counts from the "
        "workload's threshold on"},
    {"differing pixels", "mismatch_pixels", 0, NULL, 0, 0, "pixels that differ from the golden's"},
    {"wall s", "wall_s", 1, NULL, 0, 0, "s from the start of the client process to its end"},
    {"rc", "rc", 0, NULL, 0, 0, "exit code of the client process; 0 is success"},
    {NULL},
};

bool mgc_rtt_of_few(const struct mgc_cell_result *cell, int64_t *ret_replies)
{
    int64_t replies;
    if (!mgc_fields_get_int(&cell->verdict.metrics, "rtt_samples", &replies) ||
        replies >= MGC_RTT_REPLIES_MIN)
        return false;
    if (ret_replies)
        *ret_replies = replies;
    return true;
}

void mgc_column_text(const struct mgc_column *column, const struct mgc_cell_result *cell,
    char ret_text[MGC_COLUMN_TEXT_MAX])
{
    double value;
    if (mgc_fields_get_double(&cell->verdict.metrics, column->metric, &value))
        snprintf(ret_text, MGC_COLUMN_TEXT_MAX, "%.*f", column->decimals, value);
    else
        snprintf(ret_text, MGC_COLUMN_TEXT_MAX, "-");
}

bool mgc_cell_in_bursts(const struct mgc_cell_result *cell)
{
    double mean_fps, median_fps;
    return mgc_fields_get_double(&cell->verdict.metrics, "throughput_fps", &mean_fps) &&
           mgc_fields_get_double(&cell->verdict.metrics, "steady_fps", &median_fps) &&
           fabs(median_fps - mean_fps) > 0.2 * mean_fps;
}

/* Frames across hosts with a credit above 1 come in bursts, and are marked as that. */
bool mgc_cell_mean_is_apart(
    const struct mgc_cell_result *cell, double *ret_mean_ms, double *ret_median_ms)
{
    const struct mgc_fields *metrics = &cell->verdict.metrics;
    bool bursts = mgc_cell_over_network(cell->cell) && cell->cell->expect.credit > 1;
    if (bursts || cell->verdict.state != MGC_VERDICT_MEASURED ||
        !mgc_fields_get_double(metrics, "kept_mean_ms", ret_mean_ms) ||
        !mgc_fields_get_double(metrics, "kept_median_ms", ret_median_ms))
        return false;
    double smaller = fmin(*ret_mean_ms, *ret_median_ms);
    return fabs(*ret_mean_ms - *ret_median_ms) > smaller * MGC_MEAN_APART_PCT / 100;
}

bool mgc_mean_apart_text(const struct mgc_results *results, size_t *at, char *text, size_t size)
{
    while (*at < results->count) {
        const struct mgc_cell_result *cell = &results->cells[(*at)++];
        double mean_ms, median_ms;
        if (!mgc_cell_mean_is_apart(cell, &mean_ms, &median_ms))
            continue;
        snprintf(text, size,
            "%s: mean %.2f and median %.2f ms per frame are more than %d %% apart, so few frames "
            "make its mean; look at p99 and max before comparing it",
            cell->cell->id, mean_ms, median_ms, MGC_MEAN_APART_PCT);
        return true;
    }
    return false;
}

bool mgc_column_has(const struct mgc_column *column, const struct mgc_cell_result *cell)
{
    return mgc_fields_get(&cell->verdict.metrics, column->metric) != NULL;
}

void mgc_verdict_text(const struct mgc_verdict *verdict, char *ret_text, size_t size)
{
    bool named = verdict->reason[0] && verdict->state != MGC_VERDICT_MEASURED;
    snprintf(ret_text, size, "%s%s%s", mgc_verdict_state_name(verdict->state), named ? ": " : "",
        named ? verdict->reason : "");
}

bool mgc_device_is_lab(const struct mgc_results *results)
{
    const char *model = mgc_fields_get_str(&results->device, "model");
    return model && strstr(model, "lab phone");
}

const char *mgc_device_kind(const struct mgc_results *results)
{
    if (!mgc_fields_get_str(&results->device, "model"))
        return NULL;
    return mgc_device_is_lab(results) ? "lab phone" : "phone";
}

void mgc_device_text(const struct mgc_results *results, char *ret_text, size_t size)
{
    const char *model = mgc_fields_get_str(&results->device, "model");
    const char *serial = mgc_fields_get_str(&results->device, "serialno");
    snprintf(ret_text, size, "%s%s%s%s", model ? model : "unknown device", serial ? " (" : "",
        serial ? serial : "", serial ? ")" : "");
}

void mgc_put_utc(struct mgc_buf *out, int64_t wall_ns, char between, const char *zone)
{
    char date[32], hours[32];
    time_t seconds = (time_t)(wall_ns / MGC_NS_PER_S);
    struct tm utc;
    if (wall_ns == 0 || !gmtime_r(&seconds, &utc)) {
        mgc_buf_puts(out, "an unknown time");
        return;
    }
    strftime(date, sizeof(date), "%Y-%m-%d", &utc);
    strftime(hours, sizeof(hours), "%H:%M:%S", &utc);
    mgc_buf_printf(out, "%s%c%s%s", date, between, hours, zone);
}

const char *mgc_path_not_checked(const struct mgc_results *results)
{
    if (results->interrupted)
        return "not checked, since the user stopped the run";
    return results->stopped_reason ? "not checked, since the run was stopped" : "not checked";
}

/* How much of it can stand as it is: most of nearly every text. */
static size_t plain_len(const char *text, const char *escape)
{
    size_t end = strcspn(text, escape), len = 0;
    while (len < end && text[len] >= 0x20 && text[len] < 0x7f)
        len++;
    return len;
}

/* Well-formed text without control characters, escaped where `escape` says so. U+0080..9f are
 * control characters too: C2 80..9f. */
static void put_text(struct mgc_buf *out, const char *text, const char *escape)
{
    size_t plain = plain_len(text, escape);
    mgc_buf_append(out, text, plain);
    text += plain;
    if (!*text)
        return;
    json_t *string = mgc_json_text(text);
    for (const char *c = string ? json_string_value(string) : ""; *c; c++) {
        unsigned char byte = (unsigned char)*c, next = (unsigned char)c[1];
        if (byte == 0xc2 && next < 0xa0)
            c++;
        if (byte < 0x20 || byte == 0x7f || (byte == 0xc2 && next < 0xa0))
            mgc_buf_putc(out, ' ');
        else if (strchr(escape, *c))
            mgc_buf_printf(out, "\\%c", *c);
        else
            mgc_buf_putc(out, *c);
    }
    json_decref(string);
}

void mgc_put_plain(struct mgc_buf *out, const char *text)
{
    put_text(out, text, "");
}

void mgc_put_markdown(struct mgc_buf *out, const char *text)
{
    put_text(out, text, "\\|<`*");
}
