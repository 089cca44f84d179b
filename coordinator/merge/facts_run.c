#include "coordinator/merge/facts_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"

#define PHONE "lanes.matrix."

static const char *setting(const struct mgc_results *results, const char *key)
{
    for (size_t i = 0; i < results->setting_count; i++) {
        if (strcmp(results->settings[i].key, key) == 0)
            return results->settings[i].value;
    }
    return NULL;
}

/* A setting that nobody gave has no row, but only where the run's settings are known. */
static const char *or_none(const struct mgc_results *results, const char *key)
{
    const char *value = setting(results, key);
    value = value ? value + strspn(value, ";") : NULL;
    return value && *value ? value : results->setting_count ? "none" : NULL;
}

/* Nobody has to name it; then it is told by its tests only (link_look.h). */
static void set_link(
    const struct mgc_results *results, const struct mgc_cell *cell, struct mgc_cell_facts *facts)
{
    const char *name = setting(results, "phone.link");
    if (mgc_cell_on_phone(cell))
        mgc_cell_facts_not_applicable(facts, MGC_FACT_LINK);
    else
        mgc_cell_facts_set(facts, MGC_FACT_LINK, name ? name : MGC_LINK_NOT_NAMED);
}

/* ---- the order of the arms ---- */

static bool is_of_workload(const struct mgc_cell *cell, const char *workload)
{
    return mgc_cell_is_regular(cell) && cell->workload && cell->arm &&
           strcmp(cell->workload, workload) == 0;
}

static int64_t first_round(const struct mgc_plan *plan, const char *workload)
{
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < plan->cell_count; i++) {
        if (is_of_workload(&plan->cells[i], workload) && plan->cells[i].rep < first)
            first = plan->cells[i].rep;
    }
    return first;
}

static bool has_other_backends(const struct mgc_plan *plan, const char *workload)
{
    const char *backend = NULL;
    for (size_t i = 0; i < plan->cell_count; i++) {
        const char *own = plan->cells[i].expect.backend;
        if (!own || !is_of_workload(&plan->cells[i], workload))
            continue;
        if (backend && strcmp(backend, own) != 0)
            return true;
        backend = own;
    }
    return false;
}

static void put_arms(const struct mgc_plan *plan, const char *workload, struct mgc_buf *out)
{
    int64_t round = first_round(plan, workload);
    bool backends = has_other_backends(plan, workload);
    const char *between = ": ";
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct mgc_cell *cell = &plan->cells[i];
        if (!is_of_workload(cell, workload) || cell->rep != round)
            continue;
        mgc_buf_printf(out, "%s%s", between, cell->arm);
        if (backends && cell->expect.backend)
            mgc_buf_printf(out, "/%s", cell->expect.backend);
        between = ", ";
    }
}

/* Shuffled arms have no place of their own; rotated ones still have the same neighbours. */
static bool make_order(
    const struct mgc_plan *plan, const char *workload, struct mgc_arm_order *ret_order)
{
    struct mgc_buf text = {0};
    mgc_buf_puts(&text, plan->order ? plan->order : "fixed");
    if (!plan->order || strcmp(plan->order, "shuffle") != 0)
        put_arms(plan, workload, &text);
    ret_order->workload = workload;
    snprintf(ret_order->text, sizeof(ret_order->text), "%.199s", mgc_buf_text(&text));
    bool ok = mgc_buf_ok(&text);
    mgc_buf_destroy(&text);
    return ok;
}

static const struct mgc_arm_order *order_of(const struct mgc_results *results, const char *workload)
{
    for (size_t i = 0; workload && i < results->order_count; i++) {
        if (strcmp(results->orders[i].workload, workload) == 0)
            return &results->orders[i];
    }
    return NULL;
}

bool mgc_facts_take_orders(struct mgc_results *results)
{
    const struct mgc_plan *plan = results->plan;
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct mgc_cell *cell = &plan->cells[i];
        if (!mgc_cell_is_regular(cell) || !cell->workload || order_of(results, cell->workload))
            continue;
        struct mgc_arm_order *orders =
            realloc(results->orders, (results->order_count + 1) * sizeof(*orders));
        if (!orders)
            return false;
        results->orders = orders;
        if (!make_order(plan, cell->workload, &orders[results->order_count]))
            return false;
        results->order_count++;
    }
    return true;
}

static void set_order(
    const struct mgc_results *results, const char *workload, struct mgc_result_facts *ret_facts)
{
    const struct mgc_arm_order *order = order_of(results, workload);
    if (!order)
        return;
    memcpy(ret_facts->arm_order, order->text, sizeof(order->text));
    mgc_cell_facts_set(&ret_facts->facts, MGC_FACT_ARM_ORDER, ret_facts->arm_order);
}

void mgc_facts_of_run(const struct mgc_results *results, const struct mgc_cell *cell,
    bool with_server, struct mgc_result_facts *ret_facts)
{
    struct mgc_cell_facts *facts = &ret_facts->facts;
    set_order(results, cell->workload, ret_facts);
    set_link(results, cell, facts);
    mgc_cell_facts_set(facts, MGC_FACT_STOPPED_SERVICES, or_none(results, PHONE "stop_services"));
    mgc_cell_facts_not_applicable(facts, MGC_FACT_EXTRA_ENV);
    mgc_cell_facts_not_applicable(facts, MGC_FACT_EXTRA_SERVER_ENV);
    mgc_cell_facts_not_applicable(facts, MGC_FACT_PIPE_STATS);
    if (mgc_cell_over_network(cell))
        mgc_cell_facts_set(
            facts, MGC_FACT_EXTRA_SERVER_ENV, or_none(results, "lanes.crosshost.extra_server_env"));
    if (!mgc_cell_on_phone(cell))
        return; /* the others are keys of the phone's lane */
    mgc_cell_facts_set(facts, MGC_FACT_EXTRA_ENV, or_none(results, PHONE "extra_env"));
    mgc_cell_facts_set(facts, MGC_FACT_PIPE_STATS, setting(results, PHONE "pipe_stats"));
    if (with_server)
        mgc_cell_facts_set(
            facts, MGC_FACT_EXTRA_SERVER_ENV, or_none(results, PHONE "extra_server_env"));
}
