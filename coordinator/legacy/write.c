#include <string.h>

#include "common/base/path.h"
#include "common/plat/file.h"
#include "coordinator/legacy/legacy.h"

static bool write_file(
    const char *dir, const char *name, const struct mgc_buf *text, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    if (!mgc_buf_ok(text))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for %s", name);
    if (!mgc_path_join(path, sizeof(path), dir, name))
        return mgc_error_set(err, MGC_E_CONFIG, "'%s': path is too long", dir);
    return mgc_file_write(path, mgc_buf_text(text), text->len, 0644, err);
}

/* A log that breaks off gives the lines before the break; the verdict says so. */
static bool write_lines(const char *dir, struct mgc_error *err)
{
    struct mgc_legacy_lines lines;
    struct mgc_error reading = {0};
    mgc_legacy_lines_read(dir, &lines, &reading);
    bool ok = write_file(dir, "pipestats-lines.txt", &lines.pipe_stats, err) &&
              write_file(dir, "linkmetrics-lines.txt", &lines.link_metrics, err) &&
              write_file(dir, "all-marker-evidence.txt", &lines.markers, err);
    mgc_legacy_lines_destroy(&lines);
    return ok;
}

/* Absent as long as nothing was started. */
static bool write_am(const struct mgc_attempt *attempt, const char *dir, struct mgc_error *err)
{
    const char *am = NULL;
    struct mgc_buf text = {0};
    for (size_t i = 0; i < attempt->cell->step_count; i++) {
        if (strcmp(attempt->cell->steps[i].id, "replay") == 0)
            am = mgc_fields_get_str(&attempt->steps[i].facts, "am_output");
    }
    if (!am)
        return true;
    mgc_buf_puts(&text, am);
    bool ok = write_file(dir, "am-start.txt", &text, err);
    mgc_buf_destroy(&text);
    return ok;
}

bool mgc_legacy_write(const struct mgc_attempt *attempt, const struct mgc_verdict *verdict,
    const char *dir, struct mgc_error *err)
{
    if (attempt->cell->kind != MGC_CELL_MEASURE || strcmp(attempt->cell->lane, "matrix") != 0)
        return true;
    enum mgc_old_status status = mgc_legacy_status(attempt, verdict);
    struct mgc_buf word = {0}, meta = {0}, verify = {0};
    mgc_buf_printf(&word, "%s\n", mgc_old_status_word(status));
    mgc_legacy_meta(attempt, verdict, &meta);
    mgc_legacy_verify(attempt->cell, verdict, &verify);
    bool ok = (status == MGC_OLD_MISSING || write_file(dir, "STATUS", &word, err)) &&
              write_file(dir, "meta.txt", &meta, err) && write_am(attempt, dir, err) &&
              write_lines(dir, err) &&
              (mgc_old_status_is_early(status) || write_file(dir, "verify.txt", &verify, err));
    mgc_buf_destroy(&word);
    mgc_buf_destroy(&meta);
    mgc_buf_destroy(&verify);
    return ok;
}
