/* What moved the bytes: that the arms differ in their mechanism, by counters and not by time. */
#include <math.h>
#include <string.h>

#include "coordinator/legacy/legacy.h"
#include "coordinator/report/phone.h"

enum path { PATH_UNKNOWN, PATH_CALLS, PATH_RING, PATH_SHARED, PATH_SOCKET };

static const char *const path_names[] = {[PATH_UNKNOWN] = "not proved",
    [PATH_CALLS] = "calls in one process",
    [PATH_RING] = "ring in one process",
    [PATH_SHARED] = "shared memory",
    [PATH_SOCKET] = "socket"};

static bool has(const struct mgc_fields *fields, const char *key, const char *begin)
{
    const char *text = mgc_fields_get_str(fields, key);
    return text && strncmp(text, begin, strlen(begin)) == 0;
}

/* By the lines that proved the arm, as in the table of proofs. */
static enum path path_of(const struct mgc_cell_result *cell)
{
    struct mgc_fields fields = {0};
    enum path path = PATH_UNKNOWN;
    mgc_legacy_verify_fields(cell->cell, &cell->verdict, &fields);
    if (has(&fields, "SPLIT_MARKER", "absent"))
        path = PATH_CALLS;
    else if (has(&fields, "TCP_SESSION", "OK"))
        path = PATH_SOCKET;
    else if (has(&fields, "SECOND_PROCESS_SPAWN_ARMED", "OK"))
        path = PATH_SHARED;
    else if (has(&fields, "TRANSPORT_MARKER", "inproc:OK"))
        path = PATH_RING;
    mgc_fields_destroy(&fields);
    return path;
}

/* The middle of the runs, and the ends where they differ. */
static bool put_spread(const struct mgc_results *results, const struct mgc_aggregate *a,
    const char *metric, const char *before, double scale, int decimals, struct mgc_buf *out)
{
    struct mgc_spread spread;
    if (!mgc_aggregate_spread(results, a, metric, &spread))
        return false;
    mgc_buf_printf(out, " %s%.*f", before, decimals, spread.median * scale);
    if (spread.min < spread.max)
        mgc_buf_printf(
            out, " (%.*f to %.*f)", decimals, spread.min * scale, decimals, spread.max * scale);
    mgc_buf_puts(out, " |");
    return true;
}

static void put_count(const struct mgc_results *results, const struct mgc_aggregate *a,
    const char *metric, struct mgc_buf *out)
{
    if (!put_spread(results, a, metric, "", 1, 0, out))
        mgc_md_text("", out);
}

static void put_mb(const struct mgc_results *results, const struct mgc_aggregate *a,
    const char *metric, struct mgc_buf *out)
{
    if (!put_spread(results, a, metric, "", 1e-6, 3, out))
        mgc_md_text("", out);
}

/* What went this way: by the client's own count; of a socket else by the server's; else at least
 * what the client staged, where this is the way that was proved. */
static void put_way(const struct mgc_results *results, const struct mgc_aggregate *a, enum path own,
    enum path way, const char *metric, struct mgc_buf *out)
{
    if (put_spread(results, a, metric, "", 1e-6, 3, out))
        return;
    if (own == PATH_SOCKET && way == own &&
        put_spread(results, a, "server_read_bytes", "", 1e-6, 3, out))
        return;
    if (own != way || !put_spread(results, a, "lm_stage_bytes", ">= ", 1e-6, 3, out))
        mgc_md_text("", out);
}

static void moved_row(
    const struct mgc_results *results, const struct mgc_aggregate *a, struct mgc_buf *out)
{
    enum path path = path_of(a->best);
    mgc_md_begin(out);
    mgc_md_arm(results, a->best->cell, out);
    mgc_md_real((double)a->count, 0, out);
    mgc_md_text(path_names[path], out);
    put_count(results, a, "processes", out);
    put_count(results, a, "pipe_wire_records", out);
    put_mb(results, a, "lm_stage_bytes", out);
    put_mb(results, a, "pipe_stage_segment_bytes", out);
    put_way(results, a, path, PATH_RING, "moved_ring_bytes", out);
    put_way(results, a, path, PATH_SHARED, "moved_shared_bytes", out);
    put_way(results, a, path, PATH_SOCKET, "moved_socket_bytes", out);
    mgc_md_end(out);
}

void mgc_phone_moved(const struct mgc_results *results, const struct mgc_aggregate *list,
    size_t count, const char *workload, struct mgc_buf *out)
{
    static const char *const titles[] = {"arm", ">n", "way, by the arm's proof", ">processes",
        ">records", ">staged MB", ">copied into a segment MB", ">ring MB", ">shared memory MB",
        ">socket MB", NULL};
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].workload, workload) != 0)
            continue;
        if (!any) {
            mgc_buf_puts(out, "#### What moved the bytes\n\n");
            mgc_md_head(titles, out);
        }
        any = true;
        moved_row(results, &list[i], out);
    }
    if (any)
        mgc_buf_puts(out,
            "\nOf the n measured benchmark runs the median, with lowest and highest where they "
            "differ; whole runs, load included; MB is 10^6 bytes. *processes*: the app and those "
            "that logs and facts name by their pid. *records* and *copied into a segment*: "
            "MobileGL's counters of both roles; *staged*: the client's LinkMetrics. *ring*, "
            "*shared "
            "memory*, *socket*: by the client's own count where its build has one (the lab's has), "
            "of a socket else what the server read, where its frame stats were asked for; else "
            "`>=` what was staged, in the column of the proved way. \"-\" was not told, which is "
            "not 0.\n\n");
}
