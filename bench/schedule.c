/* What the coordinator itself spends on a cell, and whether that grows with the plan or with other
 * phones beside it: the plan's expansion, the scheduler with verdict, files and progress of every
 * attempt, and the end with history and report.
 *
 * The session is the product's, in this process; its workers answer at once with what a lab's
 * workers answered in one round of the same plan ($MGBENCH_LAB, the lab's state directory), so logs
 * and counters are as large as real ones. Times are of the processor: one thread that waits for
 * nothing. Control: the same per cell in a plan of a hundred cells; and, of those, as many bare
 * directories and files.
 */
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bench/lib/fake_run.h"
#include "bench/lib/report.h"
#include "bench/lib/stats.h"
#include "common/plat/file.h"

#define FLAT 1.5 /* cost per cell may be so many times that of a small plan */

enum { FEW = 100, PHONES = 64, PHONE_CELLS = 100 };

/* How often each size is measured; the middle counts. */
static const struct size {
    size_t cells, times;
} sizes[] = {{FEW, 5}, {1000, 3}, {10000, 1}};
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

enum phase { EXPAND, CELLS, END, PHASES };
static const char *const phase_names[] = {"plan", "cells", "end"};

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- one run --------------------------------------------------------------------------------- */

static bool time_run(const struct mgc_fake_lab *lab, const char *results, size_t cells,
    double ret_us[PHASES], struct mgc_error *err)
{
    double begin_s = cpu_s();
    struct mgc_fake_plan *plan =
        mgc_fake_plan_load(lab, results, NULL, mgc_fake_lab_rounds(lab, cells), err);
    double planned_s = cpu_s();
    struct mgc_fake_run *run = plan ? mgc_fake_run_new(&plan, 1, err) : NULL;
    while (run && mgc_fake_run_step(run))
        ;
    double ran_s = cpu_s();
    bool ok = run && mgc_fake_run_is_good(run, err) && mgc_fake_run_end(run, err);
    double ended_s = cpu_s();
    double count = (double)(mgc_fake_lab_rounds(lab, cells) * mgc_fake_lab_cells(lab));
    mgc_fake_run_free(run);
    mgc_fake_plan_free(plan);
    ret_us[EXPAND] = (planned_s - begin_s) * 1e6 / count;
    ret_us[CELLS] = (ran_s - planned_s) * 1e6 / count;
    ret_us[END] = (ended_s - ran_s) * 1e6 / count;
    return ok;
}

/* Its middle of several, each in a results root of its own, which is removed unless it is kept. */
static bool time_size(const struct mgc_bench *bench, const struct mgc_fake_lab *lab,
    const struct size *size, const char *keep, double ret_us[PHASES], struct mgc_error *err)
{
    struct mgc_bench_samples samples[PHASES] = {0};
    size_t times = mgc_bench_count(bench, size->times);
    char root[MGC_PATH_MAX];
    bool ok = true;
    for (size_t i = 0; ok && i < times; i++) {
        double us[PHASES];
        bool kept = keep && i + 1 == times;
        ok = mgc_bench_scratch(bench, kept ? keep : "results", root) &&
             time_run(lab, root, size->cells, us, err);
        for (int p = 0; ok && p < PHASES; p++)
            ok = mgc_bench_add(&samples[p], us[p]);
        if (!kept)
            mgc_dir_remove(root, NULL);
    }
    for (int p = 0; p < PHASES; p++) {
        ret_us[p] = mgc_bench_percentile(&samples[p], 50);
        mgc_bench_samples_destroy(&samples[p]);
    }
    return ok;
}

/* ---- bare files ------------------------------------------------------------------------------ */

/* What a run leaves: files that it wrote, links to recorded ones, directories. */
static struct left {
    size_t files, links, dirs;
    double bytes;
} left;

