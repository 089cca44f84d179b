/* Barrier release skew: how far apart workers go on that were released to the same instant.
 *
 * Ours: worker processes on the bus, their clocks estimated from pings, the instant computed by the
 * scheduler's own barrier. Control: as many forked processes that get the instant through a pipe
 * and sleep to it. Turn and turn about, in one run. All processes read one and the same clock, so
 * what the workers report is compared as it is, and errors of the estimated offsets count.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/lib/crew.h"
#include "bench/lib/fleet.h"
#include "bench/lib/stats.h"
#include "common/base/clock.h"
#include "coordinator/sched/barrier.h"

enum { LEAD_MS = 50, ROUND_MS = 30 * 1000 };

struct size {
    size_t workers, rounds;
    enum mgc_bench_budget budget;
    double limit;
};

static const struct size sizes[] = {
    {2, 250, MGC_BENCH_RATIO_AT_MOST, 1.5},
    {16, 200, MGC_BENCH_NO_BUDGET, 0},
    {128, 150, MGC_BENCH_RATIO_AT_MOST, 2},
};

struct range {
    int64_t first_ns, last_ns;
};

struct measure {
    const struct size *size;
    struct mgc_fleet *fleet;
    struct mgc_crew crew;
    /* By the round's parity: a quick worker arrives at the next while others go on from this. */
    struct mgc_barrier barriers[2];
    struct range went;
    size_t round;
    size_t late; /* releases that came after their instant */
    bool gathered, over;
    struct mgc_bench_samples ours, control; /* us */
};

static void widen(struct range *range, int64_t ns)
{
    if (range->first_ns > ns)
        range->first_ns = ns;
    if (range->last_ns < ns)
        range->last_ns = ns;
}

static double width_us(const struct range *range)
{
    return (double)(range->last_ns - range->first_ns) / 1e3;
}

/* --- control --- */

static void control_work(void *user, size_t member, int command, int answer)
{
    int64_t instant_ns;
    while (mgc_crew_read(command, &instant_ns)) {
        mgc_sleep_until(instant_ns);
        mgc_crew_answer(answer, mgc_mono_ns());
    }
}

static bool control_round(struct measure *measure, struct mgc_error *err)
{
    struct range went = {INT64_MAX, INT64_MIN};
    int64_t instant_ns = mgc_deadline_in_ms(LEAD_MS);
    for (size_t i = 0; i < measure->size->workers; i++) {
        if (!mgc_crew_tell(&measure->crew, i, instant_ns, err))
            return false;
    }
    for (size_t i = 0; i < measure->size->workers; i++) {
        int64_t went_ns;
        if (!mgc_crew_hear(&measure->crew, &went_ns, err))
            return false;
        widen(&went, went_ns);
    }
    return mgc_bench_add(&measure->control, width_us(&went)) ||
           mgc_error_set(err, MGC_E_NO_MEMORY, "out of memory");
}

/* --- ours --- */

static struct mgc_barrier *barrier_at(struct measure *measure, size_t round)
{
    return &measure->barriers[round % 2];
}

static void on_message(void *user, size_t worker, const struct mgc_msg *msg)
{
    struct measure *measure = user;
    struct mgc_barrier *now = barrier_at(measure, measure->round);
    if (msg->kind == MGC_MSG_ARRIVE) {
        size_t round = (size_t)strtoul(msg->barrier.name, NULL, 10);
        mgc_barrier_arrive(barrier_at(measure, round), worker, mgc_mono_ns());
    } else if (msg->kind == MGC_MSG_RELEASED) {
        measure->late += msg->barrier.code != MGC_OK;
        widen(&measure->went, msg->barrier.actual_ns);
        mgc_barrier_report(now, worker, msg->barrier.actual_ns);
    }
    measure->gathered = mgc_barrier_complete(now);
    measure->over = now->release.reported == now->count;
    if (measure->gathered || measure->over)
        mgc_fleet_wake(measure->fleet);
}

/* A member's role stands for the worker here: the barrier only hands it to this function. */
static bool offset_of(void *user, enum mgc_role role, int64_t *ret_offset_ns,
    int64_t *ret_uncertainty_ns, int64_t *ret_round_trip_ns)
{
    struct measure *measure = user;
    struct mgc_clock_offset offset = mgc_fleet_offset(measure->fleet, (size_t)role);
    *ret_offset_ns = offset.offset_ns;
    *ret_uncertainty_ns = offset.uncertainty_ns;
    *ret_round_trip_ns = offset.round_trip_ns;
    return offset.known;
}

/* All clocks here are one, so an offset that is not 0 is an error of the estimate. */
static double worst_offset_us(const struct measure *measure)
{
    double worst_us = 0;
    for (size_t i = 0; i < measure->size->workers; i++)
        worst_us =
            fmax(worst_us, fabs((double)mgc_fleet_offset(measure->fleet, i).offset_ns / 1e3));
    return worst_us;
}

