#include <stdio.h>

#include "coordinator/report/phone.h"

enum { MESSAGE_MAX = 90 }; /* as in the old report */

static const struct mgc_cell_result *next_picture(
    const struct mgc_results *results, const char *workload, size_t *at)
{
    const struct mgc_cell_result *cell;
    while ((cell = mgc_phone_next(results, workload, at))) {
        if (cell->cell->mode == MGC_MODE_SSIM)
            return cell;
    }
    return NULL;
}

static void picture_row(
    const struct mgc_results *results, const struct mgc_cell_result *cell, struct mgc_buf *out)
{
    const char *message = mgc_fields_get_str(&cell->verdict.metrics, "message");
    char cut[MESSAGE_MAX + 1];
    bool passed;
    bool known = mgc_fields_get_bool(&cell->verdict.metrics, "passed", &passed);
    snprintf(cut, sizeof(cut), "%s", message ? message : "");
    mgc_md_begin(out);
    mgc_md_arm(results, cell->cell, out);
    mgc_md_verdict(cell, out);
    mgc_md_text(!known ? "" : passed ? "yes" : "no", out);
    mgc_md_metric(cell, "ssim", 1, 6, out);
    mgc_md_metric(cell, "mismatch_pixels", 1, 0, out);
    mgc_md_text(cut, out);
    mgc_md_end(out);
}

void mgc_phone_pictures(
    const struct mgc_results *results, const char *workload, struct mgc_buf *out)
{
    static const char *const titles[] = {
        "arm", "verdict", "passed", ">ssim", ">differing pixels", "message", NULL};
    const struct mgc_cell_result *cell;
    size_t at = 0;
    if (!next_picture(results, workload, &(size_t){0}))
        return;
    mgc_buf_puts(out, "#### Pictures (ssim)\n\n");
    mgc_md_head(titles, out);
    while ((cell = next_picture(results, workload, &at)))
        picture_row(results, cell, out);
    mgc_buf_putc(out, '\n');
}
