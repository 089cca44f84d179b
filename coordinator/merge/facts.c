/* What decides whether two cells may be compared, from what was proved of them: a
 * measured cell's size, finish, credit and backend are its plan's, since its verdict says so. */
#include <stdio.h>
#include <string.h>

#include "coordinator/merge/facts_run.h"
#include "coordinator/plan/bench.h"

static void set_metric(struct mgc_cell_facts *facts, enum mgc_fact fact,
    const struct mgc_cell_result *cell, const char *metric)
{
    mgc_cell_facts_set(facts, fact, mgc_fields_get_str(&cell->verdict.metrics, metric));
}

/* One process draws into the app's own window; there is neither credit nor server. */
static void set_arm(const struct mgc_cell_result *cell, const struct mgc_bench_arm *arm,
    struct mgc_result_facts *ret)
{
    const struct mgc_expect *expect = &cell->cell->expect;
    bool split = arm && arm->client_env;
    bool two_processes = mgc_bench_two_processes(arm);
    struct mgc_cell_facts *facts = &ret->facts;
    snprintf(ret->credit, sizeof(ret->credit), "%lld", (long long)expect->credit);
    if (split) {
        mgc_cell_facts_set(facts, MGC_FACT_PRESENT_CREDIT, ret->credit);
        set_metric(facts, MGC_FACT_SURFACE, cell, "surface");
    } else if (arm) {
        mgc_cell_facts_not_applicable(facts, MGC_FACT_PRESENT_CREDIT);
        mgc_cell_facts_not_applicable(facts, MGC_FACT_SURFACE);
    }
    if (two_processes)
        set_metric(facts, MGC_FACT_SERVER_BUILD, cell, "apk_sha256");
    else if (arm)
        mgc_cell_facts_not_applicable(facts, MGC_FACT_SERVER_BUILD);
}

/* Cells across hosts prove the phone's clocks themselves, where they sample it. In older runs they
 * did not; clocks are held from setup to close, so what the cells on the phone prove before and
 * after holds for the block between them. */
static const char *pins_of(const struct mgc_results *results, const struct mgc_cell *cell)
{
    if (mgc_cell_on_phone(cell) || cell->expect.package)
        return cell->expect.pins;
    for (size_t i = 0; i < results->count; i++) {
        if (mgc_cell_on_phone(results->cells[i].cell))
            return results->cells[i].cell->expect.pins;
    }
    return NULL;
}

void mgc_result_facts_of_cell(const struct mgc_results *results, const struct mgc_cell_result *cell,
    struct mgc_result_facts *ret_facts)
{
    const struct mgc_expect *expect = &cell->cell->expect;
    struct mgc_cell_facts *facts = &ret_facts->facts;
    *ret_facts = (struct mgc_result_facts){0};
    snprintf(ret_facts->geometry, sizeof(ret_facts->geometry), "%lldx%lld",
        (long long)expect->width, (long long)expect->height);
    mgc_cell_facts_set(facts, MGC_FACT_WORKLOAD, cell->cell->workload);
    set_metric(facts, MGC_FACT_TRACE, cell, "trace_sha256");
    mgc_cell_facts_set(
        facts, MGC_FACT_BENCHMARK_FINISH, expect->benchmark_finish ? "true" : "false");
    mgc_cell_facts_set(facts, MGC_FACT_GEOMETRY, ret_facts->geometry);
    set_arm(cell, mgc_bench_arm(mgc_bench_built_in(), cell->cell->arm), ret_facts);
    mgc_cell_facts_set(facts, MGC_FACT_BACKEND, expect->backend);
    bool on_phone = mgc_cell_on_phone(cell->cell);
    set_metric(facts, MGC_FACT_CLIENT_BUILD, cell, on_phone ? "apk_sha256" : "client_sha256");
    set_metric(facts, MGC_FACT_LIBRARY_BUILD, cell, "library_sha256");
    mgc_cell_facts_set(facts, MGC_FACT_DEVICE, mgc_fields_get_str(&results->device, "serialno"));
    const char *pins = pins_of(results, cell->cell);
    mgc_cell_facts_set(facts, MGC_FACT_CLOCK_PROFILE, pins ? pins : "free");
    mgc_cell_facts_set(facts, MGC_FACT_CLIENT_CPU, on_phone ? "the phone's" : "the WSL host's");
}

void mgc_result_facts(const struct mgc_results *results, const struct mgc_cell_result *cell,
    struct mgc_result_facts *ret_facts)
{
    const struct mgc_bench_arm *arm = mgc_bench_arm(mgc_bench_built_in(), cell->cell->arm);
    mgc_result_facts_of_cell(results, cell, ret_facts);
    mgc_facts_of_run(results, cell->cell, arm && arm->server, ret_facts);
}
