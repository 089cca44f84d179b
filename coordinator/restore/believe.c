/* Is a stored verdict worth what it says? A file may be cut, edited, copied to another cell's place
 * or written by another build. What does not hold together is damaged, never measured. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/path.h"
#include "common/plat/file.h"
#include "coordinator/merge/comparisons.h"
#include "coordinator/restore/parts.h"
#include "coordinator/store/manifest.h"
#include "coordinator/verify/reasons.h"

#define VERDICT_SCHEMA "mgcoord-verdict-1"

/* What is wrong with a document: the first thing only. */
struct doubt {
    char text[256]; /* empty: nothing */
};

__attribute__((format(printf, 2, 3))) static void doubt(struct doubt *doubts, const char *fmt, ...)
{
    va_list args;
    if (doubts->text[0])
        return;
    va_start(args, fmt);
    vsnprintf(doubts->text, sizeof(doubts->text), fmt, args);
    va_end(args);
}

static const char *shown(const char *text)
{
    return text ? text : "nothing";
}

static void check_identity(const json_t *doc, const struct mgc_cell *cell, struct doubt *doubts)
{
    const char *schema = mgc_restore_text(doc, "schema"), *id = mgc_restore_text(doc, "id");
    if (!schema || strcmp(schema, VERDICT_SCHEMA) != 0)
        doubt(doubts, "schema is '%.60s', expected " VERDICT_SCHEMA, shown(schema));
    if (!id || strcmp(id, cell->id) != 0)
        doubt(doubts, "it is of cell '%.100s'", shown(id));
}

static void check_reason(const json_t *doc, struct doubt *doubts)
{
    const char *state = mgc_restore_text(doc, "verdict"), *reason = mgc_restore_text(doc, "reason");
    const struct mgc_reason_words *words = reason ? mgc_reason_find(reason) : NULL;
    bool measured = state && strcmp(state, mgc_verdict_state_name(MGC_VERDICT_MEASURED)) == 0;
    if (!mgc_restore_state(state, &(enum mgc_verdict_state){0}))
        doubt(doubts, "verdict is '%.60s'", shown(state));
    else if (measured && reason)
        doubt(doubts, "it says measured and the reason '%.60s'", reason);
    else if (!measured && !reason)
        doubt(doubts, "it says %s without a reason", state);
    else if (words && strcmp(mgc_verdict_state_name(words->state), state) != 0)
        doubt(doubts, "it says %s, and the reason '%s' means %s", state, reason,
            mgc_verdict_state_name(words->state));
}

static void check_evidence(const json_t *doc, struct doubt *doubts)
{
    const json_t *evidence = json_object_get(doc, "evidence");
    if (json_array_size(evidence) == 0)
        doubt(doubts, "it says measured without evidence");
    for (size_t i = 0; i < json_array_size(evidence); i++) {
        const json_t *item = json_array_get(evidence, i);
        const char *check = mgc_restore_text(item, "check");
        const char *outcome = mgc_restore_text(item, "outcome");
        if (!check || !*check || !outcome ||
            strcmp(outcome, mgc_check_outcome_name(MGC_CHECK_OK)) != 0)
            doubt(doubts, "it says measured, and the check '%.60s' is '%.30s'", shown(check),
                shown(outcome));
    }
}

/* A link test may have one direction only. */
static const char *main_number(const json_t *metrics, const struct mgc_cell *cell)
{
    if (mgc_cell_of_link(cell))
        return json_object_get(metrics, "up_mbit_s") ? "up_mbit_s" : "down_mbit_s";
    return cell->mode == MGC_MODE_SSIM ? "ssim" : "mean_ms";
}

/* A measured cell has its main number, and none of its numbers is impossible. */
static void check_numbers(const json_t *doc, const struct mgc_cell *cell, struct doubt *doubts)
{
    static const char *const never_negative[] = {"fps", "steady_fps", "mean_ms", "median_ms",
        "p95_ms", "first_frame_s", "total_seconds", "total_frames", "app_ms", "wall_s", "up_mbit_s",
        "down_mbit_s", "link_rtt_ms"};
    const json_t *metrics = json_object_get(doc, "metrics");
    bool ssim = cell->mode == MGC_MODE_SSIM;
    const char *key = main_number(metrics, cell);
    if (!json_is_number(json_object_get(metrics, key)) ||
        (!ssim && mgc_restore_real(metrics, key, 0) <= 0))
        doubt(doubts, "it says measured without a good number %s", key);
    for (size_t i = 0; i < sizeof(never_negative) / sizeof(never_negative[0]); i++) {
        const json_t *value = json_object_get(metrics, never_negative[i]);
        if (value && (!json_is_number(value) || json_number_value(value) < 0))
            doubt(doubts, "its %s is no number from 0 on", never_negative[i]);
    }
}

bool mgc_restore_believe(
    const json_t *doc, const struct mgc_cell *cell, struct mgc_verdict *verdict)
{
    struct doubt doubts = {0};
    if (!json_is_object(doc))
        doubt(&doubts, "it is no object");
    check_identity(doc, cell, &doubts);
    check_reason(doc, &doubts);
    mgc_restore_verdict(doc, verdict);
    if (verdict->state == MGC_VERDICT_MEASURED) {
        check_evidence(doc, &doubts);
        if (cell->kind == MGC_CELL_MEASURE)
            check_numbers(doc, cell, &doubts);
    }
    if (!doubts.text[0])
        return true;
    mgc_verdict_destroy(verdict);
    mgc_reason_set(verdict, MGC_REASON_RECORD_DAMAGED, "verdict.json: %s", doubts.text);
    return false;
}

/* ---- the files that it rests on ---- */

struct absent {
    const char *dir;
    size_t files, missing;
    char names[200]; /* the first of them */
};

static void visit_file(void *user, const char *name, int64_t size_bytes)
{
    struct absent *absent = user;
    char path[MGC_PATH_MAX];
    uint64_t size;
    absent->files++;
    if (mgc_path_is_safe(name) && mgc_path_join(path, sizeof(path), absent->dir, name) &&
        mgc_file_size(path, &size, NULL) && size_bytes >= 0 && size == (uint64_t)size_bytes)
        return;
    size_t len = strlen(absent->names);
    snprintf(absent->names + len, sizeof(absent->names) - len, "%s%s", absent->missing ? ", " : "",
        name);
    absent->missing++;
}

void mgc_restore_check_files(
    struct mgc_restored *restored, const char *dir, const struct mgc_cell *cell)
{
    struct absent absent = {.dir = dir};
    if (!mgc_manifest_is_written(dir)) {
        mgc_restore_note(restored,
            "%s: its manifest.json is not there, so which files its verdict rests on is not known",
            cell->id);
        return;
    }
    struct mgc_manifest *manifest = mgc_manifest_load(dir);
    if (manifest)
        mgc_manifest_visit(manifest, visit_file, &absent);
    mgc_manifest_free(manifest);
    if (absent.missing)
        mgc_restore_note(restored,
            "%s: %zu of the %zu files in its manifest.json are not there or have another size: %s",
            cell->id, absent.missing, absent.files, absent.names);
}
