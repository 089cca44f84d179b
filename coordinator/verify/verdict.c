#include "coordinator/verify/verdict.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"

const char *mgc_verdict_state_name(enum mgc_verdict_state state)
{
    switch (state) {
    case MGC_VERDICT_INCOMPLETE:
        return "incomplete";
    case MGC_VERDICT_MEASURED:
        return "measured";
    case MGC_VERDICT_INVALID:
        return "invalid";
    case MGC_VERDICT_FAILED:
        return "failed";
    case MGC_VERDICT_SKIPPED:
        return "skipped";
    }
    return "incomplete";
}

const char *mgc_check_outcome_name(enum mgc_check_outcome outcome)
{
    switch (outcome) {
    case MGC_CHECK_OK:
        return "ok";
    case MGC_CHECK_BAD:
        return "bad";
    case MGC_CHECK_ABSENT:
        return "absent";
    }
    return "absent";
}

static void evidence_destroy(struct mgc_evidence *evidence)
{
    free(evidence->check);
    free(evidence->seen);
    free(evidence->source);
}

void mgc_verdict_destroy(struct mgc_verdict *verdict)
{
    if (!verdict)
        return;
    for (size_t i = 0; i < verdict->evidence_count; i++)
        evidence_destroy(&verdict->evidence[i]);
    free(verdict->evidence);
    mgc_fields_destroy(&verdict->metrics);
    *verdict = (struct mgc_verdict){0};
}

bool mgc_verdict_add(struct mgc_verdict *verdict, const char *check, enum mgc_check_outcome outcome,
    const char *source, const char *seen_fmt, ...)
{
    struct mgc_buf seen = {0};
    va_list args;
    va_start(args, seen_fmt);
    mgc_buf_vprintf(&seen, seen_fmt, args);
    va_end(args);

    struct mgc_evidence item = {
        .check = strdup(check),
        .outcome = outcome,
        .seen = mgc_buf_steal(&seen),
        .source = strdup(source),
    };
    struct mgc_evidence *list =
        realloc(verdict->evidence, (verdict->evidence_count + 1) * sizeof(*list));
    if (list)
        verdict->evidence = list;
    if (!list || !item.check || !item.seen || !item.source) {
        evidence_destroy(&item);
        return false;
    }
    verdict->evidence[verdict->evidence_count++] = item;
    return true;
}

const struct mgc_evidence *mgc_verdict_find(const struct mgc_verdict *verdict, const char *check)
{
    for (size_t i = 0; i < verdict->evidence_count; i++) {
        if (strcmp(verdict->evidence[i].check, check) == 0)
            return &verdict->evidence[i];
    }
    return NULL;
}

bool mgc_verdict_is_named(const struct mgc_verdict *verdict)
{
    return verdict->state != MGC_VERDICT_INCOMPLETE || verdict->reason[0];
}

void mgc_verdict_take_back(struct mgc_verdict *verdict)
{
    if (verdict->state == MGC_VERDICT_MEASURED)
        verdict->state = MGC_VERDICT_INCOMPLETE;
}

void mgc_verdict_set(struct mgc_verdict *verdict, enum mgc_verdict_state state, const char *reason,
    const char *next_step, const char *fmt, ...)
{
    if (mgc_verdict_is_named(verdict))
        return;
    va_list args;
    va_start(args, fmt);
    vsnprintf(verdict->text, sizeof(verdict->text), fmt, args);
    va_end(args);
    verdict->state = state;
    snprintf(verdict->reason, sizeof(verdict->reason), "%s", reason);
    snprintf(verdict->next_step, sizeof(verdict->next_step), "%s", next_step);
}
