/* Which rules a cell is judged by: those of its lane; and what is common to their end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/verify/judge.h"

/* Nothing was named; that is not enough. Every check must also have seen what it looked for. */
static void conclude(struct mgc_verdict *verdict)
{
    if (mgc_verdict_is_named(verdict))
        return;
    for (size_t i = 0; i < verdict->evidence_count; i++) {
        const struct mgc_evidence *item = &verdict->evidence[i];
        if (item->outcome != MGC_CHECK_OK)
            mgc_reason_set(verdict, MGC_REASON_EVIDENCE_INCOMPLETE, "check '%s' is %s", item->check,
                mgc_check_outcome_name(item->outcome));
    }
    if (verdict->evidence_count == 0)
        mgc_reason_set(verdict, MGC_REASON_EVIDENCE_INCOMPLETE, "there is no evidence at all");
    if (!mgc_verdict_is_named(verdict))
        verdict->state = MGC_VERDICT_MEASURED;
}

void mgc_judge_conclude(struct judge *judge)
{
    const struct mgc_attempt *attempt = judge->attempt;
    conclude(judge->verdict);
    if (attempt->infrastructure && !attempt->interrupted)
        judge->verdict->infrastructure = true;
}

static const struct {
    const char *lane;
    void (*verify)(
        const struct mgc_attempt *attempt, const char *dir, struct mgc_verdict *ret_verdict);
} lanes[] = {
    {"crosshost", mgc_verify_crosshost},
    {"matrix", mgc_verify_matrix},
    {"netbench", mgc_verify_netbench},
};

/* Numbers as verdict.json has them (15 digits), so that a report that is made again from there
 * computes with the same ones. */
static void keep_as_written(struct mgc_fields *metrics)
{
    for (size_t i = 0; i < metrics->count; i++) {
        struct mgc_value *value = &metrics->items[i].value;
        char text[40];
        if (value->type != MGC_VALUE_DOUBLE)
            continue;
        snprintf(text, sizeof(text), "%.15g", value->real);
        value->real = strtod(text, NULL);
    }
}

void mgc_verify_cell(
    const struct mgc_attempt *attempt, const char *dir, struct mgc_verdict *ret_verdict)
{
    for (size_t i = 0; i < sizeof(lanes) / sizeof(lanes[0]); i++) {
        if (strcmp(lanes[i].lane, attempt->cell->lane) == 0) {
            lanes[i].verify(attempt, dir, ret_verdict);
            keep_as_written(&ret_verdict->metrics);
            return;
        }
    }
    *ret_verdict = (struct mgc_verdict){0};
    mgc_reason_set(ret_verdict, MGC_REASON_EVIDENCE_INCOMPLETE,
        "lane '%s' has no rules to judge a cell by", attempt->cell->lane);
}

void mgc_verify_steps(const struct mgc_attempt *attempt, struct mgc_verdict *ret_verdict)
{
    *ret_verdict = (struct mgc_verdict){0};
    struct judge judge = {.attempt = attempt, .cell = attempt->cell, .verdict = ret_verdict};
    mgc_judge_interrupted(&judge);
    mgc_judge_steps(&judge);
    if (!mgc_verdict_is_named(ret_verdict) && ret_verdict->evidence_count)
        ret_verdict->state = MGC_VERDICT_MEASURED;
}