static int count_left(const char *path, const struct stat *info, int type, struct FTW *at)
{
    (void)path;
    (void)at;
    bool is_file = type == FTW_F, is_link = is_file && info->st_nlink > 1;
    left.links += is_link;
    left.files += is_file && !is_link;
    left.dirs += type == FTW_D;
    left.bytes += is_file && !is_link ? (double)info->st_size : 0;
    return 0;
}

static bool write_bare(const char *path, const char *data, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    bool ok = fd >= 0 && write(fd, data, size) == (ssize_t)size;
    if (fd >= 0)
        close(fd);
    return ok;
}

/* As many of each as the run left, of its files' mean size; microseconds in all. */
static bool time_bare(const char *root, double *ret_us, struct mgc_error *err)
{
    char path[MGC_PATH_MAX + 64], first[MGC_PATH_MAX + 64];
    size_t size = left.files ? (size_t)(left.bytes / (double)left.files) : 0;
    char *data = calloc(size + 1, 1);
    double begin_s = cpu_s();
    bool ok = data && mkdir(root, 0777) == 0;
    for (size_t i = 0; ok && i < left.dirs; i++) {
        snprintf(path, sizeof(path), "%s/d%zu", root, i);
        ok = mkdir(path, 0777) == 0;
    }
    snprintf(first, sizeof(first), "%s/d0/f0", root);
    for (size_t i = 0; ok && i < left.files; i++) {
        snprintf(path, sizeof(path), "%s/d%zu/f%zu", root, i % left.dirs, i);
        ok = write_bare(path, data, size);
    }
    for (size_t i = 0; ok && i < left.links; i++) {
        snprintf(path, sizeof(path), "%s/d%zu/l%zu", root, i % left.dirs, i);
        ok = link(first, path) == 0;
    }
    *ret_us = (cpu_s() - begin_s) * 1e6;
    free(data);
    return ok || mgc_error_set(err, MGC_E_NO_SPACE, "cannot write bare files to '%s'", root);
}

