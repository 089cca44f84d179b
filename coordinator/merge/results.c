#include "coordinator/merge/results.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "coordinator/merge/comparisons.h"
#include "coordinator/merge/confirm.h"
#include "coordinator/merge/facts_run.h"
#include "coordinator/merge/left_out.h"
#include "coordinator/merge/rounds.h"
#include "coordinator/verify/reasons.h"

static bool has_several_backends(const struct mgc_results *results)
{
    const struct mgc_cell *first = NULL;
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell *cell = results->cells[i].cell;
        if (!mgc_cell_on_phone(cell))
            continue;
        first = first ? first : cell;
        if (!mgc_cell_has_backend(cell, first->expect.backend))
            return true;
    }
    return false;
}

static bool is_of_first_round(const struct mgc_cell *cell)
{
    return cell->kind == MGC_CELL_MEASURE && cell->mode == MGC_MODE_BENCHMARK && cell->rep == 1;
}

bool mgc_results_init(
    struct mgc_results *results, const struct mgc_plan *plan, struct mgc_error *err)
{
    *results = (struct mgc_results){.plan = plan};
    results->cells = calloc(plan->cell_count + 1, sizeof(*results->cells));
    results->brackets = calloc(plan->cell_count + 1, sizeof(*results->brackets));
    results->first_round = calloc(plan->cell_count + 1, sizeof(*results->first_round));
    if (!results->cells || !results->brackets || !results->first_round)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the results");
    for (size_t i = 0; i < plan->cell_count; i++) {
        if (is_of_first_round(&plan->cells[i]))
            results->first_round[results->first_round_count++] = results->count;
        if (plan->cells[i].kind == MGC_CELL_MEASURE)
            results->cells[results->count++].cell = &plan->cells[i];
        if (plan->cells[i].kind == MGC_CELL_BRACKET)
            results->brackets[results->bracket_count++].cell = &plan->cells[i];
    }
    results->waiting_end = results->count;
    results->several_backends = has_several_backends(results);
    return mgc_facts_take_orders(results) ||
           mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the results");
}

static void host_destroy(struct mgc_host_record *host)
{
    free(host->name);
    free(host->role);
    free(host->host);
    free(host->os);
    free(host->build);
    free(host->boot_id);
}

static void setting_destroy(struct mgc_result_setting *setting)
{
    free(setting->key);
    free(setting->value);
    free(setting->origin);
}

void mgc_results_destroy(struct mgc_results *results)
{
    if (!results)
        return;
    for (size_t i = 0; i < results->count; i++) {
        free(results->cells[i].dir);
        mgc_verdict_destroy(&results->cells[i].verdict);
        mgc_verdict_destroy(&results->cells[i].beside);
    }
    free(results->cells);
    free(results->first_round);
    free(results->orders);
    for (size_t i = 0; i < results->bracket_count; i++)
        mgc_verdict_destroy(&results->brackets[i].verdict);
    free(results->brackets);
    for (size_t i = 0; i < results->host_count; i++)
        host_destroy(&results->hosts[i]);
    free(results->hosts);
    for (size_t i = 0; i < results->note_count; i++)
        free(results->notes[i]);
    free(results->notes);
    for (size_t i = 0; i < results->setting_count; i++)
        setting_destroy(&results->settings[i]);
    free(results->settings);
    for (size_t i = 0; i < results->put_back_count; i++) {
        free(results->put_back[i].step);
        free(results->put_back[i].kind);
        free(results->put_back[i].text);
    }
    free(results->put_back);
    mgc_fields_destroy(&results->device);
    mgc_fields_destroy(&results->route);
    mgc_fields_destroy(&results->setup);
    mgc_verdict_destroy(&results->path_before);
    mgc_verdict_destroy(&results->path_after);
    json_decref(results->gate);
    free(results->stopped_reason);
    free(results->tool_build);
    *results = (struct mgc_results){0};
}

