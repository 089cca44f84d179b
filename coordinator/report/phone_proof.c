/* Which arm a run really was, by its logs: the old report's table of verify.txt. */
#include <stdio.h>
#include <string.h>

#include "coordinator/legacy/legacy.h"
#include "coordinator/plan/bench.h"
#include "coordinator/report/phone.h"

/* The word before ": LINE"; the line itself stands among the evidence. */
static void put_word(const struct mgc_fields *fields, const char *key, struct mgc_buf *out)
{
    const char *text = mgc_fields_get_str(fields, key);
    char word[64];
    snprintf(word, sizeof(word), "%.*s", text ? (int)strcspn(text, ":") : 0, text ? text : "");
    mgc_md_text(word, out);
}

static void put_transport(const struct mgc_fields *fields, struct mgc_buf *out)
{
    const char *split = mgc_fields_get_str(fields, "TRANSPORT_MARKER");
    mgc_md_text(split ? split : mgc_fields_get_str(fields, "SPLIT_MARKER"), out);
}

/* The old file says MISSING also of a monolith, which has nothing that could run ahead. */
static void put_run_ahead(
    const struct mgc_cell *cell, const struct mgc_fields *fields, struct mgc_buf *out)
{
    const struct mgc_bench_arm *arm = mgc_bench_arm(mgc_bench_built_in(), cell->arm);
    if (arm && !arm->client_env)
        mgc_md_text("", out);
    else
        put_word(fields, "RUN_AHEAD_ARMED", out);
}

static void put_count(const struct mgc_fields *fields, const char *key, struct mgc_buf *out)
{
    int64_t count;
    if (mgc_fields_get_int(fields, key, &count))
        mgc_buf_printf(out, " %lld |", (long long)count);
    else
        mgc_md_text("", out);
}

static void proof_row(
    const struct mgc_results *results, const struct mgc_cell_result *cell, struct mgc_buf *out)
{
    struct mgc_fields fields = {0};
    const struct mgc_evidence *backend = mgc_verdict_find(&cell->verdict, "backend");
    mgc_legacy_verify_fields(cell->cell, &cell->verdict, &fields);
    bool spawned = mgc_fields_get(&fields, "SECOND_PROCESS_SPAWN_ARMED") != NULL;
    mgc_md_begin(out);
    mgc_md_rep(cell->cell, out);
    mgc_md_arm(results, cell->cell, out);
    put_transport(&fields, out);
    put_word(&fields, spawned ? "SECOND_PROCESS_SPAWN_ARMED" : "TCP_SESSION", out);
    put_run_ahead(cell->cell, &fields, out);
    put_word(&fields, "LOCKSTEP_WARNING", out);
    put_word(&fields, "DISARMED", out);
    mgc_md_text(backend ? mgc_check_outcome_name(backend->outcome) : "", out);
    put_count(&fields, "PIPESTATS_LINES", out);
    put_count(&fields, "FATAL_LINES", out);
    mgc_md_end(out);
    mgc_fields_destroy(&fields);
}

void mgc_phone_proof(const struct mgc_results *results, const char *workload, struct mgc_buf *out)
{
    static const char *const titles[] = {">rep", "arm", "transport", "second process", "run-ahead",
        "lockstep", "disarmed", "backend", ">counter lines", ">Fatal", NULL};
    const struct mgc_cell_result *cell;
    size_t at = 0;
    mgc_buf_puts(out, "#### Was it this arm?\n\n");
    mgc_md_head(titles, out);
    while ((cell = mgc_phone_next(results, workload, &at))) {
        if (cell->attempts)
            proof_row(results, cell, out);
    }
    mgc_buf_puts(out,
        "\nFrom the logs, never from the request; the lines stand among the evidence. A "
        "monolith has no run-ahead. Lines that stand in several logs count once; "
        "Fatal lines are counted in the whole logs.\n\n");
}
