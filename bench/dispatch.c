/* Dispatch round trip: from sending a task to a worker until the task's first event is here.
 *
 * That is two reliable messages, their acknowledgements, the task's directory and a thread of its
 * own. Control: a bare CURVE ROUTER and as many DEALER processes that echo 64 bytes, as libzmq
 * comes. First with 64 idle workers, then under load: each of them says ten events a second, and
 * one streams an artifact as fast as it goes, also while the control has its turn.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/echo.h"
#include "bench/lib/fleet.h"
#include "bench/lib/stats.h"
#include "bench/lib/stream.h"
#include "common/base/clock.h"
#include "common/plat/file.h"

enum { WORKERS = 64, BLOCK = 40, IDLE_BLOCKS = 15, LOAD_BLOCKS = 25 };
enum { CHATTER_MS = 100, WAIT_MS = 30 * 1000, CHATTER_IDS = 1000, FIRST_ECHO = 10000 };
static const int64_t stream_bytes = INT64_C(64) << 20;

struct measure {
    struct mgc_bench *bench;
    struct mgc_fleet *fleet;
    struct mgc_stream stream; /* of worker 0 */
    struct mgc_crew echo;
    struct mgc_crew remover; /* one process that removes what was received */
    uint64_t task_id;        /* of the task in flight */
    int64_t sent_ns, event_ns;
    int64_t sent_work_ns, event_work_ns; /* this thread's time on a processor then */
    bool answered;
    size_t echoes_left;
    bool block_over;
    struct mgc_bench_samples ours, control, work; /* ms */
    struct mgc_error error;
};

/* What this thread itself has worked: without its waits, also those for a core. */
static int64_t work_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * MGC_NS_PER_S + now.tv_nsec;
}

static void on_message(void *user, size_t worker, const struct mgc_msg *msg)
{
    struct measure *measure = user;
    if (worker == 0 && mgc_stream_take(&measure->stream, msg))
        return;
    if (msg->kind == MGC_MSG_EVENT && msg->event.task_id == measure->task_id) {
        measure->event_ns = mgc_mono_ns();
        measure->event_work_ns = work_ns();
    } else if (msg->kind == MGC_MSG_RESULT && msg->result.task_id == measure->task_id) {
        measure->answered = true;
        mgc_fleet_wake(measure->fleet);
    }
}

static bool keep(struct mgc_bench_samples *samples, int64_t ns, struct mgc_error *err)
{
    return mgc_bench_add(samples, (double)ns / 1e6) ||
           mgc_error_set(err, MGC_E_NO_MEMORY, "out of memory");
}

/* The result is waited for, too, so that one task is in flight, but does not count. */
static bool our_trip(struct measure *measure, struct mgc_error *err)
{
    size_t worker = 1 + measure->task_id % (WORKERS - 1);
    measure->task_id++;
    measure->answered = false;
    measure->sent_ns = mgc_mono_ns();
    measure->sent_work_ns = work_ns();
    return mgc_fleet_task(measure->fleet, worker, measure->task_id, "bench.echo", NULL, err) &&
           mgc_fleet_until(measure->fleet, &measure->answered, WAIT_MS, "a task's end", err) &&
           mgc_fleet_tell(measure->fleet, worker, MGC_MSG_RESULT_ACK, measure->task_id, err) &&
           keep(&measure->ours, measure->event_ns - measure->sent_ns, err) &&
           keep(&measure->work, measure->event_work_ns - measure->sent_work_ns, err);
}

static void on_echo(void *user)
{
    struct measure *measure = user;
    int64_t took_ns;
    if (mgc_crew_hear(&measure->echo, &took_ns, &measure->error))
        keep(&measure->control, took_ns, &measure->error);
    measure->block_over = --measure->echoes_left == 0 || measure->error.code != MGC_OK;
    if (measure->block_over)
        mgc_fleet_wake(measure->fleet);
}

/* The loop runs meanwhile: the load goes on. */
static bool control_block(struct measure *measure, struct mgc_error *err)
{
    measure->echoes_left = BLOCK;
    measure->block_over = false;
    if (!mgc_crew_tell(&measure->echo, 0, BLOCK, err) ||
        !mgc_fleet_until(measure->fleet, &measure->block_over, WAIT_MS, "echoes", err))
        return false;
    return measure->error.code == MGC_OK ||
           mgc_error_set(err, measure->error.code, "%s", measure->error.text);
}

