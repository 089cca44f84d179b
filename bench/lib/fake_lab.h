/* What the parts of the fake run share. Internal. */
#ifndef MGC_BENCH_LIB_FAKE_LAB_H
#define MGC_BENCH_LIB_FAKE_LAB_H

#include "bench/lib/fake_run.h"
#include "bench/lib/recorded.h"
#include "coordinator/plan/site.h"

struct mgc_fake_lab {
    char site[MGC_PATH_MAX], plan[MGC_PATH_MAX]; /* files */
    struct mgc_recorded recorded;
    size_t per_round; /* cells */
};

struct mgc_fake_plan {
    const struct mgc_fake_lab *lab; /* borrowed */
    struct mgc_site site;
    struct mgc_plan plan;
};

#endif