bool mgc_results_note(struct mgc_results *results, const char *fmt, ...)
{
    struct mgc_buf text = {0};
    va_list args;
    va_start(args, fmt);
    mgc_buf_vprintf(&text, fmt, args);
    va_end(args);
    char *note = mgc_buf_steal(&text);
    char **notes = realloc(results->notes, (results->note_count + 1) * sizeof(*notes));
    if (notes)
        results->notes = notes;
    if (!note || !notes) {
        free(note);
        return false;
    }
    results->notes[results->note_count++] = note;
    return true;
}

/* Rows begin with their cell, and stand in plan order. */
static int compare_cell(const void *key, const void *row)
{
    const struct mgc_cell *wanted = key, *own = *(const struct mgc_cell *const *)row;
    return (wanted > own) - (wanted < own);
}

struct mgc_bracket_result *mgc_results_bracket(
    const struct mgc_results *results, const struct mgc_cell *cell)
{
    return bsearch(
        cell, results->brackets, results->bracket_count, sizeof(*results->brackets), compare_cell);
}

struct mgc_cell_result *mgc_results_find(
    const struct mgc_results *results, const struct mgc_cell *cell)
{
    return bsearch(cell, results->cells, results->count, sizeof(*results->cells), compare_cell);
}

struct mgc_bracket_result *mgc_results_look(
    const struct mgc_results *results, const struct mgc_cell *cell, bool after)
{
    size_t first = 0, end = 0;
    if (cell->block)
        end = mgc_plan_block(results->plan, cell, &first);
    for (size_t i = first; i < end; i++) {
        const struct mgc_cell *other = &results->plan->cells[i];
        if (other->kind == MGC_CELL_BRACKET && other->after == after)
            return mgc_results_bracket(results, other);
    }
    return NULL;
}

/* ---- builds that are not there ---- */

/* A setup's step says `missing` with the package that it looked for: "app-2.missing". */
static bool is_missing(const struct mgc_results *results, const char *package)
{
    static const char end[] = ".missing";
    for (size_t i = 0; i < results->setup.count; i++) {
        const char *name = results->setup.items[i].name;
        size_t len = strlen(name);
        const char *missing = mgc_fields_get_str(&results->setup, name);
        if (len > strlen(end) && strcmp(name + len - strlen(end), end) == 0 && missing &&
            strcmp(missing, package) == 0)
            return true;
    }
    return false;
}

bool mgc_results_build_is_missing(const struct mgc_results *results, const struct mgc_cell *cell)
{
    return cell->expect.package && is_missing(results, cell->expect.package);
}

bool mgc_results_lacks_build(const struct mgc_results *results, struct mgc_cell_result *result)
{
    if (!mgc_results_build_is_missing(results, result->cell))
        return false;
    mgc_reason_set(&result->verdict, MGC_REASON_NOT_INSTALLED, "the app %s is not installed",
        result->cell->expect.package);
    return true;
}

void mgc_results_not_begun(const struct mgc_results *results, struct mgc_cell_result *cell)
{
    if (mgc_results_lacks_build(results, cell))
        return;
    if (results->stopped_reason)
        mgc_reason_set(&cell->verdict, MGC_REASON_RUN_STOPPED,
            "not begun, since the run was stopped: %s", results->stopped_reason);
    else
        mgc_reason_set(&cell->verdict, MGC_REASON_RUN_STOPPED,
            results->interrupted ? "not begun, since the user stopped the run"
                                 : "not begun, and the run says nowhere why");
}

static void keep_facts(
    struct mgc_results *results, const struct mgc_step *step, const struct mgc_fields *facts)
{
    for (size_t i = 0; i < facts->count; i++) {
        char name[128];
        int len = snprintf(name, sizeof(name), "%s.%s", step->id, facts->items[i].name);
        if (len > 0 && (size_t)len < sizeof(name))
            mgc_fields_set_value(&results->setup, name, &facts->items[i].value);
    }
}

