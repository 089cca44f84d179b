/* A link test, judged: of a cell of the lane netbench, or of a bracket that has its steps. */
#ifndef MGC_VERIFY_NETBENCH_H
#define MGC_VERIFY_NETBENCH_H

#include "coordinator/verify/verdict.h"

/* What the link could do, by whoever received. */
struct mgc_link_baseline {
    bool known;               /* measured, and nothing speaks against it; else all else is 0 */
    int64_t up_bps, down_bps; /* bits a second to the phone, from it; 0: not measured */
    double up_cv, down_cv;    /* of the intervals; below 0: not known */
    int64_t rtt_n;            /* round trips of the idle link; 0: the next three are not known */
    int64_t rtt_min_ns, rtt_median_ns, rtt_p95_ns;
    int64_t up_rtt_median_ns, down_rtt_median_ns; /* under load; 0: not known */
    int64_t up_retransmits, down_retransmits;     /* of the sender; below 0: not known */
};

/* What a link test measured, as metrics of its verdict (verdict.h). */
void mgc_link_metrics(const struct mgc_attempt *attempt, struct mgc_verdict *verdict);

/* Judge the steps sink and netbench of an attempt, whatever else its cell has, and say what the
 * link could do (ret_baseline may be NULL). Evidence is added; what is wrong names the verdict
 * unless it has a name. Whether the steps ended well is not looked at here: an attempt in which
 * they did not lacks the evidence, and its baseline is not known. */
void mgc_verify_link(const struct mgc_attempt *attempt, struct mgc_verdict *verdict,
    struct mgc_link_baseline *ret_baseline);

#endif
