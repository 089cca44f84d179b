#include "worker-host/tasks/server_log.h"

#include <stdio.h>
#include <string.h>

#include "worker-host/adb/logline.h"

static void keep(char into[MGC_MARKER_LINE_MAX + 1], const struct mgc_adb_logline *line)
{
    snprintf(into, MGC_MARKER_LINE_MAX + 1, "%.*s",
        (int)(line->text_len < MGC_MARKER_LINE_MAX ? line->text_len : MGC_MARKER_LINE_MAX),
        line->text);
}

static void system_line(struct mgc_server_log *log, const struct mgc_adb_logline *line)
{
    char text[MGC_MARKER_LINE_MAX + 1]; /* system lines name their package near the begin */
    keep(text, line);
    if (!log->package || !strstr(text, log->package))
        return;
    memcpy(log->system[log->system_count % MGC_SERVER_SYSTEM_LINES], text, sizeof(text));
    log->system_count++;
}

void mgc_server_log_line(struct mgc_server_log *log, const char *line, size_t len)
{
    struct mgc_adb_logline parsed;
    if (!mgc_adb_logline_parse(line, len, &parsed))
        return;
    if (mgc_adb_logline_has_tag(&parsed, "ActivityManager")) {
        system_line(log, &parsed);
        return;
    }
    bool library = mgc_adb_logline_has_tag(&parsed, "MobileGL");
    if (!library && !mgc_adb_logline_has_tag(&parsed, "MobileGLServer"))
        return;
    log->lines++;
    keep(log->last_line, &parsed);
    if (!library && strncmp(log->last_line, "server ended", 12) == 0)
        keep(log->ended, &parsed);
    uint64_t listening = log->markers.hits[MGC_MARKER_LISTENING].count;
    uint64_t refused = log->markers.hits[MGC_MARKER_REFUSE].count;
    mgc_markers_feed(&log->markers, parsed.text, parsed.text_len);
    mgc_markers_feed(&log->markers, "\n", 1);
    if (log->markers.hits[MGC_MARKER_REFUSE].count > refused)
        log->refused[library ? 0 : 1]++;
    if (log->markers.hits[MGC_MARKER_LISTENING].count > listening) {
        if (!log->listen_line[0])
            keep(log->listen_line, &parsed);
    } else if (strchr("WEF", parsed.level)) {
        keep(log->warning, &parsed);
    }
}

static bool reap_facts(const struct mgc_reap *reap, struct mgc_fields *facts)
{
    const char *how = reap->kind == MGC_REAP_EXIT     ? "session_exit"
                      : reap->kind == MGC_REAP_SIGNAL ? "session_signal"
                                                      : "session_status";
    return mgc_fields_set_str(facts, "reap_line", reap->line) &&
           mgc_fields_set_int(facts, "session_pid", reap->pid) &&
           mgc_fields_set_int(facts, how, reap->value);
}

bool mgc_server_log_facts(
    const struct mgc_server_log *log, bool expect_session, struct mgc_fields *facts)
{
    const struct mgc_markers *markers = &log->markers;
    uint64_t refused = log->refused[0] > log->refused[1] ? log->refused[0] : log->refused[1];
    bool ok = true;
    if (log->listen_line[0])
        ok = mgc_fields_set_str(facts, "listen_line", log->listen_line);
    if (refused)
        ok = ok && mgc_fields_set_int(facts, "refused", (int64_t)refused) &&
             mgc_fields_set_str(facts, "refuse_code", markers->refuse_code);
    const struct mgc_reap *reap = mgc_server_log_reap(log);
    if (reap)
        ok = ok && mgc_fields_set_bool(facts, "session_reaped", true) && reap_facts(reap, facts);
    else if (expect_session)
        ok = ok && mgc_fields_set_bool(facts, "session_reaped", false);
    return ok;
}

bool mgc_server_log_end_facts(const struct mgc_server_log *log, struct mgc_fields *facts)
{
    struct mgc_buf lines = {0};
    uint64_t first = log->system_count > MGC_SERVER_SYSTEM_LINES
                         ? log->system_count - MGC_SERVER_SYSTEM_LINES
                         : 0;
    for (uint64_t i = first; i < log->system_count; i++)
        mgc_buf_printf(
            &lines, "%s%s", i > first ? " | " : "", log->system[i % MGC_SERVER_SYSTEM_LINES]);
    bool ok = mgc_buf_ok(&lines) &&
              (!lines.len || mgc_fields_set_str(facts, "system_lines", mgc_buf_text(&lines))) &&
              (!log->ended[0] || mgc_fields_set_str(facts, "ended_line", log->ended));
    mgc_buf_destroy(&lines);
    return ok;
}

bool mgc_server_log_only_refused(const struct mgc_server_log *log)
{
    return mgc_markers_has(&log->markers, MGC_MARKER_REFUSE) &&
           !mgc_markers_has(&log->markers, MGC_MARKER_READY);
}

bool mgc_server_log_has_session(const struct mgc_server_log *log)
{
    return mgc_markers_has(&log->markers, MGC_MARKER_READY) ||
           mgc_markers_has(&log->markers, MGC_MARKER_REAPED);
}

const struct mgc_reap *mgc_server_log_reap(const struct mgc_server_log *log)
{
    const struct mgc_markers *markers = &log->markers;
    for (size_t i = markers->reap_count; i-- > 0;) {
        const struct mgc_reap *reap = &markers->reaps[i];
        if (!markers->has_ready_pid || reap->pid == markers->ready_pid)
            return reap;
    }
    return NULL;
}

const struct mgc_reap *mgc_server_log_broken(const struct mgc_server_log *log)
{
    const struct mgc_reap *reap = log->markers.has_ready_pid ? mgc_server_log_reap(log) : NULL;
    bool bad = reap &&
               (reap->kind == MGC_REAP_SIGNAL || (reap->kind == MGC_REAP_EXIT && reap->value != 0));
    return bad ? reap : NULL;
}

bool mgc_server_log_cannot_listen(const struct mgc_server_log *log)
{
    return strcmp(log->ended, "server ended: exit code 72") == 0;
}

/* Android's word on the end of the app's process since it was started last; NULL: none so far. */
static const char *death_line(const struct mgc_server_log *log)
{
    uint64_t kept =
        log->system_count < MGC_SERVER_SYSTEM_LINES ? log->system_count : MGC_SERVER_SYSTEM_LINES;
    for (uint64_t i = 1; i <= kept; i++) {
        const char *line = log->system[(log->system_count - i) % MGC_SERVER_SYSTEM_LINES];
        if (strstr(line, "has died"))
            return line;
        if (strncmp(line, "Start proc", 10) == 0)
            return NULL;
    }
    return NULL;
}

bool mgc_server_log_has_last_words(const struct mgc_server_log *log)
{
    return log->ended[0] || death_line(log);
}

const char *mgc_server_log_words(const struct mgc_server_log *log, char *buf, size_t size)
{
    const char *death = log->ended[0] ? NULL : death_line(log);
    if (!log->lines)
        snprintf(buf, size, "the log has no line of a server");
    else if (death)
        snprintf(buf, size, "Android says \"%.150s\", the log at last \"%.150s\"", death,
            log->last_line);
    else if (log->warning[0] && strcmp(log->warning, log->last_line) != 0)
        snprintf(
            buf, size, "the log says \"%.150s\", at last \"%.150s\"", log->warning, log->last_line);
    else
        snprintf(buf, size, "the log says at last \"%.200s\"", log->last_line);
    return buf;
}
