/* fixtures.json, the list of workloads that mglab-fixtures writes beside them. Pure. */
#ifndef MGC_LAB_FIXTURES_H
#define MGC_LAB_FIXTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

enum { MGC_LAB_WORKLOAD_MAX = 8, MGC_LAB_FIXTURES_BYTES = 65536 };

struct mgc_lab_workload {
    char name[32];
    char trace[128]; /* file name in the fixtures directory */
    char golden[128];
    int64_t frames;
};

struct mgc_lab_fixtures {
    struct mgc_lab_workload items[MGC_LAB_WORKLOAD_MAX];
    size_t count;
};

bool mgc_lab_fixtures_parse(
    const char *text, size_t len, struct mgc_lab_fixtures *ret_fixtures, struct mgc_error *err);

#endif
