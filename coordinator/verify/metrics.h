/* The numbers of one attempt, taken from its documents and its client's link metrics. Numbers that
 * are not there stay absent. Names and units are listed in verdict.h. */
#ifndef MGC_VERIFY_METRICS_H
#define MGC_VERIFY_METRICS_H

#include "coordinator/verify/documents.h"
#include "coordinator/verify/log_scan.h"
#include "coordinator/verify/verdict.h"

void mgc_verdict_metrics(struct mgc_verdict *verdict, const struct mgc_attempt *attempt,
    const struct mgc_documents *docs, const struct mgc_logs *logs);

#endif
