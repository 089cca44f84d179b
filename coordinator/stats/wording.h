/* The sentences for a comparison, so that terminal, Markdown and JSON say the same. Pure; any
 * thread. Text is cut at the end of the buffer and always ends with 0; one of 160 bytes is enough
 * for floor names up to 60.
 */
#ifndef MGC_STATS_WORDING_H
#define MGC_STATS_WORDING_H

#include <stddef.h>

#include "coordinator/stats/compare.h"

/* "faster", "slower", "no conclusion (about 4 more rounds needed)", of two pairs without the
 * number, "no conclusion (2.1 % is not above the link's own movement, 8.0 %)", ... */
void mgc_comparison_conclusion(const struct mgc_comparison *result, char *text, size_t size);

/* "-12.3 % (-16.2 to -8.1)": the arm against the reference with its 1 - alpha interval, as far as
 * there are; without a pair "-". */
void mgc_comparison_ratio(const struct mgc_comparison *result, char *text, size_t size);

/* "-12.3 % (-16.2 to -8.1), t, n = 5, p = 0.012": the arm against the reference, with its 1 - alpha
 * interval, the method, the pairs that count and Holm's p. What there is not is left away; without
 * a pair "-". */
void mgc_comparison_numbers(const struct mgc_comparison *result, char *text, size_t size);

#endif
