/* What an unattended run owes to those who look in the morning: a heartbeat while it is on and at
 * its end, and that old runs do not fill the disk. */
#include <stdio.h>
#include <stdlib.h>

#include "common/base/clock.h"
#include "coordinator/night/heartbeat.h"
#include "coordinator/night/retention.h"
#include "coordinator/report/report.h"
#include "coordinator/session/fleet_files.h"

/* ---- heartbeat ---- */

/* Told once: the run itself goes on, and what checks the file will notice. */
static void beat_failed(struct fleet *fleet, const struct mgc_error *err)
{
    bool first = !fleet->beat_failed;
    fleet->beat_failed = true;
    if (!first)
        return;
    for (size_t i = 0; i < fleet->count; i++) {
        if (!fleet->sessions[i].over)
            mgc_results_note(fleet->sessions[i].results, "%s", err->text);
    }
    mgc_fleet_note(fleet, err->text);
}

static void beat(struct fleet *fleet, struct mgc_heartbeat *heartbeat)
{
    const struct mgc_plan *plan = fleet->config->phones[0].plan;
    struct mgc_error err = {0};
    char path[MGC_PATH_MAX];
    snprintf(heartbeat->run_id, sizeof(heartbeat->run_id), "%s", fleet->dir.run_id);
    snprintf(heartbeat->plan, sizeof(heartbeat->plan), "%s", plan->name);
    snprintf(heartbeat->dir, sizeof(heartbeat->dir), "%s", fleet->dir.path);
    heartbeat->updated_wall_ns = mgc_wall_ns();
    if (!fleet->beat_ns)
        fleet->begin_wall_ns = heartbeat->updated_wall_ns;
    heartbeat->start_wall_ns = fleet->begin_wall_ns;
    fleet->beat_ns = mgc_mono_ns();
    if (!mgc_heartbeat_path(mgc_fleet_site(fleet), path))
        mgc_error_set(&err, MGC_E_CONFIG, "heartbeat: path is too long");
    else if (mgc_heartbeat_write(path, heartbeat, &err))
        return;
    beat_failed(fleet, &err);
}

static void set_place(struct mgc_heartbeat *heartbeat, const struct mgc_status *status)
{
    heartbeat->index = status->index;
    heartbeat->cells = status->cells;
    snprintf(heartbeat->cell, sizeof(heartbeat->cell), "%s", status->cell);
}

void mgc_fleet_beat(
    struct fleet *fleet, const struct mgc_progress *event, const struct mgc_status *status)
{
    bool cell_over = event && event->kind == MGC_PROGRESS_VERDICT;
    int64_t age_ms = (mgc_mono_ns() - fleet->beat_ns) / MGC_NS_PER_MS;
    struct mgc_heartbeat heartbeat = {.state = MGC_HEARTBEAT_RUNNING};
    if (fleet->beat_ns && !cell_over && age_ms < MGC_HEARTBEAT_PERIOD_MS)
        return;
    set_place(&heartbeat, status);
    beat(fleet, &heartbeat);
}

void mgc_fleet_beat_end(struct fleet *fleet, int exit_code, const char *summary)
{
    struct mgc_heartbeat heartbeat = {.state = MGC_HEARTBEAT_DONE, .exit_code = exit_code};
    if (!fleet->beat_ns) /* it never began: what an earlier run said stands */
        return;
    struct mgc_status status = mgc_fleet_status(fleet);
    if (fleet->interrupted)
        heartbeat.state = MGC_HEARTBEAT_INTERRUPTED;
    set_place(&heartbeat, &status);
    heartbeat.cell[0] = '\0';
    snprintf(heartbeat.summary, sizeof(heartbeat.summary), "%s", summary);
    beat(fleet, &heartbeat);
}

/* ---- retention ---- */

struct told {
    struct fleet *fleet;
    struct mgc_buf lines;
};

static void tell_retention(void *user, const char *sentence)
{
    struct told *told = user;
    mgc_buf_printf(&told->lines, "%s\n", sentence);
    mgc_fleet_note(told->fleet, sentence);
}

/* Not in the report, which is written by now: what is removed goes only after all of this run is
 * safe. */
static void let_old_runs_go(struct fleet *fleet)
{
    const struct mgc_site *site = mgc_fleet_site(fleet);
    struct mgc_retention retention;
    struct told told = {.fleet = fleet};
    struct mgc_error err = {0};
    if (!mgc_retention_read(&site->settings, &retention))
        return;
    if (!mgc_retention_apply(site->results, fleet->config->phones[0].plan->name, fleet->dir.run_id,
            &retention, tell_retention, &told, &err))
        tell_retention(&told, err.text);
    if (told.lines.len &&
        !mgc_run_dir_write(&fleet->dir, "retention.txt", told.lines.data, told.lines.len, &err))
        mgc_fleet_note(fleet, err.text);
    mgc_buf_destroy(&told.lines);
}

/* ---- the end ---- */

/* What all phones together came to. */
static int sum_up(const struct fleet *fleet, struct mgc_buf *sentence)
{
    struct mgc_fleet_report report;
    struct mgc_fleet_row *rows = mgc_fleet_rows(fleet, &report);
    int code = rows ? mgc_fleet_exit_code(&report) : 3;
    if (!mgc_fleet_is_named(fleet))
        mgc_report_sentence(fleet->sessions[0].results, sentence, NULL);
    else if (rows)
        mgc_fleet_sentence(&report, sentence, NULL);
    free(rows);
    return code;
}

/* Every run came to its end, and nothing of it can be lost. */
static bool is_safe(const struct fleet *fleet)
{
    bool safe = true;
    for (size_t i = 0; i < fleet->count; i++)
        safe = safe && fleet->sessions[i].safe;
    return safe;
}

static bool is_cut_short(const struct fleet *fleet)
{
    bool cut = fleet->interrupted;
    for (size_t i = 0; i < fleet->count; i++)
        cut = cut || fleet->sessions[i].results->stopped_reason;
    return cut;
}

void mgc_fleet_close_night(struct fleet *fleet)
{
    struct mgc_buf sentence = {0};
    int code = sum_up(fleet, &sentence);
    bool safe = is_safe(fleet);
    mgc_fleet_beat_end(fleet, code || safe ? code : 3, mgc_buf_text(&sentence));
    mgc_buf_destroy(&sentence);
    if (safe && !is_cut_short(fleet))
        let_old_runs_go(fleet);
}
