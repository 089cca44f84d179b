#include <math.h>
#include <stdio.h>
#include <string.h>

#include "coordinator/legacy/legacy.h"
#include "coordinator/report/columns.h"
#include "coordinator/report/phone.h"

const struct mgc_cell_result *mgc_phone_next(
    const struct mgc_results *results, const char *workload, size_t *at)
{
    while (*at < results->count) {
        const struct mgc_cell_result *cell = &results->cells[(*at)++];
        if (mgc_cell_on_phone(cell->cell) &&
            (!workload || strcmp(cell->cell->workload, workload) == 0))
            return cell;
    }
    return NULL;
}

void mgc_phone_arm_text(const struct mgc_results *results, const char *arm, const char *backend,
    char *ret_text, size_t size)
{
    bool several = backend && results->several_backends;
    if (several)
        snprintf(ret_text, size, "%s (%s)", arm, backend);
    else
        snprintf(ret_text, size, "%s", arm);
}

bool mgc_phone_is_first(const struct mgc_results *results, const struct mgc_cell_result *cell)
{
    size_t at = 0;
    return mgc_phone_next(results, cell->cell->workload, &at) == cell;
}

/* ---- tables --------------------------------------------------------------------------------- */

void mgc_md_head(const char *const *titles, struct mgc_buf *out)
{
    mgc_buf_putc(out, '|');
    for (const char *const *title = titles; *title; title++)
        mgc_buf_printf(out, " %s |", *title + (**title == '>'));
    mgc_buf_puts(out, "\n|");
    for (const char *const *title = titles; *title; title++)
        mgc_buf_puts(out, **title == '>' ? "---:|" : "---|");
    mgc_buf_putc(out, '\n');
}

void mgc_md_begin(struct mgc_buf *out)
{
    mgc_buf_putc(out, '|');
}

void mgc_md_end(struct mgc_buf *out)
{
    mgc_buf_putc(out, '\n');
}

void mgc_md_text(const char *text, struct mgc_buf *out)
{
    mgc_buf_putc(out, ' ');
    mgc_put_markdown(out, text && *text ? text : "-");
    mgc_buf_puts(out, " |");
}

void mgc_md_arm(const struct mgc_results *results, const struct mgc_cell *cell, struct mgc_buf *out)
{
    char text[128];
    mgc_phone_arm_text(results, cell->arm, cell->expect.backend, text, sizeof(text));
    mgc_md_text(text, out);
}

void mgc_md_rep(const struct mgc_cell *cell, struct mgc_buf *out)
{
    char text[32];
    mgc_legacy_rep(cell, text, sizeof(text));
    mgc_md_text(text, out);
}

void mgc_md_verdict(const struct mgc_cell_result *cell, struct mgc_buf *out)
{
    char text[128];
    mgc_verdict_text(&cell->verdict, text, sizeof(text));
    mgc_md_text(text, out);
}

void mgc_md_real(double value, int decimals, struct mgc_buf *out)
{
    if (isfinite(value))
        mgc_buf_printf(out, " %.*f |", decimals, value);
    else
        mgc_buf_puts(out, " - |");
}

void mgc_md_metric(const struct mgc_cell_result *cell, const char *metric, double scale,
    int decimals, struct mgc_buf *out)
{
    double value;
    bool known = mgc_fields_get_double(&cell->verdict.metrics, metric, &value);
    mgc_md_real(known ? value * scale : NAN, decimals, out);
}

void mgc_md_fps(double value, struct mgc_buf *out)
{
    mgc_md_real(value, value < 10 ? 2 : 1, out);
}

void mgc_md_metric_fps(const struct mgc_cell_result *cell, const char *metric, struct mgc_buf *out)
{
    double value;
    bool known = mgc_fields_get_double(&cell->verdict.metrics, metric, &value);
    mgc_md_fps(known ? value : NAN, out);
}
