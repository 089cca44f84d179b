/* The verdicts that a look at path or link changes, on disk too. */
#include "coordinator/merge/link_band.h"
#include "coordinator/merge/path_proof.h"
#include "common/plat/file.h"
#include "coordinator/report/report.h"
#include "coordinator/session/session_private.h"

bool mgc_session_amend_verdict(
    const char *dir, const struct mgc_verdict *verdict, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf old = {0}, amended = {0};
    bool ok = (mgc_path_join(path, sizeof(path), dir, "verdict.json") ||
                  mgc_error_set(err, MGC_E_CONFIG, "'%s': path is too long", dir)) &&
              mgc_file_read(path, MGC_BUF_MAX_DEFAULT, &old, err) &&
              mgc_report_verdict_amend(old.data, old.len, verdict, &amended, err) &&
              mgc_file_write(path, amended.data, amended.len, 0644, err);
    mgc_buf_destroy(&old);
    mgc_buf_destroy(&amended);
    return ok;
}

static void on_amended(void *user, struct mgc_cell_result *cell)
{
    struct session *session = user;
    struct mgc_error err = {0};
    char dir[MGC_PATH_MAX];
    if (!cell->dir)
        return;
    bool ok = mgc_path_join(dir, sizeof(dir), session->dir.path, cell->dir) ||
              mgc_error_set(&err, MGC_E_CONFIG, "'%s': path is too long", cell->dir);
    if (!ok || !mgc_session_amend_verdict(dir, &cell->verdict, &err))
        mgc_results_note(session->results, "%s: %s", cell->cell->id, err.text);
}

void mgc_session_path_checked(struct session *session, const struct mgc_verdict *check)
{
    mgc_path_checked(session->results, check, on_amended, session);
}

void mgc_session_link_looked_at(struct session *session, const struct mgc_cell *after)
{
    mgc_link_band_judge(session->results, after, on_amended, session);
}
