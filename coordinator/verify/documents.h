/* result.json and benchmark.json of one attempt, read whole. */
#ifndef MGC_VERIFY_DOCUMENTS_H
#define MGC_VERIFY_DOCUMENTS_H

#include <stdbool.h>

#include "common/base/error.h"
#include "common/contract/benchmark.h"
#include "common/contract/result.h"

/* A file is absent, or it parses, or `error` says what is wrong with it. */
struct mgc_documents {
    bool result_present, benchmark_present;
    struct mgc_error result_error, benchmark_error;
    struct mgc_result_doc result;
    struct mgc_benchmark_doc benchmark;
};

void mgc_documents_read(struct mgc_documents *docs, const char *dir);
void mgc_documents_destroy(struct mgc_documents *docs); /* takes NULL and zeroed */

#endif
