#include "coordinator/stats/comparable.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

const char *mgc_fact_name(enum mgc_fact fact)
{
    static const char *const names[MGC_FACT_COUNT] = {
        [MGC_FACT_WORKLOAD] = "workload",
        [MGC_FACT_TRACE] = "trace",
        [MGC_FACT_BENCHMARK_FINISH] = "benchmark_finish",
        [MGC_FACT_GEOMETRY] = "geometry",
        [MGC_FACT_PRESENT_CREDIT] = "present_credit",
        [MGC_FACT_SURFACE] = "surface",
        [MGC_FACT_BACKEND] = "backend",
        [MGC_FACT_EXTRA_ENV] = "extra_env",
        [MGC_FACT_EXTRA_SERVER_ENV] = "extra_server_env",
        [MGC_FACT_PIPE_STATS] = "pipe_stats",
        [MGC_FACT_CLIENT_BUILD] = "client_build",
        [MGC_FACT_LIBRARY_BUILD] = "library_build",
        [MGC_FACT_SERVER_BUILD] = "server_build",
        [MGC_FACT_DEVICE] = "device",
        [MGC_FACT_CLOCK_PROFILE] = "clock_profile",
        [MGC_FACT_STOPPED_SERVICES] = "stopped_services",
        [MGC_FACT_LINK] = "link",
        [MGC_FACT_ARM_ORDER] = "arm_order",
        [MGC_FACT_CLIENT_CPU] = "client_cpu",
    };
    return (size_t)fact < MGC_FACT_COUNT ? names[fact] : "unknown";
}

void mgc_cell_facts_set(struct mgc_cell_facts *facts, enum mgc_fact fact, const char *value)
{
    assert((size_t)fact < MGC_FACT_COUNT);
    facts->facts[fact].state = value ? MGC_FACT_KNOWN : MGC_FACT_ABSENT;
    facts->facts[fact].value = value;
}

void mgc_cell_facts_not_applicable(struct mgc_cell_facts *facts, enum mgc_fact fact)
{
    assert((size_t)fact < MGC_FACT_COUNT);
    facts->facts[fact] = (struct mgc_fact_value){.state = MGC_FACT_NOT_APPLICABLE};
}

static enum mgc_comparable same(const struct mgc_fact_value *a, const struct mgc_fact_value *b)
{
    if (a->state == MGC_FACT_ABSENT || b->state == MGC_FACT_ABSENT)
        return MGC_COMPARABLE_UNKNOWN;
    if (a->state == MGC_FACT_NOT_APPLICABLE || b->state == MGC_FACT_NOT_APPLICABLE)
        return MGC_COMPARABLE_YES;
    return strcmp(a->value, b->value) == 0 ? MGC_COMPARABLE_YES : MGC_COMPARABLE_NO;
}

/* The first fact with that answer; MGC_FACT_COUNT when there is none. */
static enum mgc_fact find(const struct mgc_cell_facts *a, const struct mgc_cell_facts *b,
    unsigned varied, enum mgc_comparable wanted)
{
    for (int i = 0; i < MGC_FACT_COUNT; i++) {
        if (i != MGC_FACT_CLIENT_CPU && !(varied & 1u << i) &&
            same(&a->facts[i], &b->facts[i]) == wanted)
            return (enum mgc_fact)i;
    }
    return MGC_FACT_COUNT;
}

struct mgc_comparability mgc_cells_comparable(
    const struct mgc_cell_facts *a, const struct mgc_cell_facts *b, unsigned varied)
{
    enum mgc_fact differs = find(a, b, varied, MGC_COMPARABLE_NO);
    enum mgc_fact absent = find(a, b, varied, MGC_COMPARABLE_UNKNOWN);
    struct mgc_comparability answer = {
        .answer = MGC_COMPARABLE_YES,
        .fact = differs != MGC_FACT_COUNT ? differs : absent,
        .same_client_cpu = same(&a->facts[MGC_FACT_CLIENT_CPU], &b->facts[MGC_FACT_CLIENT_CPU]),
    };
    if (differs != MGC_FACT_COUNT)
        answer.answer = MGC_COMPARABLE_NO;
    else if (absent != MGC_FACT_COUNT)
        answer.answer = MGC_COMPARABLE_UNKNOWN;
    return answer;
}

void mgc_comparability_text(const struct mgc_comparability *answer, const struct mgc_cell_facts *a,
    const struct mgc_cell_facts *b, char *text, size_t size)
{
    const char *name = mgc_fact_name(answer->fact);
    switch (answer->answer) {
    case MGC_COMPARABLE_YES:
        snprintf(text, size, "yes");
        return;
    case MGC_COMPARABLE_NO:
        snprintf(text, size, "%s differs: %s and %s", name, a->facts[answer->fact].value,
            b->facts[answer->fact].value);
        return;
    case MGC_COMPARABLE_UNKNOWN:
        snprintf(text, size, "%s is not known", name);
        return;
    }
    snprintf(text, size, "unknown");
}
