#include "worker-wsl/pathcheck/pathcheck.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* "1, 9, 40612": the ports with this outcome. */
static const char *ports_text(
    const struct mgc_path_evidence *evidence, enum mgc_path_outcome outcome, char *buf, size_t size)
{
    size_t len = 0;
    buf[0] = '\0';
    for (size_t i = 0; i < evidence->count && len < size; i++) {
        if (evidence->probes[i].outcome == outcome)
            len += (size_t)snprintf(
                buf + len, size - len, "%s%u", len ? ", " : "", evidence->probes[i].port);
    }
    return buf;
}

static void say(struct mgc_path_finding *finding, enum mgc_path_verdict says, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void say(struct mgc_path_finding *finding, enum mgc_path_verdict says, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(finding->text, sizeof(finding->text), fmt, args);
    va_end(args);
    finding->says = says;
}

static int first_errnum(const struct mgc_path_evidence *evidence, enum mgc_path_outcome outcome)
{
    for (size_t i = 0; i < evidence->count; i++) {
        if (evidence->probes[i].outcome == outcome)
            return evidence->probes[i].errnum;
    }
    return 0;
}

/* Nothing on the phone listens there, so only somebody else can accept. One refusal is enough for
 * the other side: single answers get lost (rate limits, radio), which is silence, not a reply. A
 * mix of refusals and ICMP errors is the work of a filter that knows ports, and such a filter may
 * have made the refusals too. */
static void closed_ports(const struct mgc_path_evidence *evidence, struct mgc_path_finding *finding)
{
    size_t seen[MGC_PATH_OUTCOME_COUNT] = {0};
    char ports[64], others[64];
    for (size_t i = 0; i < evidence->count; i++)
        seen[evidence->probes[i].outcome]++;
    if (seen[MGC_PATH_ACCEPTED])
        say(finding, MGC_PATH_MIDDLEBOX,
            "port %s of %s accepted a connection though nothing on the phone listens there: a "
            "middlebox ends TCP; send %s/32 through a gateway that only forwards",
            ports_text(evidence, MGC_PATH_ACCEPTED, ports, sizeof(ports)), evidence->address,
            evidence->address);
    else if (seen[MGC_PATH_REFUSED] && seen[MGC_PATH_UNREACHABLE])
        say(finding, MGC_PATH_CANNOT_TELL,
            "port %s of %s refused but port %s is unreachable (%s): a filter on the way treats "
            "ports differently and may have made the refusals itself",
            ports_text(evidence, MGC_PATH_REFUSED, ports, sizeof(ports)), evidence->address,
            ports_text(evidence, MGC_PATH_UNREACHABLE, others, sizeof(others)),
            strerror(first_errnum(evidence, MGC_PATH_UNREACHABLE)));
    else if (seen[MGC_PATH_REFUSED])
        say(finding, MGC_PATH_END_TO_END, "%s refused port %s itself%s%s", evidence->address,
            ports_text(evidence, MGC_PATH_REFUSED, ports, sizeof(ports)),
            seen[MGC_PATH_SILENT] ? "; silent on " : "",
            ports_text(evidence, MGC_PATH_SILENT, others, sizeof(others)));
    else if (seen[MGC_PATH_UNREACHABLE])
        say(finding, MGC_PATH_CANNOT_TELL,
            "%s cannot be reached (%s): the phone is off, there is no route to it, or a filter "
            "says so",
            evidence->address, strerror(first_errnum(evidence, MGC_PATH_UNREACHABLE)));
    else if (seen[MGC_PATH_SILENT])
        say(finding, MGC_PATH_CANNOT_TELL,
            "%s did not answer on port %s within %lld ms: the phone is off, a filter drops, or "
            "this network mode of WSL swallows refusals",
            evidence->address, ports_text(evidence, MGC_PATH_SILENT, ports, sizeof(ports)),
            (long long)evidence->timeout_ms);
    else
        say(finding, MGC_PATH_CANNOT_TELL, "no port of %s was probed", evidence->address);
}

/* One signal each. A rule whose signal is not in the evidence says that nothing can be told. */
static const struct rule {
    const char *signal;
    void (*look)(const struct mgc_path_evidence *evidence, struct mgc_path_finding *finding);
} rules[] = {
    {"closed ports", closed_ports},
};

_Static_assert(sizeof(rules) / sizeof(rules[0]) <= MGC_PATH_FINDINGS_MAX, "a finding per rule");

static bool decide(struct mgc_path_judgement *judgement, enum mgc_path_verdict verdict)
{
    for (size_t i = 0; i < judgement->count; i++) {
        if (judgement->findings[i].says == verdict) {
            judgement->verdict = verdict;
            judgement->deciding = i;
            return true;
        }
    }
    return false;
}

void mgc_pathcheck_judge(
    const struct mgc_path_evidence *evidence, struct mgc_path_judgement *ret_judgement)
{
    struct mgc_path_judgement judgement = {.verdict = MGC_PATH_CANNOT_TELL};
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        struct mgc_path_finding *finding = &judgement.findings[judgement.count++];
        finding->signal = rules[i].signal;
        rules[i].look(evidence, finding);
    }
    if (!decide(&judgement, MGC_PATH_MIDDLEBOX) && !decide(&judgement, MGC_PATH_END_TO_END))
        decide(&judgement, MGC_PATH_CANNOT_TELL);
    *ret_judgement = judgement;
}

