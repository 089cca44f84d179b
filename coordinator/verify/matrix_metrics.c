/* Numbers that a cell on the phone has beside those of metrics.c (docs/results.md). */
#include "coordinator/verify/metrics.h"

#include <stdlib.h>
#include <string.h>

#include "common/contract/tally.h"
#include "coordinator/verify/moved.h"
#include "coordinator/verify/phone_logs.h"

/* ---- what the arm moved --------------------------------------------------------------------- */

/* Sums over the frames' lines, each frame once. */
static void link_frames(struct mgc_fields *metrics, const struct mgc_link_log *link)
{
    if (link->failed || link->frame_count == 0)
        return;
    mgc_fields_set_int(metrics, "lm_frames", (int64_t)link->frame_count);
    if (link->has_sum[MGC_LINK_KEY_WAIT_REPLIES])
        mgc_fields_set_int(metrics, "lm_wait_replies", link->sums[MGC_LINK_KEY_WAIT_REPLIES]);
    if (link->has_sum[MGC_LINK_KEY_STAGE_BYTES])
        mgc_fields_set_int(metrics, "lm_stage_bytes", link->sums[MGC_LINK_KEY_STAGE_BYTES]);
    if (link->has_sum[MGC_LINK_KEY_TRANSPORT_WAIT_NS])
        mgc_fields_set_double(metrics, "lm_transport_wait_ms",
            (double)link->sums[MGC_LINK_KEY_TRANSPORT_WAIT_NS] / 1e6);
}

/* ---- lines that count once ------------------------------------------------------------------ */

struct counts {
    struct mgc_tally stats, fatal;
    struct mgc_moved_seen moved;
    size_t log;
    uint64_t lines;
};

static void count_line(void *user, size_t log, const char *line)
{
    struct counts *counts = user;
    if (log != counts->log) {
        mgc_tally_next_log(&counts->stats);
        mgc_tally_next_log(&counts->fatal);
        counts->log = log;
    }
    counts->lines++;
    if ((log == 0 && !mgc_log_line_is_ours(line)) || strstr(line, "Accepted env variable"))
        return;
    mgc_moved_take(&counts->moved, log, line);
    size_t writer = log == 0 && strstr(line, " MobileGLServer");
    const char *stats = strstr(line, "MGPipe stats: frames="), *fatal = strstr(line, "Fatal{");
    if (stats)
        mgc_tally_add(&counts->stats, writer, stats);
    if (fatal)
        mgc_tally_add(&counts->fatal, writer, fatal);
}

static void lines(struct mgc_fields *metrics, const struct mgc_attempt *attempt,
    const struct mgc_logs *logs, const char *dir)
{
    struct counts *counts = calloc(1, sizeof(*counts));
    mgc_fields_remove(metrics, "fatal_lines");
    mgc_fields_remove(metrics, "pipe_stats_lines");
    if (counts && mgc_phone_logs_each(dir, count_line, counts, NULL) && counts->lines) {
        mgc_fields_set_int(metrics, "fatal_lines", (int64_t)mgc_tally_count(&counts->fatal));
        mgc_fields_set_int(metrics, "pipe_stats_lines", (int64_t)mgc_tally_count(&counts->stats));
    }
    if (counts)
        mgc_moved_metrics(metrics, attempt, logs, &counts->moved);
    free(counts);
}

void mgc_matrix_metrics(struct mgc_verdict *verdict, const struct mgc_attempt *attempt,
    const struct mgc_logs *logs, const char *dir)
{
    struct mgc_fields *metrics = &verdict->metrics;
    link_frames(metrics, &logs->link);
    lines(metrics, attempt, logs, dir);
}