static void make_barrier(struct measure *measure, size_t round)
{
    struct mgc_barrier *barrier = barrier_at(measure, round);
    mgc_barrier_init(barrier, "", ROUND_MS, LEAD_MS);
    for (size_t i = 0; i < measure->size->workers; i++)
        mgc_barrier_add(barrier, i, (enum mgc_role)i);
}

static bool release(struct measure *measure, struct mgc_error *err)
{
    static const struct mgc_run_ops ops = {.offset = offset_of};
    struct mgc_barrier *barrier = barrier_at(measure, measure->round);
    char name[24];
    snprintf(name, sizeof(name), "%zu", measure->round);
    if (!mgc_barrier_release(barrier, &ops, measure, mgc_mono_ns()))
        return mgc_error_set(err, MGC_E_FAILED, "a worker's clock is not known");
    for (size_t i = 0; i < measure->size->workers; i++) {
        struct mgc_msg msg = {.kind = MGC_MSG_RELEASE};
        msg.barrier = (struct mgc_msg_barrier){.task_id = i + 1,
            .name = name,
            .text = (char *)"",
            .instant_ns = mgc_barrier_instant(barrier, i)};
        if (!mgc_fleet_send(measure->fleet, i, &msg, err))
            return false;
    }
    return true;
}

static bool our_round(struct measure *measure, size_t round, struct mgc_error *err)
{
    measure->round = round;
    measure->went = (struct range){INT64_MAX, INT64_MIN};
    measure->over = false;
    measure->gathered = mgc_barrier_complete(barrier_at(measure, round));
    make_barrier(measure, round + 1);
    if (!mgc_fleet_until(measure->fleet, &measure->gathered, ROUND_MS, "arrivals", err) ||
        !release(measure, err) ||
        !mgc_fleet_until(measure->fleet, &measure->over, ROUND_MS, "word of who went", err))
        return false;
    return mgc_bench_add(&measure->ours, width_us(&measure->went)) ||
           mgc_error_set(err, MGC_E_NO_MEMORY, "out of memory");
}

static bool start_tasks(struct measure *measure, size_t rounds, struct mgc_error *err)
{
    struct mgc_fields params = {0};
    bool ok = mgc_fields_set_int(&params, "rounds", (int64_t)rounds);
    make_barrier(measure, 0);
    for (size_t i = 0; ok && i < measure->size->workers; i++)
        ok = mgc_fleet_task(measure->fleet, i, i + 1, "bench.barrier", &params, err);
    mgc_fields_destroy(&params);
    return ok;
}

/* --- both --- */

static void print_rows(struct mgc_bench *bench, struct measure *measure)
{
    static const double percents[] = {50, 99};
    char what[64], note[128];
    snprintf(note, sizeof(note),
        "clock estimates at the end wrong by at most %.0f us; %zu releases too late",
        worst_offset_us(measure), measure->late);
    for (size_t i = 0; i < 2; i++) {
        snprintf(what, sizeof(what), "barrier skew p%g, %zu workers", percents[i],
            measure->size->workers);
        struct mgc_bench_row row = {.what = what,
            .unit = "us",
            .ours = mgc_bench_percentile(&measure->ours, percents[i]),
            .control = mgc_bench_percentile(&measure->control, percents[i]),
            .budget = i == 1 ? measure->size->budget : MGC_BENCH_NO_BUDGET,
            .limit = measure->size->limit,
            .n = measure->ours.count,
            .note = i == 1 ? note : NULL};
        mgc_bench_print(bench, &row);
    }
}

static bool run_rounds(struct measure *measure, size_t rounds, struct mgc_error *err)
{
    bool ok = start_tasks(measure, rounds, err);
    for (size_t i = 0; ok && i < rounds; i++) {
        ok = i % 2 ? control_round(measure, err) && our_round(measure, i, err)
                   : our_round(measure, i, err) && control_round(measure, err);
    }
    return ok;
}

static bool measure_size(struct mgc_bench *bench, const struct size *size, struct mgc_error *err)
{
    struct measure measure = {.size = size};
    bool ok = mgc_crew_start(&measure.crew, size->workers, control_work, NULL, err);
    if (ok) {
        measure.fleet = mgc_fleet_new(bench, size->workers, on_message, &measure, err);
        ok = measure.fleet && run_rounds(&measure, mgc_bench_count(bench, size->rounds), err);
    }
    if (ok)
        print_rows(bench, &measure);
    mgc_fleet_free(measure.fleet);
    mgc_crew_end(&measure.crew);
    mgc_bench_samples_destroy(&measure.ours);
    mgc_bench_samples_destroy(&measure.control);
    return ok;
}

int main(int argc, char **argv)
{
    struct mgc_bench bench;
    struct mgc_error err = {0};
    int exit_code;
    bool ok = true;
    if (!mgc_bench_begin(&bench, "mgbench-barrier",
            "Barrier release skew against processes that sleep to the same instant.", argc, argv,
            &exit_code))
        return exit_code;
    for (size_t i = 0; ok && i < sizeof(sizes) / sizeof(sizes[0]); i++)
        ok = measure_size(&bench, &sizes[i], &err);
    return mgc_bench_end(&bench, ok, &err);
}
