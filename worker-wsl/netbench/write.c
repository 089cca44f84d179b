#include <stdio.h>

#include "common/base/clock.h"
#include "worker-wsl/netbench/netbench.h"

/* A fact of one direction: its name with "up_" or "down_" before it. */
static bool put_int(struct mgc_fields *fields, const char *way, const char *what, int64_t value)
{
    char name[64];
    snprintf(name, sizeof(name), "%s_%s", way, what);
    return mgc_fields_set_int(fields, name, value);
}

static bool put_rtt(struct mgc_fields *fields, const char *way, const struct mgc_netbench_rtt *rtt)
{
    char prefix[16];
    snprintf(prefix, sizeof(prefix), "%s%srtt", way, *way ? "_" : "");
    return put_int(fields, prefix, "n", (int64_t)rtt->n) &&
           (rtt->n == 0 || (put_int(fields, prefix, "min_ns", rtt->min_ns) &&
                               put_int(fields, prefix, "median_ns", rtt->median_ns) &&
                               put_int(fields, prefix, "p95_ns", rtt->p95_ns)));
}

static bool put_way(struct mgc_fields *fields, const char *name, const struct mgc_netbench_way *way)
{
    struct mgc_netbench_figures figures = mgc_netbench_figures(way);
    char cv[16], congestion[24];
    if (!way->measured)
        return true;
    snprintf(cv, sizeof(cv), "%s_cv", name);
    snprintf(congestion, sizeof(congestion), "%s_congestion", name);
    return put_int(fields, name, "bps", figures.bps) &&
           put_int(fields, name, "window_ns", figures.window_ns) &&
           put_int(fields, name, "window_bytes", figures.bytes) &&
           put_int(fields, name, "duration_ns", way->duration_ns) &&
           put_int(fields, name, "intervals", (int64_t)figures.intervals) &&
           (!figures.has_cv || mgc_fields_set_double(fields, cv, figures.cv)) &&
           put_int(fields, name, "sent_bytes", figures.sent_bytes) &&
           put_int(fields, name, "received_bytes", figures.received_bytes) &&
           (way->heard_bytes <= 0 || put_int(fields, name, "heard_bytes", way->heard_bytes)) &&
           (way->retransmits < 0 || put_int(fields, name, "retransmits", way->retransmits)) &&
           (!*way->congestion || mgc_fields_set_str(fields, congestion, way->congestion)) &&
           put_rtt(fields, name, &way->loaded);
}

static bool put_marks(struct mgc_fields *fields, const struct mgc_netbench_marks *marks)
{
    char reason[200];
    mgc_netbench_path_reason(marks, reason, sizeof(reason));
    bool ok =
        mgc_fields_set_str(fields, "path", mgc_netbench_path_name(mgc_netbench_path(marks))) &&
        mgc_fields_set_str(fields, "path_reason", reason) &&
        mgc_fields_setf(fields, "own", "%s:%u", marks->own_address, marks->own_port) &&
        mgc_fields_setf(fields, "seen", "%s:%u", marks->seen_address, marks->seen_port) &&
        mgc_fields_set_int(fields, "named_mss", marks->mss) &&
        mgc_fields_set_int(fields, "named_wscale", marks->wscale);
    return ok && (marks->seen_mss == 0 ||
                     (mgc_fields_set_int(fields, "seen_mss", marks->seen_mss) &&
                         mgc_fields_set_int(fields, "seen_wscale", marks->seen_wscale)));
}

bool mgc_netbench_to_fields(const struct mgc_netbench_result *result, struct mgc_fields *fields)
{
    size_t streams = result->up.measured ? result->up.stream_count : result->down.stream_count;
    return put_marks(fields, &result->marks) &&
           (streams == 0 || mgc_fields_set_int(fields, "streams", (int64_t)streams)) &&
           put_rtt(fields, "", &result->idle) && put_way(fields, "up", &result->up) &&
           put_way(fields, "down", &result->down);
}

static void put_rows(struct mgc_buf *text, const char *name, const struct mgc_netbench_way *way)
{
    for (size_t i = 0; way->measured && i < way->count; i++) {
        int64_t begin_ns = (int64_t)i * way->interval_ns;
        int64_t end_ns = begin_ns + way->interval_ns;
        if (end_ns > way->duration_ns)
            end_ns = way->duration_ns;
        mgc_buf_printf(text, "%s,%zu,%lld,%lld,%lld,%.0f\n", name, i,
            (long long)(begin_ns / MGC_NS_PER_MS), (long long)(end_ns / MGC_NS_PER_MS),
            (long long)way->bytes[i],
            (double)way->bytes[i] * 8 * (double)MGC_NS_PER_S / (double)(end_ns - begin_ns));
    }
}

bool mgc_netbench_put_csv(const struct mgc_netbench_result *result, struct mgc_buf *text)
{
    mgc_buf_puts(text, "way,index,begin_ms,end_ms,bytes,bps\n");
    put_rows(text, "up", &result->up);
    put_rows(text, "down", &result->down);
    return mgc_buf_ok(text);
}
