/* pipestats-lines.txt, linkmetrics-lines.txt and all-marker-evidence.txt: lines of the logs, each
 * behind the name of its log. As in the old files a line that stands in several logs comes several
 * times; verify.txt counts it once. */
#include <string.h>
#include <strings.h>

#include "coordinator/legacy/legacy.h"
#include "coordinator/verify/phone_logs.h"

struct sink {
    struct mgc_buf *out;
    size_t left_out;
};

struct sinks {
    struct sink pipe_stats, link_metrics, markers;
    bool failed;
};

/* The old script's marks, and Fatal{ beside them: without it a count in that file is always 0. */
static const char *const marks[] = {"Config: MOBILEGL_TRANSPORT", "spawn ARMED",
    "control=tcp data=stream", "run-ahead ARMED", "running lockstep", "Config: IPC",
    "MGPipe stats:", "Fatal{", NULL};

static bool has_mark(const char *line)
{
    for (const char *const *mark = marks; *mark; mark++) {
        if (strstr(line, *mark))
            return true;
    }
    return strcasestr(line, "DISARMED") != NULL;
}

static void put(struct sinks *sinks, struct sink *sink, const char *log, const char *line)
{
    size_t need = strlen(log) + strlen(line) + 4;
    if (sink->out->len + need > MGC_LEGACY_LINES_MAX)
        sink->left_out++;
    else if (!mgc_buf_printf(sink->out, "[%s] %s\n", log, line))
        sinks->failed = true;
}

static void take_line(void *user, size_t log, const char *line)
{
    struct sinks *sinks = user;
    const char *name = mgc_phone_log_names[log];
    if (strstr(line, "MGPipe stats:"))
        put(sinks, &sinks->pipe_stats, name, line);
    if (strstr(line, "P65LinkMetrics"))
        put(sinks, &sinks->link_metrics, name, line);
    if (has_mark(line))
        put(sinks, &sinks->markers, name, line);
}

static void finish(struct sinks *sinks, struct sink *sink)
{
    if (sink->left_out &&
        !mgc_buf_printf(sink->out, "[mgcoord] %zu more lines, left out here\n", sink->left_out))
        sinks->failed = true;
}

bool mgc_legacy_lines_read(
    const char *dir, struct mgc_legacy_lines *ret_lines, struct mgc_error *err)
{
    *ret_lines = (struct mgc_legacy_lines){0};
    struct sinks sinks = {
        {&ret_lines->pipe_stats}, {&ret_lines->link_metrics}, {&ret_lines->markers}, false};
    bool ok = mgc_phone_logs_each(dir, take_line, &sinks, err);
    finish(&sinks, &sinks.pipe_stats);
    finish(&sinks, &sinks.link_metrics);
    finish(&sinks, &sinks.markers);
    if (sinks.failed && ok)
        ok = mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the lines of the logs");
    return ok;
}

void mgc_legacy_lines_destroy(struct mgc_legacy_lines *lines)
{
    if (!lines)
        return;
    mgc_buf_destroy(&lines->pipe_stats);
    mgc_buf_destroy(&lines->link_metrics);
    mgc_buf_destroy(&lines->markers);
}
