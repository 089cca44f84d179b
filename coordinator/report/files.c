/* The report's files of a run directory: one list for the run's end and for `mgcoord report`. */
#include <stdio.h>

#include "common/base/path.h"
#include "common/plat/file.h"
#include "coordinator/report/report.h"

static const struct {
    const char *name;
    mgc_report_form *form;
} files[] = {
    {"junit.xml", mgc_report_junit},
    {"cells.csv", mgc_report_cells_csv},
    {"REPORT.md", mgc_report_markdown},
    /* Last: a directory without it is one whose run did not come to its end. */
    {"summary.json", mgc_report_summary_json},
};

static bool write_file(const struct mgc_results *results, const char *dir, const char *name,
    mgc_report_form *form, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf text = {0};
    bool ok = mgc_path_join(path, sizeof(path), dir, name) ||
              mgc_error_set(err, MGC_E_CONFIG, "'%s': path is too long", dir);
    ok = ok && form(results, &text, err) && mgc_file_write(path, text.data, text.len, 0644, err);
    mgc_buf_destroy(&text);
    return ok;
}

bool mgc_report_write(const struct mgc_results *results, const char *dir, struct mgc_error *err)
{
    bool ok = true;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        ok &= write_file(results, dir, files[i].name, files[i].form, ok ? err : NULL);
    return ok;
}

const char *mgc_report_file(size_t nth)
{
    return nth < sizeof(files) / sizeof(files[0]) ? files[nth].name : NULL;
}