static bool print_bare(struct mgc_bench *bench, const struct mgc_fake_lab *lab, const char *kept,
    double ours_us, struct mgc_error *err)
{
    char results[MGC_PATH_MAX], root[MGC_PATH_MAX], note[128];
    size_t cells = mgc_fake_lab_rounds(lab, FEW) * mgc_fake_lab_cells(lab);
    double bare_us;
    left = (struct left){0};
    if (!mgc_bench_scratch(bench, kept, results) || !mgc_bench_scratch(bench, "bare", root) ||
        nftw(results, count_left, 64, FTW_PHYS) != 0)
        return mgc_error_set(err, MGC_E_NOT_FOUND, "cannot read '%s'", results);
    bool ok = time_bare(root, &bare_us, err);
    mgc_dir_remove(root, NULL);
    mgc_dir_remove(results, NULL);
    snprintf(note, sizeof(note),
        "control: as many bare directories, files and links; %.0f files of %.1f kB per cell",
        (double)left.files / (double)cells, left.bytes / (double)(left.files + 1) / 1e3);
    if (ok)
        mgc_bench_print(bench, &(struct mgc_bench_row){.what = "a cell of a plan of 100",
                                   .unit = "us",
                                   .ours = ours_us,
                                   .control = bare_us / (double)cells,
                                   .n = mgc_bench_count(bench, sizes[0].times),
                                   .note = note});
    return ok;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static bool measure_sizes(struct mgc_bench *bench, const struct mgc_fake_lab *lab,
    double ret_few_us[PHASES], struct mgc_error *err)
{
    for (size_t s = 0; s < SIZES; s++) {
        double us[PHASES];
        if (!time_size(bench, lab, &sizes[s], s ? NULL : "few", s ? us : ret_few_us, err))
            return false;
        if (s == 0 && !print_bare(bench, lab, "few",
                          ret_few_us[EXPAND] + ret_few_us[CELLS] + ret_few_us[END], err))
            return false;
        for (int p = 0; s && p < PHASES; p++) {
            char what[96];
            snprintf(what, sizeof(what), "%s of %zu cells, per cell", phase_names[p],
                mgc_fake_lab_rounds(lab, sizes[s].cells) * mgc_fake_lab_cells(lab));
            mgc_bench_print(bench, &(struct mgc_bench_row){.what = what,
                                       .unit = "us",
                                       .ours = us[p],
                                       .control = ret_few_us[p],
                                       .budget = MGC_BENCH_RATIO_AT_MOST,
                                       .limit = FLAT,
                                       .n = mgc_bench_count(bench, sizes[s].times),
                                       .note = "control: per cell of a plan of 100"});
        }
    }
    return true;
}

/* ---- several phones at once ------------------------------------------------------------------ */

static bool load_plans(const struct mgc_fake_lab *lab, const char *root,
    struct mgc_fake_plan *plans[PHONES], struct mgc_error *err)
{
    for (size_t i = 0; i < PHONES; i++) {
        char name[32];
        snprintf(name, sizeof(name), "p%zu", i + 1);
        plans[i] = mgc_fake_plan_load(lab, root, name, mgc_fake_lab_rounds(lab, PHONE_CELLS), err);
        if (!plans[i])
            return false;
    }
    return true;
}

static bool run_phones(const struct mgc_bench *bench, const struct mgc_fake_lab *lab,
    struct mgc_fake_plan *plans[PHONES], struct mgc_error *err)
{
    char root[MGC_PATH_MAX];
    if (!mgc_bench_scratch(bench, "phones", root) || !load_plans(lab, root, plans, err))
        return false;
    struct mgc_fake_run *run = mgc_fake_run_new(plans, PHONES, err);
    while (run && mgc_fake_run_step(run))
        ;
    bool ok = run && mgc_fake_run_is_good(run, err);
    mgc_fake_run_free(run);
    return ok;
}

static bool measure_phones(
    struct mgc_bench *bench, const struct mgc_fake_lab *lab, double alone_us, struct mgc_error *err)
{
    struct mgc_fake_plan *plans[PHONES] = {0};
    double begin_s = cpu_s();
    bool ok = run_phones(bench, lab, plans, err);
    double us = (cpu_s() - begin_s) * 1e6;
    size_t cells = PHONES * mgc_fake_lab_rounds(lab, PHONE_CELLS) * mgc_fake_lab_cells(lab);
    for (size_t i = 0; i < PHONES; i++)
        mgc_fake_plan_free(plans[i]);
    if (ok)
        mgc_bench_print(bench,
            &(struct mgc_bench_row){.what = "64 phones side by side, 100 cells each, per cell",
                .unit = "us",
                .ours = us / (double)cells,
                .control = alone_us,
                .budget = MGC_BENCH_RATIO_AT_MOST,
                .limit = FLAT,
                .n = 1,
                .note = "plans and cells of one run; control: one phone alone"});
    return ok;
}

static struct mgc_fake_lab *open_lab(const struct mgc_bench *bench, struct mgc_error *err)
{
    const char *state = getenv("MGBENCH_LAB");
    char files[MGC_PATH_MAX];
    if (state && mgc_bench_scratch(bench, "recorded", files))
        return mgc_fake_lab_open(state, files, err);
    mgc_error_set(err, MGC_E_CONFIG,
        "MGBENCH_LAB is not set: expected a lab's state directory with one run of the plan to "
        "measure, as bench/run.py makes it");
    return NULL;
}

int main(int argc, char **argv)
{
    struct mgc_bench bench;
    struct mgc_error err = {0};
    double few_us[PHASES];
    int exit_code;
    if (!mgc_bench_begin(&bench, "mgbench-schedule",
            "What the coordinator spends per cell, with a hundred cells and with ten thousand.",
            argc, argv, &exit_code))
        return exit_code;
    struct mgc_fake_lab *lab = open_lab(&bench, &err);
    bool ok = lab && measure_sizes(&bench, lab, few_us, &err) &&
              measure_phones(&bench, lab, few_us[EXPAND] + few_us[CELLS], &err);
    mgc_fake_lab_free(lab);
    return mgc_bench_end(&bench, ok, &err);
}
