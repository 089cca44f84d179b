/* The link of a night: an input of every arm that crosses hosts, as its builds are. A night over
 * another link is no baseline for it, and no regression either.
 */
#ifndef MGC_HISTORY_NIGHT_LINK_H
#define MGC_HISTORY_NIGHT_LINK_H

#include "coordinator/history/arm.h"

/* Links of two nights are one link while no figure of theirs is further apart: the band within
 * which a plan takes a link for unmoved (link_band's own default). What a link that is one moves
 * from night to night is in the noise floor. */
enum { MGC_NIGHT_LINK_BAND_PCT = 15 };

/* Median of each figure over the arm's measured regular cells that know it. False: no memory. */
bool mgc_arm_link(const struct mgc_arm_key *key, const struct mgc_history_cells *cells,
    struct mgc_link_look *ret_link);

/* YES: within the band, or tested in neither night (a plan that tests no link chose not to know).
 * Else `text` says what: "the link was different: 94.1 -> 48.0 Mbit/s to the phone". */
enum mgc_comparable mgc_night_links_alike(
    const struct mgc_link_look *was, const struct mgc_link_look *is, char *text, size_t size);

/* "94.1 / 93.9 / 1.20": Mbit/s to and from the phone, round trip in ms; "-": not tested. */
void mgc_night_link_text(const struct mgc_link_look *link, char *text, size_t size);

#endif
