/* What an idle worker costs: resident memory, and processor time over 20 s.
 *
 * The shipped workers, each once with nobody listening at its address and once with an idle
 * coordinator that has the product's usual heartbeats. All four at the same time. The budget is
 * absolute; the control is a process of the C library alone that sleeps.
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

#include "bench/lib/report.h"
#include "common/base/clock.h"
#include "common/base/buf.h"
#include "common/bus/server.h"
#include "common/plat/file.h"
#include "common/plat/net.h"
#include "common/plat/process.h"

enum { SETTLE_MS = 5000, WATCH_MS = 20 * 1000, COUNT = 4, JOINS = 2 };

struct idle {
    const char *what, *program, *name, *role;
    bool coordinator; /* there is one */
    struct mgc_process *process;
    double cpu_s;
};

static struct idle idles[COUNT] = {
    {"mgworker-wsl", "worker-wsl/mgworker-wsl", "w0", "wsl", false},
    {"mgworker-host", "worker-host/mgworker-host", "h0", "host", false},
    {"mgworker-wsl", "worker-wsl/mgworker-wsl", "w1", "wsl", true},
    {"mgworker-host", "worker-host/mgworker-host", "h1", "host", true},
};

struct side {
    struct mgc_bench *bench;
    struct mgc_loop *loop;
    struct mgc_bus_server *server;
    struct mgc_keyring keys;
    char keys_dir[MGC_PATH_MAX], nobody[64];
    struct mgc_process *sleeper;
    int joined, lost;
};

static void on_joined(
    void *user, const char *worker, uint64_t epoch, const struct mgc_msg_hello *hello)
{
    ((struct side *)user)->joined++;
}

static void on_lost(void *user, const char *worker, uint64_t epoch, const struct mgc_error *why)
{
    ((struct side *)user)->lost++;
}

static void on_message(void *user, const char *worker, const struct mgc_msg *msg)
{
}

static void on_refused(void *user, const char *who, const struct mgc_error *why)
{
}

static void on_time(void *user)
{
    mgc_loop_quit(((struct side *)user)->loop);
}

static bool run_for(struct side *side, int64_t ms, struct mgc_error *err)
{
    return mgc_loop_add_timer(side->loop, mgc_deadline_in_ms(ms), on_time, side) &&
           mgc_loop_run(side->loop, err);
}

static bool serve(struct side *side, struct mgc_error *err)
{
    static const struct mgc_bus_server_ops ops = {on_joined, on_lost, on_message, on_refused};
    struct mgc_bus_server_config config = {
        .endpoint = "tcp://127.0.0.1:0", .keys = &side->keys, .run_id = "bench", .build = "bench"};
    mgc_bench_scratch(side->bench, "keys", side->keys_dir);
    if (!mgc_keys_init(side->keys_dir, err) ||
        !mgc_keyring_load(side->keys_dir, &side->keys, err) || !(side->loop = mgc_loop_new(err)))
        return false;
    side->server = mgc_bus_server_new(side->loop, &config, &ops, side, err);
    return side->server != NULL;
}

/* An address that refuses: a port that was free a moment ago. */
static bool find_nobody(struct side *side, struct mgc_error *err)
{
    unsigned port = 0;
    mgc_socket listener = mgc_net_listen("127.0.0.1", 0, err);
    if (listener == MGC_SOCKET_NONE || !mgc_net_local_port(listener, &port, err))
        return false;
    mgc_net_close(listener);
    snprintf(side->nobody, sizeof(side->nobody), "tcp://127.0.0.1:%u", port);
    return true;
}

static bool start_one(struct side *side, struct idle *idle, struct mgc_error *err)
{
    char program[MGC_PATH_MAX], enrol[MGC_PATH_MAX], state[MGC_PATH_MAX], locks[MGC_PATH_MAX];
    char file[3][32];
    const char *address[] = {
        idle->coordinator ? mgc_bus_server_endpoint(side->server) : side->nobody};
    snprintf(file[0], sizeof(file[0]), "%s.enrol", idle->name);
    snprintf(file[1], sizeof(file[1]), "%s.state", idle->name);
    snprintf(file[2], sizeof(file[2]), "%s.locks", idle->name);
    mgc_bench_program(side->bench, idle->program, program);
    mgc_bench_scratch(side->bench, file[0], enrol);
    mgc_bench_scratch(side->bench, file[1], state);
    mgc_bench_scratch(side->bench, file[2], locks);
    if (!mgc_keys_add(side->keys_dir, idle->name, idle->role, address, 1, enrol, err))
        return false;
    mgc_keyring_destroy(&side->keys);
    if (!mgc_keyring_load(side->keys_dir, &side->keys, err))
        return false;
    mgc_bus_server_set_keys(side->server, &side->keys);
    const char *argv[] = {program, "--enrol", enrol, "--state", state, "--locks", locks, NULL};
    struct mgc_process_spec spec = {.argv = argv, .die_with_us = true};
    idle->process = mgc_process_start(&spec, err);
    return idle->process != NULL;
}

