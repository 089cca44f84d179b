/* May two cells be compared? Only if everything that moves the numbers is equal, or the difference
 * is the arm itself (design section 8). What is not known is not taken for equal. Pure; any thread.
 */
#ifndef MGC_STATS_COMPARABLE_H
#define MGC_STATS_COMPARABLE_H

#include <stddef.h>

/* In the order in which a difference is named: what is measured, how, with what, on what. */
enum mgc_fact {
    MGC_FACT_WORKLOAD,
    MGC_FACT_TRACE,            /* SHA-256 */
    MGC_FACT_BENCHMARK_FINISH, /* "true", "false": as benchmark.json has it */
    MGC_FACT_GEOMETRY,         /* "1280x720" */
    MGC_FACT_PRESENT_CREDIT,   /* "1"; does not apply to an arm without a transport */
    MGC_FACT_SURFACE,          /* what is rendered to */
    MGC_FACT_BACKEND,          /* "DirectGLES" */
    MGC_FACT_EXTRA_ENV,        /* of the plan, for every client: "K=V;K=V", "none" */
    MGC_FACT_EXTRA_SERVER_ENV, /* the same for the server; does not apply without one */
    MGC_FACT_PIPE_STATS,       /* "true": MobileGL counts as it goes */
    MGC_FACT_CLIENT_BUILD,     /* SHA-256 of what replays: the app's, or the program's */
    MGC_FACT_LIBRARY_BUILD,    /* of the client's MobileGL */
    MGC_FACT_SERVER_BUILD,     /* does not apply without a server */
    MGC_FACT_DEVICE,           /* serial */
    MGC_FACT_CLOCK_PROFILE,    /* name of the pin, or that there is none */
    MGC_FACT_STOPPED_SERVICES, /* of the phone, for the length of the run: "a, b", "none" */
    MGC_FACT_LINK,             /* its name; does not apply to an arm that stays on the phone */
    MGC_FACT_ARM_ORDER,        /* what ran in a round, and where in it: "fixed: a, b", "shuffle" */
    MGC_FACT_CLIENT_CPU,       /* never forbids; cross-host arms change it, and the table says so */
    MGC_FACT_COUNT
};
/* Bits of what one run has for all its cells: never a difference between arms of one run. */
#define MGC_FACTS_OF_A_RUN                                                                         \
    (1u << MGC_FACT_EXTRA_ENV | 1u << MGC_FACT_EXTRA_SERVER_ENV | 1u << MGC_FACT_PIPE_STATS |      \
        1u << MGC_FACT_STOPPED_SERVICES | 1u << MGC_FACT_LINK | 1u << MGC_FACT_ARM_ORDER)
/* Bits of what a night may have that the night before had not, and still be measured alike. */
#define MGC_FACTS_BUILDS                                                                           \
    (1u << MGC_FACT_CLIENT_BUILD | 1u << MGC_FACT_LIBRARY_BUILD | 1u << MGC_FACT_SERVER_BUILD)
const char *mgc_fact_name(enum mgc_fact fact); /* "benchmark_finish", for people and JSON */

enum mgc_fact_state { MGC_FACT_ABSENT, MGC_FACT_NOT_APPLICABLE, MGC_FACT_KNOWN };

struct mgc_fact_value {
    enum mgc_fact_state state;
    const char *value; /* of KNOWN, as text; borrowed */
};

/* A zeroed one knows nothing, and is comparable with nothing. */
struct mgc_cell_facts {
    struct mgc_fact_value facts[MGC_FACT_COUNT];
};

/* Known when value is not NULL, else absent. The value is borrowed. */
void mgc_cell_facts_set(struct mgc_cell_facts *facts, enum mgc_fact fact, const char *value);
void mgc_cell_facts_not_applicable(struct mgc_cell_facts *facts, enum mgc_fact fact);

enum mgc_comparable {
    MGC_COMPARABLE_UNKNOWN, /* nothing is known to differ, but a fact is absent in one of the two */
    MGC_COMPARABLE_NO,      /* a fact differs */
    MGC_COMPARABLE_YES,
};

struct mgc_comparability {
    enum mgc_comparable answer;
    enum mgc_fact
        fact; /* NO: the first that differs; UNKNOWN: the first that is absent; YES: COUNT */
    /* YES, but the client ran on another CPU, or it is not known that it was the same: the table
     * says so. */
    enum mgc_comparable same_client_cpu;
};

/* `varied`: a bit (1u << fact) for each fact in which the two arms differ on purpose, that is what
 * the arms are there to compare. These may differ and may be absent. A fact that does not apply to
 * one of the two is also the arm itself: a monolith has no present credit. */
struct mgc_comparability mgc_cells_comparable(
    const struct mgc_cell_facts *a, const struct mgc_cell_facts *b, unsigned varied);

/* "yes", "geometry differs: 1280x720 and 1920x1080", "surface is not known". Cut at size. */
void mgc_comparability_text(const struct mgc_comparability *answer, const struct mgc_cell_facts *a,
    const struct mgc_cell_facts *b, char *text, size_t size);

#endif
