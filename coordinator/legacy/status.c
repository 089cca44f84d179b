/* How a run ended in the old words, and meta.txt. */
#include "coordinator/legacy/legacy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const words[MGC_OLD_STATUS_COUNT] = {
    [MGC_OLD_FINISHED] = "finished",
    [MGC_OLD_RESULT_NOT_PASSED] = "result_not_passed",
    [MGC_OLD_TIMEOUT] = "timeout",
    [MGC_OLD_PROCESS_DIED] = "process_died",
    [MGC_OLD_SERVER_START_FAILED] = "server_start_failed",
    [MGC_OLD_SERVER_NOT_LISTENING] = "server_not_listening",
    [MGC_OLD_AM_START_FAILED] = "am_start_failed",
    [MGC_OLD_MISSING] = "missing",
};

const char *mgc_old_status_word(enum mgc_old_status status)
{
    return words[status];
}

bool mgc_old_status_is_early(enum mgc_old_status status)
{
    return status >= MGC_OLD_SERVER_START_FAILED;
}

bool mgc_old_status_find(const char *word, enum mgc_old_status *ret_status)
{
    for (int i = 0; i < MGC_OLD_STATUS_COUNT; i++) {
        if (strcmp(words[i], word) != 0)
            continue;
        *ret_status = (enum mgc_old_status)i;
        return true;
    }
    return false;
}

/* ---- of an attempt -------------------------------------------------------------------------- */

static const struct mgc_step_outcome *step(const struct mgc_attempt *attempt, const char *id)
{
    for (size_t i = 0; i < attempt->cell->step_count; i++) {
        if (strcmp(attempt->cell->steps[i].id, id) == 0)
            return &attempt->steps[i];
    }
    return NULL;
}

static const char *fact(const struct mgc_attempt *attempt, const char *id, const char *name)
{
    const struct mgc_step_outcome *outcome = step(attempt, id);
    const char *text = outcome ? mgc_fields_get_str(&outcome->facts, name) : NULL;
    return text ? text : "";
}

static bool was_refused(const struct mgc_attempt *attempt)
{
    return strcmp(fact(attempt, "replay", "failure"), "am-start") == 0;
}

static bool came_to_run(const struct mgc_attempt *attempt)
{
    const struct mgc_step_outcome *replay = step(attempt, "replay");
    return replay && replay->start_ns && !was_refused(attempt);
}

/* What kept the app from being started. The old scripts had words for its server and for itself;
 * where it was not its turn, since a gate stayed shut, a file was missing or a worker was gone, any
 * of their words would name a wrong cause. */
static enum mgc_old_status early(const struct mgc_attempt *attempt)
{
    const struct mgc_step_outcome *server = step(attempt, "server");
    if (was_refused(attempt))
        return MGC_OLD_AM_START_FAILED; /* a server without its session fails after that */
    if (!server || server->state != MGC_STEP_FAILED)
        return MGC_OLD_MISSING;
    return strcmp(fact(attempt, "server", "failure"), "not-listening") == 0
               ? MGC_OLD_SERVER_NOT_LISTENING
               : MGC_OLD_SERVER_START_FAILED;
}

enum mgc_old_status mgc_legacy_status(
    const struct mgc_attempt *attempt, const struct mgc_verdict *verdict)
{
    const char *end = fact(attempt, "replay", "end");
    if (verdict->state == MGC_VERDICT_MEASURED)
        return MGC_OLD_FINISHED;
    if (strcmp(end, "result") == 0)
        return MGC_OLD_RESULT_NOT_PASSED;
    if (strcmp(end, "timeout") == 0)
        return MGC_OLD_TIMEOUT;
    if (*end || came_to_run(attempt))
        return MGC_OLD_PROCESS_DIED; /* also: a phone that went away with it */
    return early(attempt);
}

/* ---- meta.txt ------------------------------------------------------------------------------- */

void mgc_legacy_rep(const struct mgc_cell *cell, char *ret_rep, size_t size)
{
    if (cell->mode == MGC_MODE_SSIM)
        snprintf(ret_rep, size, "ssim");
    else
        snprintf(ret_rep, size, "%lld", (long long)cell->rep);
}

static void put_int(
    struct mgc_buf *out, const char *key, const struct mgc_fields *metrics, const char *metric)
{
    double value;
    mgc_buf_printf(out, " %s=", key);
    if (mgc_fields_get_double(metrics, metric, &value) && fabs(value) < 1e15)
        mgc_buf_printf(out, "%lld", llround(value));
}

/* `unparsed` was a result.json in which the old script found no such word. */
static const char *passed_word(const struct mgc_verdict *verdict)
{
    const struct mgc_evidence *whole = mgc_verdict_find(verdict, "result.json whole");
    bool passed;
    if (mgc_fields_get_bool(&verdict->metrics, "passed", &passed))
        return passed ? "true" : "false";
    return whole && whole->outcome != MGC_CHECK_ABSENT ? "unparsed" : "none";
}

static void put_duration(struct mgc_buf *out, const struct mgc_attempt *attempt,
    const struct mgc_verdict *verdict, bool app)
{
    if (app && mgc_fields_get(&verdict->metrics, "app_s"))
        put_int(out, "duration_s", &verdict->metrics, "app_s");
    else
        mgc_buf_printf(out, " duration_s=%lld",
            (long long)((attempt->end_ns - attempt->start_ns) / 1000000000));
}

static void put_wait(struct mgc_buf *out, const struct mgc_attempt *attempt)
{
    const struct mgc_step_outcome *server = step(attempt, "server");
    if (server && server->end_ns && server->start_ns)
        mgc_buf_printf(out, " listening_wait_s=%lld",
            (long long)((server->end_ns - server->start_ns) / 1000000000));
}

bool mgc_legacy_meta(
    const struct mgc_attempt *attempt, const struct mgc_verdict *verdict, struct mgc_buf *out)
{
    enum mgc_old_status status = mgc_legacy_status(attempt, verdict);
    const struct mgc_cell *cell = attempt->cell;
    bool is_early = mgc_old_status_is_early(status);
    char rep[32];
    mgc_legacy_rep(cell, rep, sizeof(rep));
    mgc_buf_printf(out, "arm=%s rep=%s workload=%s", cell->arm, rep, cell->workload);
    put_duration(out, attempt, verdict, !is_early);
    if (is_early) {
        if (status == MGC_OLD_SERVER_NOT_LISTENING)
            put_wait(out, attempt);
        return mgc_buf_putc(out, '\n');
    }
    put_int(out, "battery_temp_dc", &verdict->metrics, "battery_temp_dc");
    mgc_buf_printf(out, " status=%s passed=%s mode=%s\n--- am start ---\n",
        mgc_old_status_word(status), passed_word(verdict), mgc_mode_name(cell->mode));
    const char *am = fact(attempt, "replay", "am_output");
    size_t len = strlen(am);
    return mgc_buf_puts(out, am) && (!len || am[len - 1] == '\n' || mgc_buf_putc(out, '\n'));
}
