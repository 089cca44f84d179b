/* The app's run on the phone: were phone and machines ready for it, and how did it end? */
#include "coordinator/verify/judge.h"
#include "coordinator/verify/metrics.h"

#include <stdio.h>
#include <string.h>

/* ---- gate ---------------------------------------------------------------------------------- */

static const struct {
    const char *gate;
    enum mgc_reason reason;
} gates[] = {
    {"hot", MGC_REASON_TOO_HOT},
    {"cold", MGC_REASON_TOO_COLD},
    {"unplugged", MGC_REASON_UNPLUGGED},
    {"stay-awake-off", MGC_REASON_NOT_AWAKE},
    {"asleep", MGC_REASON_ASLEEP},
    {"unreadable", MGC_REASON_GATE_UNREADABLE},
};

static void describe_phone(const struct mgc_fields *facts, char *ret_text, size_t size)
{
    int64_t temp_dc, level;
    const char *power = mgc_fields_get_str(facts, "power_source");
    char temp[32] = "temperature not readable", charge[32] = "";
    if (mgc_fields_get_int(facts, "battery_temp_dc", &temp_dc))
        snprintf(temp, sizeof(temp), "%.1f C", (double)temp_dc / 10);
    if (mgc_fields_get_int(facts, "battery_level", &level))
        snprintf(charge, sizeof(charge), ", charge %lld %%", (long long)level);
    snprintf(ret_text, size, "%s%s, power %s", temp, charge, power ? power : "not readable");
}

void mgc_judge_gate(struct judge *judge)
{
    const struct mgc_fields *facts = mgc_facts_of_step(judge->attempt, "quiesce");
    const char *gate = mgc_fields_get_str(facts, "gate");
    char phone[128];
    describe_phone(facts, phone, sizeof(phone));
    if (!gate) {
        mgc_verdict_add(judge->verdict, "gate", MGC_CHECK_ABSENT, "host.quiesce", "%s", "");
        return;
    }
    bool open = strcmp(gate, "ok") == 0;
    mgc_verdict_add(judge->verdict, "gate", open ? MGC_CHECK_OK : MGC_CHECK_BAD, "host.quiesce",
        "%s: %s", gate, phone);
    for (size_t i = 0; i < sizeof(gates) / sizeof(gates[0]); i++) {
        if (strcmp(gates[i].gate, gate) == 0)
            mgc_reason_set(judge->verdict, gates[i].reason, "%s (%s)",
                mgc_reason_words(gates[i].reason)->meaning, phone);
    }
}

static void judge_host_gate(
    struct judge *judge, const struct mgc_step *step, const struct mgc_fields *facts)
{
    const char *gate = mgc_fields_get_str(facts, "gate");
    int64_t cpus = 0, free_bytes;
    double load;
    char check[64], busy[64] = "load not known", room[64] = "free space not known";
    snprintf(check, sizeof(check), "gate of %s", mgc_role_name(step->role));
    if (!gate) {
        mgc_verdict_add(judge->verdict, check, MGC_CHECK_ABSENT, step->kind, "%s", "");
        return;
    }
    mgc_fields_get_int(facts, "cpus", &cpus);
    if (mgc_fields_get_double(facts, "load", &load))
        snprintf(busy, sizeof(busy), "load %.2f on %lld CPU%s", load, (long long)cpus,
            plural((uint64_t)cpus));
    if (mgc_fields_get_int(facts, "free_bytes", &free_bytes))
        snprintf(room, sizeof(room), "%.0f MB free", (double)free_bytes / 1e6);
    mgc_verdict_add(judge->verdict, check, strcmp(gate, "ok") == 0 ? MGC_CHECK_OK : MGC_CHECK_BAD,
        step->kind, "%s: %s, %s", gate, busy, room);
}

void mgc_judge_host_gates(struct judge *judge)
{
    for (size_t i = 0; i < judge->cell->step_count; i++) {
        if (strcmp(judge->cell->steps[i].kind, "worker.gate") == 0)
            judge_host_gate(judge, &judge->cell->steps[i], &judge->attempt->steps[i].facts);
    }
}

