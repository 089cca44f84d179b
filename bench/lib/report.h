/* What every benchmark is: options, a scratch directory, rows of results, and how busy the machine
 * was meanwhile. One thread.
 */
#ifndef MGC_BENCH_LIB_REPORT_H
#define MGC_BENCH_LIB_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/path.h"

/* Exit code of a benchmark that could not run. A budget that is missed is a result, not a failure:
 * the exit code is 0. */
enum { MGC_BENCH_CANNOT_RUN = 3 };

enum mgc_bench_budget {
    MGC_BENCH_NO_BUDGET,
    MGC_BENCH_RATIO_AT_MOST,  /* ours / control */
    MGC_BENCH_RATIO_AT_LEAST, /* likewise */
    MGC_BENCH_OURS_AT_MOST,
    MGC_BENCH_OURS_AT_LEAST,
};

struct mgc_bench_row {
    const char *what;
    const char *unit;
    double ours;
    double control; /* same unit; NaN: there is none */
    enum mgc_bench_budget budget;
    double limit;
    size_t n;         /* samples of each side */
    const char *note; /* may be NULL */
};

/* CPU time in seconds, as /proc/stat and getrusage count it. */
struct mgc_bench_cpu {
    double machine; /* all cores, everybody */
    double own;     /* this process and its children that were waited for */
};

struct mgc_bench {
    const char *name;
    bool json;         /* rows as JSON lines instead of a table */
    int64_t scale;     /* percent of the usual number of samples */
    char build[256];   /* build directory, where the programs are */
    char scratch[256]; /* own directory: below $MGBENCH_DIR, or in memory */
    int cores;
    double load; /* 1 minute average at the begin */
    int64_t begin_ns;
    struct mgc_bench_cpu begin_cpu;
    bool headed;
};

/* Parse options, make the scratch directory. True: go on; false: end with *ret_exit. */
bool mgc_bench_begin(struct mgc_bench *bench, const char *name, const char *summary, int argc,
    char **argv, int *ret_exit);
/* Remove the scratch directory and say how busy the machine was; prints err when !ok. Returns the
 * exit code. Children must have been waited for. */
int mgc_bench_end(struct mgc_bench *bench, bool ok, const struct mgc_error *err);

/* n samples usually; how many with --scale. At least 1. */
size_t mgc_bench_count(const struct mgc_bench *bench, size_t n);
/* Path below scratch or build directory; false only when too long, then ret_path is empty. */
bool mgc_bench_scratch(
    const struct mgc_bench *bench, const char *name, char ret_path[MGC_PATH_MAX]);
bool mgc_bench_program(
    const struct mgc_bench *bench, const char *name, char ret_path[MGC_PATH_MAX]);

double mgc_bench_ratio(const struct mgc_bench_row *row); /* NaN without control */
/* 1: within the budget, 0: not, -1: there is none, or nothing to compare. Pure. */
int mgc_bench_within(const struct mgc_bench_row *row);
void mgc_bench_print(struct mgc_bench *bench, const struct mgc_bench_row *row);

#endif
