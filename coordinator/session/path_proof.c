/* A cell counts only between two good path checks: the one before let it begin, the next one after
 * it proves that the path was still the phone's own. */
#include "common/plat/file.h"
#include "coordinator/report/report.h"
#include "coordinator/session/session_private.h"
#include "coordinator/verify/reasons.h"

static bool amend_file(
    struct session *session, const struct mgc_cell_result *cell, struct mgc_error *err)
{
    char dir[MGC_PATH_MAX], path[MGC_PATH_MAX];
    struct mgc_buf old = {0}, amended = {0};
    bool ok = mgc_path_join(dir, sizeof(dir), session->dir.path, cell->dir) &&
              mgc_path_join(path, sizeof(path), dir, "verdict.json") &&
              mgc_file_read(path, MGC_BUF_MAX_DEFAULT, &old, err) &&
              mgc_report_verdict_amend(old.data, old.len, &cell->verdict, &amended, err) &&
              mgc_file_write(path, amended.data, amended.len, 0644, err);
    mgc_buf_destroy(&old);
    mgc_buf_destroy(&amended);
    return ok;
}

static void void_cell(
    struct session *session, struct mgc_cell_result *cell, const struct mgc_verdict *check)
{
    struct mgc_error err = {0};
    mgc_verdict_add(
        &cell->verdict, "path after", MGC_CHECK_BAD, "wsl.pathcheck", "%s", check->text);
    cell->verdict.state = MGC_VERDICT_INCOMPLETE; /* without a reason yet: the next line's */
    mgc_reason_set(&cell->verdict, MGC_REASON_PATH_CHANGED,
        "the path check after this cell was not good: %s", check->text);
    if (cell->dir && !amend_file(session, cell, &err))
        mgc_results_note(session->results, "%s: %s", cell->cell->id, err.text);
}

void mgc_session_path_checked(struct session *session, const struct mgc_verdict *check)
{
    if (check->state == MGC_VERDICT_INCOMPLETE)
        return; /* nobody looked: it proves nothing either way */
    for (size_t i = 0; i < session->results->count; i++) {
        struct mgc_cell_result *cell = &session->results->cells[i];
        if (cell->verdict.state != MGC_VERDICT_MEASURED || cell->path_proved)
            continue;
        if (check->state == MGC_VERDICT_MEASURED)
            cell->path_proved = true;
        else
            void_cell(session, cell, check);
    }
}