/* ---- the run ------------------------------------------------------------------------------- */

static void add_end(struct judge *judge, enum mgc_check_outcome outcome, const char *seen)
{
    mgc_verdict_add(judge->verdict, "app's run ended", outcome, "host.replay", "%s", seen);
}

static void name_death(struct judge *judge, const struct mgc_fields *facts)
{
    int64_t value;
    double ms;
    char how[64] = "", when[48] = "";
    if (mgc_fields_get_int(facts, "died_signal", &value))
        snprintf(how, sizeof(how), " by signal %lld", (long long)value);
    else if (mgc_fields_get_int(facts, "died_exit", &value))
        snprintf(how, sizeof(how), " with exit code %lld", (long long)value);
    if (mgc_fields_get_double(facts, "app_ms", &ms))
        snprintf(when, sizeof(when), ", %.1f s after its start", ms / 1000);
    mgc_reason_set(judge->verdict, MGC_REASON_APP_DIED,
        "the app's process ended before its result%s%s", how, when);
}

void mgc_judge_app(struct judge *judge)
{
    const struct mgc_fields *facts = mgc_facts_of_step(judge->attempt, "replay");
    const char *end = mgc_fields_get_str(facts, "end");
    const char *fatal = mgc_fields_get_str(facts, "fatal_line");
    if (!end) {
        add_end(judge, MGC_CHECK_ABSENT, "");
        mgc_reason_set(
            judge->verdict, MGC_REASON_APP_END_UNKNOWN, "nobody saw how the app's run ended");
        return;
    }
    bool good = strcmp(end, "result") == 0;
    add_end(judge, good ? MGC_CHECK_OK : MGC_CHECK_BAD, end);
    if (strcmp(end, "died") == 0)
        name_death(judge, facts);
    else if (strcmp(end, "timeout") == 0)
        mgc_reason_set(
            judge->verdict, MGC_REASON_CLIENT_TIMEOUT, "the app's run did not end within its time");
    else if (strcmp(end, "no-result") == 0)
        return; /* its result.json says more: it is damaged or missing */
    else if (strcmp(end, "fatal") == 0)
        mgc_reason_set(judge->verdict, MGC_REASON_FATAL_IN_LOG,
            "a Fatal line ended the app's run: %s", fatal ? fatal : "(not kept)");
    else if (!good)
        mgc_reason_set(judge->verdict, MGC_REASON_APP_END_UNKNOWN,
            "the app's run ended in a way this build does not know: '%.60s'", end);
}

/* ---- its files ------------------------------------------------------------------------------ */

static bool is_needed(const struct judge *judge, const char *name)
{
    bool needed = strcmp(name, "result.json") == 0 ||
                  (judge->cell->mode == MGC_MODE_BENCHMARK && strcmp(name, "benchmark.json") == 0);
    for (int i = 0; !needed && i < MGC_LOG_FILE_COUNT; i++) {
        const struct mgc_log_scan *log = &judge->logs->files[i];
        needed = log->required && log->name && strcmp(log->name, name) == 0;
    }
    return needed;
}

/* What changed while it was read is a mixture; only files that the verdict rests on matter. */
void mgc_judge_settled_files(struct judge *judge)
{
    static const char check[] = "files settled";
    const char *at =
        mgc_fields_get_str(mgc_facts_of_step(judge->attempt, "replay"), "changed_files");
    char name[128];
    bool good = true;
    for (; at && *at; at += strcspn(at, ",")) {
        at += strspn(at, ", ");
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, ","), at);
        if (!is_needed(judge, name))
            continue;
        good = false;
        mgc_verdict_add(judge->verdict, check, MGC_CHECK_BAD, "host.replay",
            "%s changed while it was read", name);
        mgc_reason_set(judge->verdict, MGC_REASON_APP_FILES_CHANGED,
            "%s still changed while it was read from the phone", name);
    }
    if (good)
        mgc_verdict_add(judge->verdict, check, MGC_CHECK_OK, "host.replay", "%s", "none changed");
}
