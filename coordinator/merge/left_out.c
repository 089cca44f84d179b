#include "coordinator/merge/left_out.h"

#include <string.h>

#include "coordinator/merge/rounds.h"
#include "coordinator/verify/reasons.h"

static bool is_named(const struct mgc_cell_result *result, enum mgc_reason reason)
{
    return result->verdict.state == MGC_VERDICT_SKIPPED &&
           strcmp(result->verdict.reason, mgc_reason_words(reason)->name) == 0;
}

static bool is_of_time(const struct mgc_cell_result *result)
{
    return is_named(result, MGC_REASON_NO_TIME_LEFT) || is_named(result, MGC_REASON_TIME_OVER);
}

bool mgc_result_is_left_out(const struct mgc_cell_result *result)
{
    return result->attempts == 0 && (is_of_time(result) || is_named(result, MGC_REASON_LEFT_OUT));
}

bool mgc_results_left_as_planned(
    const struct mgc_results *results, const struct mgc_cell_result *result)
{
    if (!is_named(result, MGC_REASON_NO_TIME_LEFT) || !mgc_cell_is_regular(result->cell))
        return false;
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell_result *other = &results->cells[i];
        if (other->verdict.state == MGC_VERDICT_MEASURED && mgc_cell_is_regular(other->cell) &&
            mgc_cell_same_arm(other->cell, result->cell))
            return true;
    }
    return false;
}

static bool is_together(const struct mgc_verdict *a, const struct mgc_verdict *b)
{
    return strcmp(a->reason, b->reason) == 0 && strcmp(a->text, b->text) == 0;
}

bool mgc_result_left_out_with(
    const struct mgc_cell_result *result, const struct mgc_left_out *left_out)
{
    return mgc_result_is_left_out(result) && is_together(&result->verdict, left_out->verdict);
}

static bool is_first(const struct mgc_results *results, size_t at)
{
    struct mgc_left_out of = {.verdict = &results->cells[at].verdict};
    size_t i = 0;
    while (i < at && !mgc_result_left_out_with(&results->cells[i], &of))
        i++;
    return i == at;
}

static struct mgc_left_out gather(const struct mgc_results *results, size_t first)
{
    const struct mgc_cell_result *of = &results->cells[first];
    struct mgc_left_out left_out = {.verdict = &of->verdict, .of_time = is_of_time(of)};
    for (size_t i = first; i < results->count; i++)
        left_out.cells += mgc_result_left_out_with(&results->cells[i], &left_out);
    return left_out;
}

bool mgc_results_left_out_part(
    const struct mgc_results *results, size_t nth, struct mgc_left_out *ret_left_out)
{
    for (size_t i = 0; i < results->count; i++) {
        if (!mgc_result_is_left_out(&results->cells[i]) || !is_first(results, i) || nth-- > 0)
            continue;
        *ret_left_out = gather(results, i);
        return true;
    }
    return false;
}
