/* A link that moved while a block was measured over it: what stands between two looks at it that
 * differ by more than the plan's band counts for neither.
 */
#ifndef MGC_MERGE_LINK_BAND_H
#define MGC_MERGE_LINK_BAND_H

#include "coordinator/merge/path_proof.h"

/* Below this no difference of round trips is taken for a move of the link, whatever its ratio: the
 * time that machines take to wake up, not what a radio link does. */
#define MGC_LINK_RTT_LEAST_MS 2.0

/* By the metrics of two link tests (up_mbit_s, down_mbit_s, link_rtt_ms; those that both have):
 * true when one is more than `band_pct` % of the smaller value away from the other. The sentence
 * says which. */
bool mgc_link_band_left(const struct mgc_fields *before, const struct mgc_fields *after,
    int64_t band_pct, char *ret_text, size_t size);

/* The bracket after a block has been judged: when the link moved between it and the one before,
 * cells of the block that are measured become `link-moved`; when it was to be tested and one of the
 * two tests is not proved, `link-unproved`. */
void mgc_link_band_judge(struct mgc_results *results, const struct mgc_cell *after,
    mgc_path_amended *amended, void *user);

#endif