const char *mgc_path_outcome_name(enum mgc_path_outcome outcome)
{
    static const char *const names[MGC_PATH_OUTCOME_COUNT] = {
        [MGC_PATH_REFUSED] = "refused",
        [MGC_PATH_ACCEPTED] = "accepted",
        [MGC_PATH_SILENT] = "silent",
        [MGC_PATH_UNREACHABLE] = "unreachable",
    };
    return names[outcome];
}

const char *mgc_path_verdict_name(enum mgc_path_verdict verdict)
{
    static const char *const names[] = {"end-to-end", "middlebox", "cannot-tell"};
    return names[verdict];
}

const char *mgc_path_reason(const struct mgc_path_judgement *judgement)
{
    return judgement->findings[judgement->deciding].text;
}

const char *mgc_path_probe_text(const struct mgc_path_probe *probe, char *buf, size_t size)
{
    snprintf(buf, size, "port %u: %s after %lld us%s%s%s", probe->port,
        mgc_path_outcome_name(probe->outcome), (long long)probe->took_us, probe->errnum ? " (" : "",
        probe->errnum ? strerror(probe->errnum) : "", probe->errnum ? ")" : "");
    return buf;
}

static bool set_counts(const struct mgc_path_evidence *evidence, struct mgc_fields *fields)
{
    bool ok = true;
    for (int outcome = 0; ok && outcome < MGC_PATH_OUTCOME_COUNT; outcome++) {
        char name[32];
        int64_t count = 0;
        for (size_t i = 0; i < evidence->count; i++)
            count += (int)evidence->probes[i].outcome == outcome;
        snprintf(
            name, sizeof(name), "ports_%s", mgc_path_outcome_name((enum mgc_path_outcome)outcome));
        ok = mgc_fields_set_int(fields, name, count);
    }
    return ok;
}

bool mgc_pathcheck_to_fields(const struct mgc_path_evidence *evidence,
    const struct mgc_path_judgement *judgement, struct mgc_fields *fields)
{
    bool ok = mgc_fields_set_str(fields, "verdict", mgc_path_verdict_name(judgement->verdict)) &&
              mgc_fields_set_str(fields, "reason", mgc_path_reason(judgement)) &&
              set_counts(evidence, fields);
    if (evidence->source[0]) /* absent stays absent */
        ok = ok && mgc_fields_set_str(fields, "source", evidence->source);
    for (size_t i = 0; ok && i < evidence->count; i++) {
        char name[32], text[128];
        snprintf(name, sizeof(name), "probe_%u", evidence->probes[i].port);
        ok = mgc_fields_set_str(
            fields, name, mgc_path_probe_text(&evidence->probes[i], text, sizeof(text)));
    }
    return ok;
}
