/* Of the terminal's table: the likeness of the pictures of each arm, a line per workload. */
#include "coordinator/report/fold.h"
#include "coordinator/report/phone.h"

static void picture(
    const struct mgc_results *results, const struct mgc_cell_result *cell, struct mgc_buf *out)
{
    char arm[128];
    double ssim;
    mgc_phone_arm_text(results, cell->cell->arm, cell->cell->expect.backend, arm, sizeof(arm));
    mgc_buf_printf(out, "%s %s", out->len ? "," : "", arm);
    if (mgc_fields_get_double(&cell->verdict.metrics, "ssim", &ssim))
        mgc_buf_printf(out, " %.6f", ssim);
    else
        mgc_buf_puts(out, " -");
    if (cell->verdict.state != MGC_VERDICT_MEASURED)
        mgc_buf_puts(out, " (not counted)");
}

void mgc_table_pictures(const struct mgc_results *results, int width, struct mgc_buf *out)
{
    const struct mgc_cell_result *cell, *other;
    size_t at = 0;
    bool any = false;
    while ((cell = mgc_phone_next(results, NULL, &at))) {
        struct mgc_buf list = {0};
        size_t inner = 0;
        if (!mgc_phone_is_first(results, cell))
            continue;
        while ((other = mgc_phone_next(results, cell->cell->workload, &inner))) {
            if (other->cell->mode == MGC_MODE_SSIM)
                picture(results, other, &list);
        }
        if (list.len)
            mgc_say(width, out, "ssim %s:%s", cell->cell->workload, mgc_buf_text(&list));
        any |= list.len > 0;
        mgc_buf_destroy(&list);
    }
    if (any)
        mgc_buf_putc(out, '\n');
}