/* Of all its threads, those that ended included. */
static bool cpu_of(const struct mgc_process *process, double *ret_s, struct mgc_error *err)
{
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid((pid_t)mgc_process_pid(process), &clock) != 0 ||
        clock_gettime(clock, &time) != 0)
        return mgc_error_set(err, MGC_E_LOST, "a process that should be idle has ended");
    *ret_s = (double)time.tv_sec + (double)time.tv_nsec / 1e9;
    return true;
}

static double resident_mb(const struct mgc_process *process)
{
    char path[64];
    struct mgc_buf text = {0};
    double kb = NAN;
    snprintf(path, sizeof(path), "/proc/%lld/status", (long long)mgc_process_pid(process));
    if (mgc_file_read(path, 1 << 16, &text, NULL)) {
        const char *line = strstr(mgc_buf_text(&text), "VmRSS:");
        if (line)
            kb = strtod(line + strlen("VmRSS:"), NULL);
    }
    mgc_buf_destroy(&text);
    return kb * 1024 / 1e6;
}

static void print_rows(struct side *side, const struct idle *idle, double cpu_s, double sleeper_s)
{
    char what[96];
    snprintf(what, sizeof(what), "%s, %s, memory", idle->what,
        idle->coordinator ? "idle coordinator" : "nobody listens");
    struct mgc_bench_row row = {.what = what,
        .unit = "MB",
        .ours = resident_mb(idle->process),
        .control = resident_mb(side->sleeper),
        .budget = MGC_BENCH_OURS_AT_MOST,
        .limit = 10,
        .n = 1};
    mgc_bench_print(side->bench, &row);
    snprintf(what, sizeof(what), "%s, %s, CPU", idle->what,
        idle->coordinator ? "idle coordinator" : "nobody listens");
    row.unit = "%";
    row.ours = 100 * cpu_s / (WATCH_MS / 1e3);
    row.control = 100 * sleeper_s / (WATCH_MS / 1e3);
    row.limit = 0.1;
    mgc_bench_print(side->bench, &row);
}

static bool watch(struct side *side, struct mgc_error *err)
{
    double sleeper_s, now_s[COUNT], sleeper_now_s;
    bool ok = run_for(side, SETTLE_MS, err) && cpu_of(side->sleeper, &sleeper_s, err);
    for (size_t i = 0; ok && i < COUNT; i++)
        ok = cpu_of(idles[i].process, &idles[i].cpu_s, err);
    if (ok && side->joined != JOINS)
        return mgc_error_set(err, MGC_E_TIMEOUT, "%d of %d workers joined", side->joined, JOINS);
    ok = ok && run_for(side, WATCH_MS, err) && cpu_of(side->sleeper, &sleeper_now_s, err);
    for (size_t i = 0; ok && i < COUNT; i++)
        ok = cpu_of(idles[i].process, &now_s[i], err);
    if (ok && side->lost)
        return mgc_error_set(err, MGC_E_LOST, "a worker lost its session while it was idle");
    for (size_t i = 0; ok && i < COUNT; i++)
        print_rows(side, &idles[i], now_s[i] - idles[i].cpu_s, sleeper_now_s - sleeper_s);
    return ok;
}

static bool measure_all(struct side *side, struct mgc_error *err)
{
    const char *argv[] = {"sleep", "3600", NULL};
    struct mgc_process_spec spec = {.argv = argv, .die_with_us = true};
    if (!serve(side, err) || !find_nobody(side, err) ||
        !(side->sleeper = mgc_process_start(&spec, err)))
        return false;
    for (size_t i = 0; i < COUNT; i++) {
        if (!start_one(side, &idles[i], err))
            return false;
    }
    return watch(side, err);
}

int main(int argc, char **argv)
{
    struct mgc_bench bench;
    struct mgc_error err = {0};
    int exit_code;
    if (!mgc_bench_begin(&bench, "mgbench-idle", "Memory and processor time of idle workers.", argc,
            argv, &exit_code))
        return exit_code;
    struct side side = {.bench = &bench};
    bool ok = measure_all(&side, &err);
    for (size_t i = 0; i < COUNT; i++)
        mgc_process_free(idles[i].process);
    mgc_process_free(side.sleeper);
    mgc_bus_server_free(side.server);
    mgc_loop_free(side.loop);
    mgc_keyring_destroy(&side.keys);
    return mgc_bench_end(&bench, ok, &err);
}
