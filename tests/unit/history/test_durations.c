/* What earlier runs on the device tell of how long a plan's cells take. */
#include "coordinator/history/durations.h"

#include <string.h>

#include "tests/lib/check.h"
#include "tests/unit/history/fixture.h"

static char dir[MGC_PATH_MAX], path[MGC_PATH_MAX];

static int setup(void **state)
{
    history_dir_make(dir, path);
    (void)state;
    return 0;
}

static int teardown(void **state)
{
    history_dir_remove(dir);
    (void)state;
    return 0;
}

enum { S = 1000 };
#define NS_PER_S INT64_C(1000000000)

/* Night n: its cells took `s` seconds each, but for one that failed at once. */
static void add_night(int n, int64_t s)
{
    struct history_fixture f;
    history_fixture_make(&f, n, 10);
    for (size_t i = 0; i < f.results.count; i++) {
        f.results.cells[i].start_wall_ns =
            f.results.start_wall_ns + (20 + (int64_t)i * s) * NS_PER_S;
        f.results.cells[i].duration_ns = s * NS_PER_S;
    }
    f.results.cells[0].verdict.state = MGC_VERDICT_FAILED;
    f.results.cells[0].duration_ns = NS_PER_S / 2;
    f.results.end_wall_ns =
        f.results.start_wall_ns + (20 + (int64_t)f.results.count * s + 7) * NS_PER_S;
    history_add(path, &f, MGC_ORIGIN_RUN, true);
    history_fixture_destroy(&f);
}

static struct mgc_cell cells[] = {
    {.kind = MGC_CELL_SETUP, .id = (char *)"setup", .lane = (char *)"matrix"},
    {.kind = MGC_CELL_MEASURE,
        .id = (char *)"openra/shm-r1",
        .lane = (char *)"matrix",
        .workload = (char *)"openra",
        .arm = (char *)"shm",
        .mode = MGC_MODE_BENCHMARK,
        .expect = {.frames = 128, .backend = (char *)"DirectGLES"}},
    {.kind = MGC_CELL_MEASURE,
        .id = (char *)"openra/tcp-r1",
        .lane = (char *)"matrix",
        .workload = (char *)"openra",
        .arm = (char *)"tcp",
        .mode = MGC_MODE_BENCHMARK,
        .expect = {.frames = 128, .backend = (char *)"DirectGLES"}},
    {.kind = MGC_CELL_MEASURE,
        .id = (char *)"openra/monolith-rssim",
        .lane = (char *)"matrix",
        .workload = (char *)"openra",
        .arm = (char *)"monolith",
        .mode = MGC_MODE_SSIM,
        .expect = {.backend = (char *)"DirectGLES"}},
    {.kind = MGC_CELL_CLOSE, .id = (char *)"close", .lane = (char *)"matrix"},
};
enum { SETUP, SHM, TCP, SSIM, CLOSE, CELLS };
static const struct mgc_plan plan = {.name = (char *)"matrix", .cells = cells, .cell_count = CELLS};
static const int64_t typical_ms[CELLS] = {0, 15 * S, 15 * S, 15 * S, 0};

static struct mgc_estimates *ask(const char *serial)
{
    struct mgc_error err;
    struct mgc_estimates *estimates = mgc_estimates_new(&plan, typical_ms);
    assert_non_null(estimates);
    if (!mgc_history_durations_of(dir, serial, &plan, estimates, &err))
        fail_msg("%s", err.text);
    return estimates;
}

static void is_estimate(struct mgc_estimates *estimates, size_t cell, int64_t ms,
    enum mgc_estimate_source source, size_t n)
{
    struct mgc_estimate estimate = mgc_estimate_of(estimates, &cells[cell]);
    assert_int_equal(estimate.ms, ms);
    assert_int_equal(estimate.source, source);
    assert_int_equal(estimate.n, n);
}

static void without_a_history_there_is_none(void **state)
{
    (void)state;
    struct mgc_estimates *estimates = ask("SER1");
    is_estimate(estimates, SHM, 15 * S, MGC_ESTIMATE_TYPICAL, 0);
    mgc_estimates_free(estimates);
}

static void cells_take_their_median_over_the_nights(void **state)
{
    (void)state;
    add_night(0, 30);
    add_night(1, 10);
    add_night(2, 12);
    struct mgc_estimates *estimates = ask("SER1");
    is_estimate(estimates, SHM, 12 * S, MGC_ESTIMATE_HISTORY, 9);
    is_estimate(estimates, TCP, 15 * S, MGC_ESTIMATE_TYPICAL, 0); /* never measured */
    is_estimate(estimates, SSIM, 12 * S, MGC_ESTIMATE_HISTORY, 3);
    is_estimate(estimates, SETUP, 20 * S, MGC_ESTIMATE_HISTORY, 3);
    is_estimate(estimates, CLOSE, 7 * S, MGC_ESTIMATE_HISTORY, 3);
    mgc_estimates_free(estimates);
}

static void other_devices_do_not_count(void **state)
{
    (void)state;
    add_night(0, 30);
    struct mgc_estimates *estimates = ask("SER2");
    is_estimate(estimates, SHM, 15 * S, MGC_ESTIMATE_TYPICAL, 0);
    mgc_estimates_free(estimates);
    /* An address is no device's own name: the only device there is will be meant. */
    estimates = ask("192.168.1.5:5555");
    is_estimate(estimates, SHM, 30 * S, MGC_ESTIMATE_HISTORY, 3);
    mgc_estimates_free(estimates);
    history_do(path, "INSERT INTO devices (serial, model, fingerprint, lab) VALUES ('SER2', 'm', "
                     "'f', 0)");
    estimates = ask("192.168.1.5:5555");
    is_estimate(estimates, SHM, 15 * S, MGC_ESTIMATE_TYPICAL, 0);
    mgc_estimates_free(estimates);
}

/* Another length of trace is another cell; pictures are told by the whole run. */
static void reduced_traces_do_not_count(void **state)
{
    (void)state;
    add_night(0, 30);
    history_do(path, "UPDATE runs SET frames_reduced = 1");
    history_do(path, "UPDATE metrics SET value = 16 WHERE name = 'total_frames'");
    struct mgc_estimates *estimates = ask("SER1");
    is_estimate(estimates, SHM, 15 * S, MGC_ESTIMATE_TYPICAL, 0);
    is_estimate(estimates, SSIM, 15 * S, MGC_ESTIMATE_TYPICAL, 0);
    mgc_estimates_free(estimates);
}

static void another_plans_setup_is_another(void **state)
{
    (void)state;
    add_night(0, 30);
    history_do(path, "UPDATE runs SET plan = 'nightly'");
    struct mgc_estimates *estimates = ask("SER1");
    is_estimate(estimates, SETUP, 0, MGC_ESTIMATE_NONE, 0);
    is_estimate(estimates, SHM, 30 * S, MGC_ESTIMATE_HISTORY, 3);
    mgc_estimates_free(estimates);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(without_a_history_there_is_none),
        TEST(cells_take_their_median_over_the_nights),
        TEST(other_devices_do_not_count),
        TEST(reduced_traces_do_not_count),
        TEST(another_plans_setup_is_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
