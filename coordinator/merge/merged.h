/* A run with several lanes as one experiment: the arms of all lanes side by side, with one number
 * for each and one reference for all, and what it costs to cross hosts. report/ prints it.
 */
#ifndef MGC_MERGE_MERGED_H
#define MGC_MERGE_MERGED_H

#include "coordinator/merge/aggregate.h"
#include "coordinator/merge/comparisons.h"
#include "coordinator/merge/link_effect.h"

/* One arm on one workload. Times in ms per frame after the workload's skip window, which is the
 * same for all lanes; NAN: there is no such number. Strings are the plan's. */
struct mgc_merged_arm {
    const struct mgc_cell *cell; /* the plan's first of it */
    size_t cells;                /* benchmarks that the plan has of it */
    size_t n;                    /* measured, with a mean */
    double mean_ms;              /* geometric mean over the n rounds of the round's mean */
    double best_ms;              /* the round with the lowest mean */
    double spread_pct;           /* slowest minus best round, of their median; NAN below 2 */
    double fps;                  /* 1000 over mean_ms */
    double p95_ms, p99_ms;       /* medians over the rounds of the round's own */
    bool is_reference;
    const struct mgc_arm_comparison *against; /* the plan's reference; NULL: there is none */
    struct mgc_link_effect link;              /* of one that crosses hosts */
};

struct mgc_merged {
    struct mgc_merged_arm *arms; /* owned; workload by workload, in plan order */
    size_t count;
    struct mgc_arm_comparison *comparisons; /* owned; mgc_results_compare() */
    size_t compared;
    struct mgc_arm_comparison *penalties; /* owned; mgc_results_compare_across() */
    size_t penalty_count;
    bool held_clocks;  /* the plan holds the phone's clocks */
    bool clocks_taken; /* cells across hosts did not sample them, as in older runs */
};

/* False: no memory; then nothing is to be destroyed. Borrows the results. */
bool mgc_merged_make(
    struct mgc_merged *merged, const struct mgc_results *results, struct mgc_error *err);
void mgc_merged_destroy(struct mgc_merged *merged); /* takes NULL and zeroed */

/* How fast the server read, 10^6 bytes/s (verify/server_read.h), over the arm's measured rounds
 * that have it. False: none has. */
bool mgc_merged_read(const struct mgc_results *results, const struct mgc_merged_arm *arm,
    struct mgc_spread *ret_spread);

/* What a reader of these numbers has to know, the nth of the sentences; NULL: there are no more. */
const char *mgc_merged_footnote(const struct mgc_merged *merged, size_t nth);

/* "openra/shm-r2 measured again, attempt 2, held against openra/monolith-r2, attempt 2". False: it
 * was not measured again. */
bool mgc_replaced_text(const struct mgc_cell_result *cell, char *text, size_t size);

/* A block of cells between two looks at the link. */
struct mgc_block_look {
    const struct mgc_bracket_result *before, *after; /* NULL: the plan has none */
    size_t cells, measured, again;                   /* again: measured again */
};
/* The nth block of the run from 0; false: there are not so many. */
bool mgc_results_block(
    const struct mgc_results *results, size_t nth, struct mgc_block_look *ret_look);

#endif
