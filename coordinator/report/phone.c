#include "coordinator/report/phone.h"

#include <stdlib.h>

#include "coordinator/report/columns.h"

static void workload(const struct mgc_results *results, const struct mgc_aggregate *list,
    size_t count, const char *name, struct mgc_buf *out)
{
    mgc_buf_printf(out, "### %s\n\n", name);
    mgc_phone_runs(results, name, out);
    mgc_phone_frames(results, name, out);
    mgc_phone_arms(results, list, count, name, out);
    mgc_phone_pictures(results, name, out);
    mgc_phone_proof(results, name, out);
    mgc_phone_moved(results, list, count, name, out);
    mgc_phone_counters(results, name, out);
    mgc_phone_device(results, name, out);
}

static void differences(struct mgc_buf *out)
{
    static const char *const texts[] = {
        "a run counts only when its arm, its numbers and the phone's state are proved; the old "
        "aggregates took every finished run",
        "app s is the app's run by the phone's monotonic clock; the old dur s also held the "
        "harness's waits and had whole seconds",
        "Fatal lines are counted in the whole logs (the old count could only be 0), lines of "
        "counters without the banner, and a line that stands in several logs once",
        "of the largest record and its cap the larger value of the two roles stands; the old "
        "report "
        "added the two",
        "the battery's temperature stands in degrees C, in the old report in tenths",
        "the old report called shm \"spawn+shm\" and tcp \"spawn+tcp-local\"",
    };
    mgc_buf_puts(out, "### Where figures differ from the old report's, on purpose\n\n");
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        mgc_buf_printf(out, "- %s\n", texts[i]);
    mgc_buf_putc(out, '\n');
}

static void numbers(const struct mgc_results *results, const struct mgc_aggregate *list,
    size_t count, struct mgc_buf *out)
{
    const struct mgc_cell_result *cell;
    char device[192];
    size_t at = 0;
    mgc_device_text(results, device, sizeof(device));
    mgc_buf_puts(out, "## Numbers on the phone (device: ");
    mgc_put_markdown(out, device);
    mgc_buf_puts(out, ")\n\n");
    while ((cell = mgc_phone_next(results, NULL, &at))) {
        if (mgc_phone_is_first(results, cell))
            workload(results, list, count, cell->cell->workload, out);
    }
    differences(out);
}

bool mgc_phone_sections(
    const struct mgc_results *results, struct mgc_buf *out, struct mgc_error *err)
{
    struct mgc_aggregate *aggregates;
    struct mgc_arm_comparison *comparisons = NULL, *backends = NULL;
    size_t count, compared, backend_count;
    if (!mgc_results_aggregate(results, &aggregates, &count, err))
        return false;
    count = mgc_aggregates_keep(aggregates, count, true);
    bool ok = mgc_results_compare(results, &comparisons, &compared, err) &&
              mgc_results_compare_backends(results, &backends, &backend_count, err);
    if (ok) {
        mgc_phone_comparisons(comparisons, compared, results, out);
        mgc_phone_backends(backends, backend_count, out);
        numbers(results, aggregates, count, out);
        mgc_phone_order(results, out);
        mgc_phone_builds(results, out);
    }
    free(backends);
    free(comparisons);
    free(aggregates);
    return ok;
}
