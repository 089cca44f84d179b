/* One run of run_matrix.sh or matrix_p14.sh: STATUS, meta.txt and verify.txt say how it ended in
 * the old script's eyes; the files are judged. */
#include <stdlib.h>
#include <string.h>

#include "common/plat/file.h"
#include "coordinator/legacy/legacy.h"
#include "coordinator/legacy/parse.h"
#include "coordinator/restore/parts.h"
#include "coordinator/verify/reasons.h"

enum { STEP_SERVER, STEP_REPLAY, STEP_COUNT };

struct old_run {
    struct mgc_fields meta, verify;
    char status[MGC_OLD_WORD_MAX + 1]; /* empty: neither file says it */
    struct mgc_step_outcome steps[STEP_COUNT];
};

static bool read_text(const char *dir, const char *name, struct mgc_buf *text)
{
    char path[MGC_PATH_MAX];
    return mgc_path_join(path, sizeof(path), dir, name) && mgc_file_exists(path) &&
           mgc_file_read(path, MGC_OLD_FILE_MAX, text, NULL);
}

static void read_status(const char *dir, struct old_run *run)
{
    struct mgc_buf text = {0};
    const char *word = "";
    if (read_text(dir, "STATUS", &text))
        word = mgc_buf_text(&text);
    else if (mgc_fields_get_str(&run->meta, "status"))
        word = mgc_fields_get_str(&run->meta, "status");
    word += strspn(word, " \t\r\n");
    size_t len = strcspn(word, " \t\r\n");
    if (len < sizeof(run->status))
        memcpy(run->status, word, len);
    mgc_buf_destroy(&text);
}

static void read_run(struct mgc_restored *restored, const struct mgc_cell *cell, const char *dir,
    struct old_run *run)
{
    struct mgc_buf text = {0};
    struct mgc_error err = {0};
    if (read_text(dir, "meta.txt", &text) &&
        !mgc_old_meta_parse(mgc_buf_text(&text), text.len, &run->meta, &err))
        mgc_restore_note(restored, "%s: %s", cell->id, err.text);
    mgc_buf_clear(&text);
    if (read_text(dir, "verify.txt", &text) &&
        !mgc_old_verify_parse(mgc_buf_text(&text), text.len, &run->verify, &err))
        mgc_restore_note(restored, "%s: %s", cell->id, err.text);
    mgc_buf_destroy(&text);
    read_status(dir, run);
}

/* ---- as an attempt -------------------------------------------------------------------------- */

static void fail_step(struct mgc_attempt *attempt, struct mgc_step_outcome *outcome, const char *id,
    const char *failure, const char *status)
{
    outcome->state = MGC_STEP_FAILED;
    mgc_error_set(&outcome->error, MGC_E_FAILED, "the old script says %s", status);
    mgc_fields_set_str(&outcome->facts, "failure", failure);
    attempt->completed = false;
    attempt->error = outcome->error;
    attempt->failed_step = id;
}

/* The old word for the end in ours; a word that is not known says nothing. */
static void set_end(struct mgc_attempt *attempt, struct old_run *run)
{
    enum mgc_old_status status;
    struct mgc_step_outcome *server = &run->steps[STEP_SERVER], *replay = &run->steps[STEP_REPLAY];
    if (!mgc_old_status_find(run->status, &status))
        return;
    switch (status) {
    case MGC_OLD_SERVER_START_FAILED:
        fail_step(attempt, server, "server", "not-started", run->status);
        break;
    case MGC_OLD_SERVER_NOT_LISTENING:
        fail_step(attempt, server, "server", "not-listening", run->status);
        break;
    case MGC_OLD_AM_START_FAILED:
        fail_step(attempt, replay, "replay", "am-start", run->status);
        break;
    case MGC_OLD_MISSING:
        break;
    case MGC_OLD_TIMEOUT:
        mgc_fields_set_str(&replay->facts, "end", "timeout");
        break;
    case MGC_OLD_PROCESS_DIED:
        mgc_fields_set_str(&replay->facts, "end", "died");
        break;
    default:
        mgc_fields_set_str(&replay->facts, "end", "result");
    }
}

/* A directory whose meta.txt is another run's was overwritten or copied (contract section 9, row
 * 16). */
static void check_identity(
    const struct mgc_cell *cell, const struct mgc_fields *meta, struct mgc_verdict *verdict)
{
    const char *arm = mgc_fields_get_str(meta, "arm");
    const char *workload = mgc_fields_get_str(meta, "workload");
    bool dev = arm && strcmp(arm, "dev") == 0 && strcmp(cell->arm, "monolith@dev") == 0;
    bool arm_differs = arm && strcmp(arm, cell->arm) != 0 && !dev;
    if (!arm_differs && (!workload || strcmp(workload, cell->workload) == 0))
        return;
    mgc_verdict_add(verdict, "meta.txt", MGC_CHECK_BAD, "meta.txt", "arm=%s workload=%s",
        arm ? arm : "", workload ? workload : "");
    if (verdict->state == MGC_VERDICT_INCOMPLETE) { /* nothing else speaks against it: named anew */
        verdict->reason[0] = '\0';
        mgc_reason_set(verdict, MGC_REASON_OTHER_ARM,
            "its meta.txt is of another run: arm=%s workload=%s", arm ? arm : "-",
            workload ? workload : "-");
    }
}

static void keep_meta(const struct old_run *run, struct mgc_cell_result *cell)
{
    struct mgc_fields *metrics = &cell->verdict.metrics;
    int64_t value;
    if (mgc_fields_get_int(&run->meta, "battery_temp_dc", &value))
        mgc_fields_set_int(metrics, "battery_temp_dc", value);
    if (mgc_fields_get_int(&run->meta, "duration_s", &value) && value >= 0)
        cell->duration_ns = value * INT64_C(1000000000);
    if (run->status[0])
        mgc_fields_set_str(metrics, "old_status", run->status);
}

static void run_destroy(struct old_run *run)
{
    mgc_fields_destroy(&run->meta);
    mgc_fields_destroy(&run->verify);
    for (int i = 0; i < STEP_COUNT; i++)
        mgc_fields_destroy(&run->steps[i].facts);
}

void mgc_old_cell_judge(
    struct mgc_restored *restored, const char *dir, struct mgc_cell_result *cell)
{
    char path[MGC_PATH_MAX];
    struct old_run run = {.steps = {{.state = MGC_STEP_SKIPPED}, {.state = MGC_STEP_DONE}}};
    struct mgc_attempt attempt = {
        .cell = cell->cell, .number = 1, .completed = true, .steps = run.steps};
    if (!mgc_path_join(path, sizeof(path), dir, cell->cell->id))
        return;
    read_run(restored, cell->cell, path, &run);
    set_end(&attempt, &run);
    mgc_verify_matrix_old(&attempt, path, &run.verify, &cell->verdict);
    check_identity(cell->cell, &run.meta, &cell->verdict);
    keep_meta(&run, cell);
    cell->dir = strdup(cell->cell->id);
    cell->attempts = 1;
    run_destroy(&run);
}
