#include "worker-wsl/netbench/netbench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"

enum { TIMESTAMPS_SIZE = 12 }; /* what they take of each segment, RFC 7323 */

/* --- round trips ------------------------------------------------------------------------------ */

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

struct mgc_netbench_rtt mgc_netbench_rtt_of(int64_t *samples_ns, size_t count)
{
    if (count == 0)
        return (struct mgc_netbench_rtt){0};
    qsort(samples_ns, count, sizeof(*samples_ns), by_value);
    return (struct mgc_netbench_rtt){.n = count,
        .min_ns = samples_ns[0],
        .median_ns = samples_ns[(count + 1) / 2 - 1],
        .p95_ns = samples_ns[(count * 95 + 99) / 100 - 1]};
}

/* --- throughput ------------------------------------------------------------------------------- */

static void spread(
    const struct mgc_netbench_way *way, size_t first, struct mgc_netbench_figures *figures)
{
    double sum = 0, squares = 0;
    size_t whole = (size_t)(way->duration_ns / way->interval_ns); /* the last may be a part */
    for (size_t i = first; i < whole; i++)
        sum += (double)way->bytes[i];
    figures->intervals = whole - first;
    double mean = sum / (double)figures->intervals;
    for (size_t i = first; i < whole; i++)
        squares += ((double)way->bytes[i] - mean) * ((double)way->bytes[i] - mean);
    figures->has_cv = figures->intervals > 1 && mean > 0;
    if (figures->has_cv)
        figures->cv = sqrt(squares / (double)(figures->intervals - 1)) / mean;
}

struct mgc_netbench_figures mgc_netbench_figures(const struct mgc_netbench_way *way)
{
    struct mgc_netbench_figures figures = {0};
    for (size_t i = 0; i < way->stream_count; i++) {
        figures.sent_bytes += way->streams[i].sent_bytes;
        figures.received_bytes += way->streams[i].received_bytes;
    }
    if (!way->measured || way->count == 0)
        return figures;
    size_t whole = (size_t)(way->duration_ns / way->interval_ns);
    size_t first = (size_t)((way->warmup_ns + way->interval_ns - 1) / way->interval_ns);
    if (first >= whole)
        first = whole - 1;
    for (size_t i = first; i < way->count; i++)
        figures.bytes += way->bytes[i];
    figures.window_ns = way->duration_ns - (int64_t)first * way->interval_ns;
    figures.bps =
        (int64_t)((double)figures.bytes * 8 * (double)MGC_NS_PER_S / (double)figures.window_ns);
    spread(way, first, &figures);
    return figures;
}

/* --- the path --------------------------------------------------------------------------------- */

static uint32_t expected_mss(const struct mgc_netbench_marks *marks)
{
    return marks->mss - (marks->seen_timestamps ? TIMESTAMPS_SIZE : 0);
}

/* A smaller segment size may come from a router that clamps it; a larger one, or another window
 * scale, from nobody but another end of TCP. */
enum mgc_netbench_path mgc_netbench_path(const struct mgc_netbench_marks *marks)
{
    if (marks->seen_mss == 0)
        return MGC_NETBENCH_PATH_UNKNOWN;
    if (marks->seen_mss > expected_mss(marks) || marks->seen_wscale != marks->wscale)
        return MGC_NETBENCH_PATH_MIDDLEBOX;
    return marks->seen_mss == expected_mss(marks) ? MGC_NETBENCH_PATH_END_TO_END
                                                  : MGC_NETBENCH_PATH_UNKNOWN;
}

const char *mgc_netbench_path_name(enum mgc_netbench_path path)
{
    static const char *const names[] = {"cannot-tell", "end-to-end", "middlebox"};
    return names[path];
}

void mgc_netbench_path_reason(const struct mgc_netbench_marks *marks, char *text, size_t size)
{
    bool nat = strcmp(marks->own_address, marks->seen_address) != 0;
    if (marks->seen_mss == 0)
        snprintf(text, size, "the phone's kernel does not say how it sees the connection");
    else
        snprintf(text, size,
            "named segments of %u bytes and window scale %u, the phone sees %u and %u%s%s",
            expected_mss(marks), marks->wscale, marks->seen_mss, marks->seen_wscale,
            nat ? ", and another address: " : "", nat ? marks->seen_address : "");
}
