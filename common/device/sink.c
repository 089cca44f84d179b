#include "common/device/sink.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"

enum { CONGESTION_MAX = 15 }; /* the kernel's TCP_CA_NAME_MAX without its 0 */

const char *mgc_sink_way_name(unsigned way)
{
    return way == MGC_DEVICE_SINK_UP ? "up" : way == MGC_DEVICE_SINK_DOWN ? "down" : "unknown";
}

static bool name_ok(const char *name)
{
    size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-");
    return len <= CONGESTION_MAX && name[len] == '\0';
}

bool mgc_sink_run_check(const struct mgc_device_sink_run *run, struct mgc_error *err)
{
    if (run->way != MGC_DEVICE_SINK_UP && run->way != MGC_DEVICE_SINK_DOWN)
        return mgc_error_set(err, MGC_E_USAGE, "a test in direction %u", run->way);
    if (run->streams < 1 || run->streams > MGC_SINK_STREAMS_MAX)
        return mgc_error_set(err, MGC_E_USAGE, "a test with %u streams, expected 1 to %d",
            run->streams, MGC_SINK_STREAMS_MAX);
    if (run->duration_ms < 1 || run->duration_ms > MGC_SINK_DURATION_MAX_MS)
        return mgc_error_set(err, MGC_E_USAGE, "a test of %u ms, expected 1 to %d",
            run->duration_ms, MGC_SINK_DURATION_MAX_MS);
    if (run->interval_ms < MGC_SINK_INTERVAL_MIN_MS || run->interval_ms > run->duration_ms ||
        run->duration_ms / run->interval_ms >= MGC_SINK_INTERVALS_MAX)
        return mgc_error_set(err, MGC_E_USAGE,
            "a test of %u ms in intervals of %u ms, expected at least %d ms and at most %d of them",
            run->duration_ms, run->interval_ms, MGC_SINK_INTERVAL_MIN_MS, MGC_SINK_INTERVALS_MAX);
    return name_ok(run->congestion) ||
           mgc_error_set(
               err, MGC_E_USAGE, "\"%.40s\" is no name of a congestion control", run->congestion);
}

bool mgc_sink_token_equal(
    const unsigned char a[MGC_DEVICE_TOKEN_SIZE], const unsigned char b[MGC_DEVICE_TOKEN_SIZE])
{
    volatile unsigned char differ = 0;
    for (size_t i = 0; i < MGC_DEVICE_TOKEN_SIZE; i++)
        differ = (unsigned char)(differ | (a[i] ^ b[i]));
    return differ == 0;
}

/* xorshift32; any start but 0. */
void mgc_sink_fill(unsigned char *data, size_t size)
{
    uint32_t state = 2463534242u;
    for (size_t i = 0; i < size; i++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        data[i] = (unsigned char)(state >> 24);
    }
}

/* --- series ----------------------------------------------------------------------------------- */

bool mgc_sink_series_make(struct mgc_sink_series *series, const struct mgc_device_sink_run *run)
{
    *series = (struct mgc_sink_series){.interval_ns = run->interval_ms * MGC_NS_PER_MS,
        .duration_ns = run->duration_ms * MGC_NS_PER_MS,
        .count = (run->duration_ms + run->interval_ms - 1) / run->interval_ms};
    series->bytes = calloc(series->count, sizeof(*series->bytes));
    return series->bytes;
}

void mgc_sink_series_destroy(struct mgc_sink_series *series)
{
    if (!series)
        return;
    free(series->bytes);
    *series = (struct mgc_sink_series){0};
}

void mgc_sink_series_add(struct mgc_sink_series *series, int64_t now_ns, int64_t bytes)
{
    if (!series->begun) {
        series->begun = true;
        series->first_ns = now_ns;
    }
    int64_t at_ns = now_ns - series->first_ns;
    if (at_ns >= 0 && at_ns < series->duration_ns)
        series->bytes[at_ns / series->interval_ns] += bytes;
}

int64_t mgc_sink_series_end_ns(const struct mgc_sink_series *series)
{
    return series->begun ? series->first_ns + series->duration_ns : MGC_NEVER;
}

int64_t mgc_sink_series_total(const struct mgc_sink_series *series)
{
    int64_t total = 0;
    for (size_t i = 0; i < series->count; i++)
        total += series->bytes[i];
    return total;
}
