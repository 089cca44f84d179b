/* The link beside the numbers of an arm that crosses hosts: how it was around the cells that count,
 * and what its movement alone can have done to them (coordinator/stats/link_floor.h).
 */
#ifndef MGC_MERGE_LINK_EFFECT_H
#define MGC_MERGE_LINK_EFFECT_H

#include "coordinator/merge/link_look.h"
#include "coordinator/merge/rounds.h"
#include "coordinator/stats/link_floor.h"

/* NAN: not known; the floor is then not known either. */
struct mgc_link_effect {
    size_t cells, looked;           /* that count; of these, between two good link tests */
    struct mgc_link_look low, high; /* over the looks before and after these cells */
    struct mgc_link_use use;        /* the largest of the cells' */
    struct mgc_link_moves moves;    /* NAN also while looked is below cells */
    double frame_ms;                /* geometric mean of MGC_COMPARED_METRIC */
    double floor;                   /* mgc_link_floor(); a fraction */
};

/* Of the side's measured regular cells. One without any: cells is 0, and nothing is known. */
void mgc_link_effect_of(const struct mgc_results *results, const struct mgc_rounds *rounds,
    const struct mgc_side *side, struct mgc_link_effect *ret_effect);

/* "its movement explains up to 0.42 of 24.09 ms per frame, mostly waiting for round trips (1.0 a
 * frame)"; "what it explains is not known: it was tested around 1 of 3 cells". */
void mgc_link_effect_text(const struct mgc_link_effect *effect, char *text, size_t size);

#endif
