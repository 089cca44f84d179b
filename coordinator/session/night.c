/* What an unattended run owes to those who look in the morning: a heartbeat while it is on and at
 * its end, and that old runs do not fill the disk. */
#include <stdio.h>

#include "common/base/clock.h"
#include "coordinator/night/heartbeat.h"
#include "coordinator/night/retention.h"
#include "coordinator/report/report.h"
#include "coordinator/session/session_private.h"

/* ---- heartbeat ---- */

/* Told once: the run itself goes on, and what checks the file will notice. */
static void beat_failed(struct session *session, const struct mgc_error *err)
{
    bool first = !session->beat_failed;
    session->beat_failed = true;
    if (!first)
        return;
    mgc_results_note(session->results, "%s", err->text);
    mgc_session_note(session, err->text);
}

static void beat(struct session *session, struct mgc_heartbeat *heartbeat)
{
    const struct mgc_plan *plan = session->config->plan;
    struct mgc_error err = {0};
    char path[MGC_PATH_MAX];
    snprintf(heartbeat->run_id, sizeof(heartbeat->run_id), "%s", plan->run_id);
    snprintf(heartbeat->plan, sizeof(heartbeat->plan), "%s", plan->name);
    snprintf(heartbeat->dir, sizeof(heartbeat->dir), "%s", session->dir.path);
    heartbeat->updated_wall_ns = mgc_wall_ns();
    if (!session->beat_ns)
        session->begin_wall_ns = heartbeat->updated_wall_ns;
    heartbeat->start_wall_ns = session->begin_wall_ns;
    session->beat_ns = mgc_mono_ns();
    if (!mgc_heartbeat_path(session->config->site, path))
        mgc_error_set(&err, MGC_E_CONFIG, "heartbeat: path is too long");
    else if (mgc_heartbeat_write(path, heartbeat, &err))
        return;
    beat_failed(session, &err);
}

static void set_place(struct mgc_heartbeat *heartbeat, const struct mgc_status *status)
{
    heartbeat->index = status->index;
    heartbeat->cells = status->cells;
    snprintf(heartbeat->cell, sizeof(heartbeat->cell), "%s", status->cell);
}

void mgc_session_beat(
    struct session *session, const struct mgc_progress *event, const struct mgc_status *status)
{
    bool cell_over = event && event->kind == MGC_PROGRESS_VERDICT;
    int64_t age_ms = (mgc_mono_ns() - session->beat_ns) / MGC_NS_PER_MS;
    struct mgc_heartbeat heartbeat = {.state = MGC_HEARTBEAT_RUNNING};
    if (session->beat_ns && !cell_over && age_ms < MGC_HEARTBEAT_PERIOD_MS)
        return;
    set_place(&heartbeat, status);
    beat(session, &heartbeat);
}

void mgc_session_beat_end(struct session *session, int exit_code, const char *summary)
{
    struct mgc_heartbeat heartbeat = {.state = MGC_HEARTBEAT_DONE, .exit_code = exit_code};
    if (!session->beat_ns) /* it never began: what an earlier run said stands */
        return;
    struct mgc_status status = mgc_progress_view_status(&session->view, mgc_mono_ns());
    if (session->results->interrupted)
        heartbeat.state = MGC_HEARTBEAT_INTERRUPTED;
    set_place(&heartbeat, &status);
    heartbeat.cell[0] = '\0';
    snprintf(heartbeat.summary, sizeof(heartbeat.summary), "%s", summary);
    beat(session, &heartbeat);
}

/* ---- retention ---- */

struct told {
    struct session *session;
    struct mgc_buf lines;
};

static void tell_retention(void *user, const char *sentence)
{
    struct told *told = user;
    mgc_buf_printf(&told->lines, "%s\n", sentence);
    mgc_session_note(told->session, sentence);
}

/* Not in the report, which is written by now: what is removed goes only after all of this run is
 * safe. */
static void let_old_runs_go(struct session *session)
{
    const struct mgc_session_config *config = session->config;
    struct mgc_retention retention;
    struct told told = {.session = session};
    struct mgc_error err = {0};
    if (!mgc_retention_read(&config->site->settings, &retention))
        return;
    if (!mgc_retention_apply(config->site->results, config->plan->name, config->plan->run_id,
            &retention, tell_retention, &told, &err))
        tell_retention(&told, err.text);
    if (told.lines.len &&
        !mgc_run_dir_write(&session->dir, "retention.txt", told.lines.data, told.lines.len, &err))
        mgc_session_note(session, err.text);
    mgc_buf_destroy(&told.lines);
}

/* ---- the end ---- */

void mgc_session_close_night(struct session *session, bool is_safe)
{
    const struct mgc_results *results = session->results;
    struct mgc_buf sentence = {0};
    int code = mgc_results_exit_code(results);
    mgc_report_sentence(results, &sentence, NULL);
    mgc_session_beat_end(session, code || is_safe ? code : 3, mgc_buf_text(&sentence));
    mgc_buf_destroy(&sentence);
    if (is_safe && !results->interrupted && !results->stopped_reason)
        let_old_runs_go(session);
}
