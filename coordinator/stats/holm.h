/* Holm's step-down adjustment of p values: Holm, "A simple sequentially rejective multiple test
 * procedure", Scandinavian Journal of Statistics 6 (1979). Pure; any thread.
 *
 * Rejecting what has an adjusted p of at most alpha keeps the chance of any false rejection in the
 * family at or below alpha, however the tests depend on each other.
 */
#ifndef MGC_STATS_HOLM_H
#define MGC_STATS_HOLM_H

#include <stddef.h>

struct mgc_holm {
    double p;        /* in: NAN when there was no test; that one is no member of the family */
    double adjusted; /* out: at most 1; NAN without a test */
    size_t divisor;  /* out: p itself was held against alpha / divisor; 0 without a test */
};

void mgc_holm_adjust(struct mgc_holm *family, size_t count);

#endif
