/* verify.txt: which of its arm's lines a run's logs have. Counts are right where the old script's
 * were not: Fatal lines in the whole logs, lines of counters without the banner, each once. */
#include <string.h>

#include "coordinator/legacy/legacy.h"
#include "coordinator/plan/bench.h"

static bool has(const char *const *list, const char *name)
{
    for (; *list; list++) {
        if (strcmp(*list, name) == 0)
            return true;
    }
    return false;
}

/* A line that had to be there. */
static void set_wanted(struct mgc_fields *fields, const char *key,
    const struct mgc_verdict *verdict, const char *check)
{
    const struct mgc_evidence *evidence = mgc_verdict_find(verdict, check);
    if (!evidence)
        return;
    if (evidence->outcome == MGC_CHECK_OK)
        mgc_fields_setf(fields, key, "OK: %s", evidence->seen);
    else
        mgc_fields_set_str(fields, key, "MISSING");
}

/* One that must not be there. */
static void set_unwanted(struct mgc_fields *fields, const char *key,
    const struct mgc_verdict *verdict, const char *check)
{
    const struct mgc_evidence *evidence = mgc_verdict_find(verdict, check);
    if (!evidence || evidence->outcome == MGC_CHECK_ABSENT)
        return;
    if (evidence->outcome == MGC_CHECK_BAD)
        mgc_fields_setf(fields, key, "PRESENT: %s", evidence->seen);
    else
        mgc_fields_set_str(fields, key, "absent");
}

static void set_transport(struct mgc_fields *fields, const struct mgc_verdict *verdict,
    const char *name, const char *check)
{
    const struct mgc_evidence *evidence = mgc_verdict_find(verdict, check);
    if (evidence)
        mgc_fields_setf(fields, "TRANSPORT_MARKER", "%s:%s", name,
            evidence->outcome == MGC_CHECK_OK ? "OK" : "MISSING");
}

/* A monolith is proved by what its logs do not have. */
static void set_monolith(struct mgc_fields *fields, const struct mgc_verdict *verdict)
{
    const struct mgc_evidence *inproc = mgc_verdict_find(verdict, "transport-inproc");
    const struct mgc_evidence *spawn = mgc_verdict_find(verdict, "transport-spawn");
    if (!inproc || !spawn)
        return;
    if (inproc->outcome == MGC_CHECK_BAD || spawn->outcome == MGC_CHECK_BAD)
        mgc_fields_set_str(fields, "SPLIT_MARKER", "UNEXPECTED_PRESENT");
    else if (inproc->outcome == MGC_CHECK_OK && spawn->outcome == MGC_CHECK_OK)
        mgc_fields_set_str(fields, "SPLIT_MARKER", "absent (monolith:OK)");
    /* The arm has no such line, and the old script looked for it all the same. */
    if (fields->count)
        mgc_fields_set_str(fields, "RUN_AHEAD_ARMED", "MISSING");
}

static void set_split(
    struct mgc_fields *fields, const struct mgc_bench_arm *arm, const struct mgc_verdict *verdict)
{
    if (has(arm->required, "transport-inproc"))
        set_transport(fields, verdict, "inproc", "transport-inproc");
    else
        set_transport(fields, verdict, "spawn", "transport-spawn");
    if (has(arm->required, "spawn-armed"))
        set_wanted(fields, "SECOND_PROCESS_SPAWN_ARMED", verdict, "spawn-armed");
    if (has(arm->required, "control-tcp"))
        set_wanted(fields, "TCP_SESSION", verdict, "control-tcp");
    set_wanted(fields, "RUN_AHEAD_ARMED", verdict, "run-ahead-armed");
}

static void set_count(
    struct mgc_fields *fields, const char *key, const struct mgc_fields *metrics, const char *name)
{
    int64_t count;
    if (mgc_fields_get_int(metrics, name, &count))
        mgc_fields_set_int(fields, key, count);
}

bool mgc_legacy_verify_fields(
    const struct mgc_cell *cell, const struct mgc_verdict *verdict, struct mgc_fields *ret_fields)
{
    const struct mgc_bench_arm *arm = mgc_bench_arm(mgc_bench_built_in(), cell->arm);
    if (arm && arm->client_env)
        set_split(ret_fields, arm, verdict);
    else if (arm)
        set_monolith(ret_fields, verdict);
    set_unwanted(ret_fields, "LOCKSTEP_WARNING", verdict, "lockstep");
    set_unwanted(ret_fields, "DISARMED", verdict, "disarmed");
    set_count(ret_fields, "PIPESTATS_LINES", &verdict->metrics, "pipe_stats_lines");
    set_count(ret_fields, "FATAL_LINES", &verdict->metrics, "fatal_lines");
    return true;
}

bool mgc_legacy_verify(
    const struct mgc_cell *cell, const struct mgc_verdict *verdict, struct mgc_buf *out)
{
    struct mgc_fields fields = {0};
    mgc_legacy_verify_fields(cell, verdict, &fields);
    mgc_buf_printf(out, "arm=%s\n", cell->arm);
    for (size_t i = 0; i < fields.count; i++) {
        const struct mgc_value *value = &fields.items[i].value;
        if (value->type == MGC_VALUE_INT)
            mgc_buf_printf(out, "%s=%lld\n", fields.items[i].name, (long long)value->integer);
        else
            mgc_buf_printf(out, "%s=%s\n", fields.items[i].name, value->string);
    }
    mgc_fields_destroy(&fields);
    return mgc_buf_ok(out);
}
