#include "coordinator/report/sections.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/parse.h"
#include "coordinator/merge/settings.h"
#include "coordinator/report/columns.h"

/* Durations are kept in ms; people read seconds. */
static void put_value(const struct mgc_result_setting *setting, struct mgc_buf *out)
{
    int64_t ms;
    if (setting->unit && strcmp(setting->unit, "ms") == 0 &&
        mgc_parse_int(setting->value, 1000, INT64_MAX, &ms) && ms % 1000 == 0) {
        mgc_buf_printf(out, "%" PRId64 " s", ms / 1000);
        return;
    }
    mgc_put_markdown(out, setting->value);
    if (setting->unit)
        mgc_buf_printf(out, " %s", setting->unit);
}

static void setting_rows(const struct mgc_results *results, struct mgc_buf *out)
{
    if (results->setting_count == 0)
        return;
    mgc_buf_puts(out, "| setting | value | from |\n|---|---|---|\n");
    for (size_t i = 0; i < results->setting_count; i++) {
        mgc_buf_puts(out, "| ");
        mgc_put_markdown(out, results->settings[i].key);
        mgc_buf_puts(out, " | ");
        put_value(&results->settings[i], out);
        mgc_buf_puts(out, " | ");
        mgc_put_markdown(out, results->settings[i].origin);
        mgc_buf_puts(out, " |\n");
    }
    mgc_buf_puts(out, "\nThese were in force. `plan.yaml` and `site.yaml` in the run's directory "
                      "are what people wrote; `run.json` has every setting.\n\n");
}

static void workload_row(
    const struct mgc_results *results, const struct mgc_cell *cell, struct mgc_buf *out)
{
    int64_t used, full;
    mgc_buf_printf(out, "| %s | ", cell->workload);
    if (!mgc_results_frames(results, cell->workload, &used, &full))
        mgc_buf_puts(out, "-");
    else if (full > 0)
        mgc_buf_printf(out, "%" PRId64 " of %" PRId64, used, full);
    else
        mgc_buf_printf(out, "%" PRId64, used);
    if (cell->expect.width > 0)
        mgc_buf_printf(
            out, " | %" PRId64 " x %" PRId64 " |\n", cell->expect.width, cell->expect.height);
    else
        mgc_buf_puts(out, " | - |\n");
}

void mgc_section_settings(const struct mgc_results *results, struct mgc_buf *out)
{
    mgc_buf_puts(out, "## Settings\n\n");
    setting_rows(results, out);
    if (results->count == 0)
        return;
    mgc_buf_puts(out, "| workload | frames | picture |\n|---|---:|---:|\n");
    for (size_t i = 0; i < results->count; i++) {
        if (mgc_results_is_first_of_workload(results, i))
            workload_row(results, results->cells[i].cell, out);
    }
    mgc_buf_putc(out, '\n');
}
