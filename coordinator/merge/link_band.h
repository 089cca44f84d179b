/* A link that moved while a block was measured over it: what stands between two looks at it that
 * differ by more than the plan's band counts for neither.
 */
#ifndef MGC_MERGE_LINK_BAND_H
#define MGC_MERGE_LINK_BAND_H

#include "coordinator/merge/link_look.h"
#include "coordinator/merge/path_proof.h"

/* By the metrics of two link tests: true when they are more than `band_pct` % apart
 * (mgc_link_looks_apart()). The sentence says in what. */
bool mgc_link_band_left(const struct mgc_fields *before, const struct mgc_fields *after,
    int64_t band_pct, char *ret_text, size_t size);

/* The bracket after a block has been judged: when the link moved between it and the one before,
 * cells of the block that are measured become `link-moved`; when it was to be tested and one of the
 * two tests is not proved, `link-unproved`. */
void mgc_link_band_judge(struct mgc_results *results, const struct mgc_cell *after,
    mgc_path_amended *amended, void *user);

#endif