static void print_row(struct measure *measure, const char *when, double percent, bool budget)
{
    char what[64];
    snprintf(what, sizeof(what), "dispatch round trip p%g, %s", percent, when);
    struct mgc_bench_row row = {.what = what,
        .unit = "ms",
        .ours = mgc_bench_percentile(&measure->ours, percent),
        .control = mgc_bench_percentile(&measure->control, percent),
        .budget = budget ? MGC_BENCH_OURS_AT_MOST : MGC_BENCH_NO_BUDGET,
        .limit = 5,
        .n = measure->ours.count};
    mgc_bench_print(measure->bench, &row);
}

static void print_work(struct measure *measure, const char *when, double percent)
{
    char what[64];
    snprintf(what, sizeof(what), "own work meanwhile p%g, %s", percent, when);
    struct mgc_bench_row row = {.what = what,
        .unit = "ms",
        .ours = mgc_bench_percentile(&measure->work, percent),
        .control = NAN,
        .n = measure->work.count};
    mgc_bench_print(measure->bench, &row);
}

static bool run_blocks(
    struct measure *measure, size_t blocks, const char *when, bool budget, struct mgc_error *err)
{
    bool ok = true;
    mgc_bench_samples_destroy(&measure->ours);
    mgc_bench_samples_destroy(&measure->control);
    mgc_bench_samples_destroy(&measure->work);
    for (size_t block = 0; ok && block < mgc_bench_count(measure->bench, blocks); block++) {
        for (size_t i = 0; ok && i < BLOCK; i++)
            ok = our_trip(measure, err);
        ok = ok && control_block(measure, err);
    }
    if (ok) {
        print_row(measure, when, 50, false);
        print_row(measure, when, 99, budget);
        print_work(measure, when, 50);
        print_work(measure, when, 99);
    }
    return ok;
}

static void remove_work(void *user, size_t member, int command, int answer)
{
    const struct mgc_bench *bench = user;
    char name[48], path[MGC_PATH_MAX];
    int64_t number;
    while (mgc_crew_read(command, &number)) {
        snprintf(name, sizeof(name), "in/%lld", (long long)number);
        if (mgc_bench_scratch(bench, name, path))
            mgc_dir_remove(path, NULL);
    }
}

static void on_left(void *user, size_t number)
{
    struct measure *measure = user;
    mgc_crew_tell(&measure->remover, 0, (int64_t)number, NULL);
}

static bool start_load(struct measure *measure, struct mgc_error *err)
{
    struct mgc_fields params = {0};
    bool ok = mgc_fields_set_int(&params, "every_ms", CHATTER_MS);
    for (size_t i = 1; ok && i < WORKERS; i++)
        ok = mgc_fleet_task(measure->fleet, i, CHATTER_IDS + i, "bench.chatter", &params, err);
    mgc_fields_destroy(&params);
    mgc_bench_scratch(measure->bench, "in", measure->stream.dir);
    return ok && mgc_stream_make(&measure->stream, stream_bytes, err) &&
           mgc_fleet_until(measure->fleet, &measure->stream.ready, WAIT_MS, "a file", err) &&
           mgc_stream_begin(&measure->stream, err);
}

static bool measure_all(struct measure *measure, struct mgc_error *err)
{
    if (!mgc_crew_start(&measure->echo, 1, mgc_echo_control, (void *)(intptr_t)WORKERS, err) ||
        !mgc_crew_start(&measure->remover, 1, remove_work, measure->bench, err))
        return false;
    measure->fleet = mgc_fleet_new(measure->bench, WORKERS, on_message, measure, err);
    if (!measure->fleet || !mgc_loop_add_fd(mgc_fleet_loop(measure->fleet), measure->echo.answer,
                               on_echo, measure, err))
        return false;
    measure->stream = (struct mgc_stream){
        .fleet = measure->fleet, .task_id = 1, .forever = true, .left = on_left, .user = measure};
    measure->task_id = FIRST_ECHO;
    return run_blocks(measure, IDLE_BLOCKS, "64 idle workers", false, err) &&
           start_load(measure, err) &&
           run_blocks(measure, LOAD_BLOCKS, "64 workers under load", true, err);
}

int main(int argc, char **argv)
{
    struct mgc_bench bench;
    struct mgc_error err = {0};
    int exit_code;
    if (!mgc_bench_begin(&bench, "mgbench-dispatch",
            "Round trip of a task to its first event, against a bare encrypted echo.", argc, argv,
            &exit_code))
        return exit_code;
    struct measure measure = {.bench = &bench};
    bool ok = measure_all(&measure, &err);
    mgc_stream_destroy(&measure.stream);
    mgc_fleet_free(measure.fleet);
    mgc_crew_end(&measure.remover);
    mgc_crew_end(&measure.echo);
    mgc_bench_samples_destroy(&measure.ours);
    mgc_bench_samples_destroy(&measure.control);
    mgc_bench_samples_destroy(&measure.work);
    return mgc_bench_end(&bench, ok, &err);
}