void mgc_results_keep_setup(struct mgc_results *results, const struct mgc_step *step,
    const struct mgc_step_outcome *outcome)
{
    static const char *const elsewhere[] = {"host.device", "wsl.route", "wsl.pathcheck"};
    for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++) {
        if (strcmp(step->kind, elsewhere[i]) == 0)
            return;
    }
    char missing[128];
    snprintf(missing, sizeof(missing), "%s.missing", step->id);
    mgc_fields_remove(&results->setup, missing); /* of a setup before, in a run that is resumed */
    keep_facts(results, step, &outcome->ready);
    keep_facts(results, step, &outcome->facts);
}

bool mgc_plan_checks_path(const struct mgc_plan *plan)
{
    for (size_t i = 0; i < plan->cell_count; i++) {
        if (plan->cells[i].crosses_hosts)
            return true;
    }
    return plan->cell_count == 0;
}

static bool took_longer(const struct mgc_cell_result *cell, int64_t limit_ms)
{
    double seconds;
    bool known = mgc_fields_get_double(&cell->verdict.metrics, "app_s", &seconds) ||
                 mgc_fields_get_double(&cell->verdict.metrics, "total_seconds", &seconds);
    return known && seconds * 1000 > (double)limit_ms;
}

/* Of a cell of the first round. */
static bool is_slow(const struct mgc_cell_result *result, const struct mgc_shorten *rule)
{
    const struct mgc_cell *cell = result->cell;
    return strcmp(cell->lane, rule->lane) == 0 && strcmp(cell->workload, rule->workload) == 0 &&
           result->verdict.state == MGC_VERDICT_MEASURED && took_longer(result, rule->above_ms);
}

static bool is_one_too_many(const struct mgc_cell *cell, const struct mgc_shorten *rule)
{
    return mgc_cell_is_regular(cell) && strcmp(cell->lane, rule->lane) == 0 &&
           strcmp(cell->workload, rule->workload) == 0 && cell->rep > rule->reps;
}

const struct mgc_shorten *mgc_results_left_out(const struct mgc_results *results,
    const struct mgc_cell *cell, const struct mgc_cell_result **ret_cause)
{
    for (size_t r = 0; r < results->plan->shorten_count; r++) {
        const struct mgc_shorten *rule = &results->plan->shorten[r];
        size_t looked_at = is_one_too_many(cell, rule) ? results->first_round_count : 0;
        for (size_t i = 0; i < looked_at; i++) {
            const struct mgc_cell_result *first = &results->cells[results->first_round[i]];
            if (!is_slow(first, rule))
                continue;
            *ret_cause = first;
            return rule;
        }
    }
    return NULL;
}

static bool failed_a_gate(const struct mgc_cell_result *result)
{
    const struct mgc_reason_words *words = mgc_reason_find(result->verdict.reason);
    return words && words->gate && result->verdict.state == words->state;
}

/* All that the plan asks for came: measured, left out by one of its rules or budgets, or measured
 * well enough to fail a gate. */
static bool all_measured(const struct mgc_results *results)
{
    const struct mgc_cell_result *cause;
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell_result *result = &results->cells[i];
        bool left_out = result->verdict.state == MGC_VERDICT_SKIPPED &&
                        mgc_results_left_out(results, result->cell, &cause);
        left_out = left_out || mgc_results_left_as_planned(results, result);
        if (result->verdict.state != MGC_VERDICT_MEASURED && !left_out && !failed_a_gate(result))
            return false;
    }
    return true;
}

static bool gates_passed(const struct mgc_results *results)
{
    for (size_t i = 0; i < results->count; i++) {
        if (failed_a_gate(&results->cells[i]))
            return false;
    }
    return !mgc_results_regressed(results);
}

static bool is_path_good(const struct mgc_results *results)
{
    return !mgc_plan_checks_path(results->plan) ||
           (results->path_before.state == MGC_VERDICT_MEASURED &&
               results->path_after.state == MGC_VERDICT_MEASURED);
}

int mgc_results_exit_code(const struct mgc_results *results)
{
    if (results->interrupted)
        return 4;
    bool any = results->count > 0 || !mgc_plan_checks_path(results->plan); /* only fixtures */
    bool good = any && all_measured(results) && is_path_good(results) && !results->stopped_reason;
    if (!good)
        return 3;
    return gates_passed(results) ? 0 : 1;
}
