/* Does TCP run end to end between here and the phone, or does something in between end it?
 *
 * Probing connects to ports on which nothing listens and keeps what happened as evidence; judging
 * is a pure function over the evidence, a table of rules of which each looks at one signal. A
 * refusal that a proxy forges is not detected yet: the signals that can (round-trip floor against
 * echo time, MSS and window-scale marks, acked against received bytes) become further fields of the
 * evidence and further rules. IPv4 only.
 */
#ifndef WORKER_WSL_PATHCHECK_PATHCHECK_H
#define WORKER_WSL_PATHCHECK_PATHCHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/fields.h"

/* Few on purpose: a host limits its ICMP errors (Linux: 6 at once, then one a second), and a probe
 * beyond that looks like silence. */
enum { MGC_PATH_PROBES_MAX = 6 };
enum { MGC_PATH_TIMEOUT_MS = 3000 }; /* default; a lost SYN is sent again after 1 s */

/* Ports that nothing listens on: tcpmux, discard, and the neighbour of the render server's. */
extern const unsigned mgc_path_default_ports[3];

enum mgc_path_outcome {
    MGC_PATH_REFUSED,     /* RST: somebody with the phone's address says that nobody listens */
    MGC_PATH_ACCEPTED,    /* handshake completed */
    MGC_PATH_SILENT,      /* nothing until the deadline */
    MGC_PATH_UNREACHABLE, /* an ICMP error, no route, or no ARP answer: see errnum */
    MGC_PATH_OUTCOME_COUNT
};

struct mgc_path_probe {
    unsigned port;
    enum mgc_path_outcome outcome;
    int64_t took_us; /* SYN sent to the outcome, monotonic */
    int errnum;      /* of the connection attempt; 0 when accepted or silent */
};

struct mgc_path_evidence {
    char address[16];   /* the phone's */
    char source[16];    /* what the kernel chose for us; "" when there was no route */
    int64_t timeout_ms; /* how long each probe waited */
    struct mgc_path_probe probes[MGC_PATH_PROBES_MAX];
    size_t count;
};

/* Values are the exit codes of mgpathcheck. */
enum mgc_path_verdict {
    MGC_PATH_END_TO_END = 0,
    MGC_PATH_MIDDLEBOX = 1,
    MGC_PATH_CANNOT_TELL = 2,
};

/* What one rule made of its signal. */
struct mgc_path_finding {
    const char *signal; /* static: "closed ports" */
    enum mgc_path_verdict says;
    char text[320];
};

enum { MGC_PATH_FINDINGS_MAX = 8 };

struct mgc_path_judgement {
    enum mgc_path_verdict verdict;
    struct mgc_path_finding findings[MGC_PATH_FINDINGS_MAX];
    size_t count;
    size_t deciding; /* index of the finding that made the verdict */
};

struct mgc_path_request {
    const char *address;   /* dotted quad */
    const unsigned *ports; /* NULL: mgc_path_default_ports */
    size_t port_count;     /* at most MGC_PATH_PROBES_MAX */
    int64_t timeout_ms;    /* 0: MGC_PATH_TIMEOUT_MS */
    int stop_fd;           /* readable: MGC_E_CANCELLED; -1: none */
};

/* Probe all ports at the same time. False only when probing itself is not possible; every answer
 * or silence of the network is evidence. */
bool mgc_pathcheck_probe(const struct mgc_path_request *request,
    struct mgc_path_evidence *ret_evidence, struct mgc_error *err);

/* One finding of "middlebox" decides; else one of "end to end"; else nothing can be told. Pure. */
void mgc_pathcheck_judge(
    const struct mgc_path_evidence *evidence, struct mgc_path_judgement *ret_judgement);

const char *mgc_path_outcome_name(enum mgc_path_outcome outcome); /* "refused" */
const char *mgc_path_verdict_name(enum mgc_path_verdict verdict); /* "end-to-end" */
/* The sentence of the deciding finding. */
const char *mgc_path_reason(const struct mgc_path_judgement *judgement);
/* "port 1: refused after 6230 us (Connection refused)" */
const char *mgc_path_probe_text(const struct mgc_path_probe *probe, char *buf, size_t size);

/* Facts of wsl.pathcheck: verdict, reason, source, probe_<port> for each probe, and how many ports
 * had each outcome (ports_refused, ports_accepted, ports_silent, ports_unreachable), which is what
 * the coordinator holds the verdict against. */
bool mgc_pathcheck_to_fields(const struct mgc_path_evidence *evidence,
    const struct mgc_path_judgement *judgement, struct mgc_fields *fields);

#endif
