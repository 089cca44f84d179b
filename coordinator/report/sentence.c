/* A run in one sentence, for a notification and the heartbeat. */
#include <string.h>

#include "coordinator/merge/confirm.h"
#include "coordinator/report/columns.h"
#include "coordinator/report/report.h"

static size_t count_of(const struct mgc_results *results, enum mgc_verdict_state state)
{
    size_t n = 0;
    for (size_t i = 0; i < results->count; i++)
        n += results->cells[i].verdict.state == state;
    return n;
}

/* Is it the first cell with that verdict and reason? */
static bool is_first(const struct mgc_results *results, size_t cell)
{
    const struct mgc_verdict *verdict = &results->cells[cell].verdict;
    for (size_t i = 0; i < cell; i++) {
        const struct mgc_verdict *before = &results->cells[i].verdict;
        if (before->state == verdict->state && strcmp(before->reason, verdict->reason) == 0)
            return false;
    }
    return true;
}

/* ", 2 failed (worker-lost, timeout)" */
static void put_state(
    const struct mgc_results *results, enum mgc_verdict_state state, struct mgc_buf *out)
{
    size_t n = count_of(results, state), reasons = 0;
    if (n == 0)
        return;
    mgc_buf_printf(out, ", %zu %s", n, mgc_verdict_state_name(state));
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_verdict *verdict = &results->cells[i].verdict;
        if (verdict->state == state && verdict->reason[0] && is_first(results, i)) {
            mgc_buf_puts(out, reasons++ ? ", " : " (");
            mgc_put_plain(out, verdict->reason);
        }
    }
    mgc_buf_puts(out, reasons ? ")" : "");
}

bool mgc_report_sentence(
    const struct mgc_results *results, struct mgc_buf *out, struct mgc_error *err)
{
    static const enum mgc_verdict_state others[] = {
        MGC_VERDICT_INVALID, MGC_VERDICT_FAILED, MGC_VERDICT_SKIPPED, MGC_VERDICT_INCOMPLETE};
    char device[192];
    mgc_device_text(results, device, sizeof(device));
    mgc_put_plain(out, results->plan->name);
    mgc_buf_puts(out, " on ");
    mgc_put_plain(out, device);
    mgc_buf_printf(out, ": %zu of %zu cells measured", count_of(results, MGC_VERDICT_MEASURED),
        results->count);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        put_state(results, others[i], out);
    if (mgc_results_regressed(results)) {
        struct mgc_buf arms = {0};
        mgc_results_regressed_text(results, &arms);
        mgc_buf_puts(out, "; regressed: ");
        mgc_put_plain(out, mgc_buf_text(&arms));
        mgc_buf_destroy(&arms);
    }
    if (results->interrupted)
        mgc_buf_puts(out, "; interrupted");
    if (results->stopped_reason) {
        mgc_buf_puts(out, "; stopped: ");
        mgc_put_plain(out, results->stopped_reason);
    }
    return mgc_buf_ok(out) || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a sentence");
}
