#include "bench/lib/fleet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/bus/keys.h"
#include "common/plat/file.h"
#include "common/plat/process.h"

enum {
    START_MS = 60 * 1000,
    CLOCK_LOOK_MS = 50,
    SETTLE_MS = 8000,
    SHARP_US = 200,
    STOP_GRACE_MS = 5000
};

struct member {
    struct mgc_fleet *fleet;
    char name[MGC_NAME_SIZE];
    struct mgc_process *process; /* owned */
    int64_t lease_epoch;
};

struct mgc_fleet {
    const struct mgc_bench *bench; /* borrowed */
    struct member *members;        /* owned */
    size_t count, joined;
    char dir[MGC_PATH_MAX]; /* all files of this fleet; removed with it */
    char keys_dir[MGC_PATH_MAX], program[MGC_PATH_MAX];
    struct mgc_keyring keys;
    struct mgc_loop *loop;
    struct mgc_bus_server *server;
    mgc_fleet_message *message;
    void *user;
    int64_t settled_ns; /* when clocks are taken as they are */
    bool all_joined, clocks_known, timed_out;
    struct mgc_error lost; /* of the first worker that was */
};

static size_t index_of(const char *name)
{
    return (size_t)strtoul(name + 1, NULL, 10); /* "w17" */
}

static void on_joined(
    void *user, const char *worker, uint64_t epoch, const struct mgc_msg_hello *hello)
{
    struct mgc_fleet *fleet = user;
    fleet->members[index_of(worker)].lease_epoch = hello->lease_epoch;
    fleet->all_joined = ++fleet->joined == fleet->count;
    mgc_loop_quit(fleet->loop);
}

static void on_lost(void *user, const char *worker, uint64_t epoch, const struct mgc_error *why)
{
    struct mgc_fleet *fleet = user;
    if (fleet->lost.code == MGC_OK)
        mgc_error_set(&fleet->lost, why->code, "worker %s was lost: %.200s", worker, why->text);
    mgc_loop_quit(fleet->loop);
}

static void on_message(void *user, const char *worker, const struct mgc_msg *msg)
{
    struct mgc_fleet *fleet = user;
    fleet->message(fleet->user, index_of(worker), msg);
}

static void on_refused(void *user, const char *who, const struct mgc_error *why)
{
    on_lost(user, who, 0, why);
}

static void on_timeout(void *user)
{
    struct mgc_fleet *fleet = user;
    fleet->timed_out = true;
    mgc_loop_quit(fleet->loop);
}

void mgc_fleet_wake(struct mgc_fleet *fleet)
{
    mgc_loop_quit(fleet->loop);
}

bool mgc_fleet_until(
    struct mgc_fleet *fleet, const bool *done, int64_t ms, const char *what, struct mgc_error *err)
{
    uint64_t timer = mgc_loop_add_timer(fleet->loop, mgc_deadline_in_ms(ms), on_timeout, fleet);
    bool ok = timer != 0;
    fleet->timed_out = false;
    while (ok && !*done && !fleet->timed_out && fleet->lost.code == MGC_OK)
        ok = mgc_loop_run(fleet->loop, err);
    mgc_loop_remove_timer(fleet->loop, timer);
    if (ok && fleet->lost.code != MGC_OK)
        return mgc_error_set(err, fleet->lost.code, "%s", fleet->lost.text);
    if (ok && !*done)
        return mgc_error_set(
            err, MGC_E_TIMEOUT, "waited %lld s for %s", (long long)(ms / 1000), what);
    return ok;
}

static bool make_dir(struct mgc_fleet *fleet, struct mgc_error *err)
{
    return mgc_bench_scratch(fleet->bench, "fleet", fleet->dir) &&
           mgc_path_join(fleet->keys_dir, MGC_PATH_MAX, fleet->dir, "keys") &&
           mgc_dir_make(fleet->dir, 0700, err);
}

/* DIR/NAME.SUFFIX; false only when that is too long. */
static bool file_of(const struct mgc_fleet *fleet, const struct member *member, const char *suffix,
    char ret_path[MGC_PATH_MAX])
{
    char file[MGC_NAME_SIZE + 16];
    snprintf(file, sizeof(file), "%s.%s", member->name, suffix);
    return mgc_path_join(ret_path, MGC_PATH_MAX, fleet->dir, file);
}

static bool serve(struct mgc_fleet *fleet, struct mgc_error *err)
{
    static const struct mgc_bus_server_ops ops = {on_joined, on_lost, on_message, on_refused};
    struct mgc_bus_server_config config = {
        .endpoint = "tcp://127.0.0.1:0", .keys = &fleet->keys, .run_id = "bench", .build = "bench"};
    if (!make_dir(fleet, err) || !mgc_keys_init(fleet->keys_dir, err) ||
        !mgc_keyring_load(fleet->keys_dir, &fleet->keys, err) || !(fleet->loop = mgc_loop_new(err)))
        return false;
    fleet->server = mgc_bus_server_new(fleet->loop, &config, &ops, fleet, err);
    return fleet->server != NULL;
}

/* The port is known once the server is bound, the workers' keys only after that. */
static bool enrol_all(struct mgc_fleet *fleet, struct mgc_error *err)
{
    const char *addresses[] = {mgc_bus_server_endpoint(fleet->server)};
    for (size_t i = 0; i < fleet->count; i++) {
        char path[MGC_PATH_MAX];
        struct member *member = &fleet->members[i];
        member->fleet = fleet;
        snprintf(member->name, sizeof(member->name), "w%zu", i);
        if (!file_of(fleet, member, "enrol", path) ||
            !mgc_keys_add(fleet->keys_dir, member->name, "wsl", addresses, 1, path, err))
            return false;
    }
    mgc_keyring_destroy(&fleet->keys);
    if (!mgc_keyring_load(fleet->keys_dir, &fleet->keys, err))
        return false;
    mgc_bus_server_set_keys(fleet->server, &fleet->keys);
    return true;
}

/* One that ends before it joined is not lost, but will never come. */
static void on_end(void *user)
{
    struct member *member = user;
    struct mgc_error why;
    mgc_loop_remove_fd(member->fleet->loop, mgc_process_fd(member->process));
    mgc_error_set(&why, MGC_E_LOST, "its process has ended");
    on_lost(member->fleet, member->name, 0, &why);
}

static bool start_one(struct mgc_fleet *fleet, struct member *member, struct mgc_error *err)
{
    char enrol[MGC_PATH_MAX], state[MGC_PATH_MAX], locks[MGC_PATH_MAX], log[MGC_PATH_MAX];
    if (!file_of(fleet, member, "enrol", enrol) || !file_of(fleet, member, "state", state) ||
        !file_of(fleet, member, "locks", locks) || !file_of(fleet, member, "log", log))
        return mgc_error_set(err, MGC_E_CONFIG, "path of the scratch directory is too long");
    const char *argv[] = {fleet->program, "--enrol", enrol, "--state", state, "--locks", locks,
        "--log-level", "warn", NULL};
    struct mgc_process_spec spec = {
        .argv = argv, .stdout_path = log, .stderr_path = log, .die_with_us = true};
    member->process = mgc_process_start(&spec, err);
    return member->process &&
           mgc_loop_add_fd(fleet->loop, mgc_process_fd(member->process), on_end, member, err);
}

static void look_at_clocks(void *user)
{
    struct mgc_fleet *fleet = user;
    for (size_t i = 0; i < fleet->count; i++) {
        struct mgc_clock_offset clock = mgc_fleet_offset(fleet, i);
        if (!clock.known || (clock.uncertainty_ns > SHARP_US * MGC_NS_PER_US &&
                                mgc_mono_ns() < fleet->settled_ns)) {
            mgc_loop_add_timer(
                fleet->loop, mgc_deadline_in_ms(CLOCK_LOOK_MS), look_at_clocks, fleet);
            return;
        }
    }
    fleet->clocks_known = true;
    mgc_loop_quit(fleet->loop);
}

static bool bring_up(struct mgc_fleet *fleet, struct mgc_error *err)
{
    if (!serve(fleet, err) || !enrol_all(fleet, err) ||
        !mgc_bench_program(fleet->bench, "bench/mgbench-worker", fleet->program))
        return false;
    for (size_t i = 0; i < fleet->count; i++) {
        if (!start_one(fleet, &fleet->members[i], err))
            return false;
    }
    if (!mgc_fleet_until(fleet, &fleet->all_joined, START_MS, "all workers to join", err))
        return false;
    fleet->settled_ns = mgc_deadline_in_ms(SETTLE_MS);
    look_at_clocks(fleet);
    return mgc_fleet_until(fleet, &fleet->clocks_known, START_MS, "the workers' clocks", err);
}

struct mgc_fleet *mgc_fleet_new(const struct mgc_bench *bench, size_t count,
    mgc_fleet_message *message, void *user, struct mgc_error *err)
{
    struct mgc_fleet *fleet = calloc(1, sizeof(*fleet));
    if (!fleet || !(fleet->members = calloc(count, sizeof(*fleet->members)))) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "start %zu workers: out of memory", count);
        mgc_fleet_free(fleet);
        return NULL;
    }
    fleet->bench = bench;
    fleet->count = count;
    fleet->message = message;
    fleet->user = user;
    if (bring_up(fleet, err))
        return fleet;
    mgc_fleet_free(fleet);
    return NULL;
}

/* Kill first, then wait: 128 workers that leave one after the other would take their time. */
void mgc_fleet_free(struct mgc_fleet *fleet)
{
    if (!fleet)
        return;
    for (size_t i = 0; fleet->members && i < fleet->count; i++) {
        if (fleet->members[i].process)
            mgc_process_kill_tree(fleet->members[i].process);
    }
    for (size_t i = 0; fleet->members && i < fleet->count; i++)
        mgc_process_free(fleet->members[i].process);
    mgc_bus_server_free(fleet->server);
    mgc_loop_free(fleet->loop);
    mgc_keyring_destroy(&fleet->keys);
    if (fleet->dir[0])
        mgc_dir_remove(fleet->dir, NULL);
    free(fleet->members);
    free(fleet);
}

struct mgc_loop *mgc_fleet_loop(struct mgc_fleet *fleet)
{
    return fleet->loop;
}

bool mgc_fleet_send(
    struct mgc_fleet *fleet, size_t worker, struct mgc_msg *msg, struct mgc_error *err)
{
    return mgc_bus_server_send(fleet->server, fleet->members[worker].name, msg, err);
}

bool mgc_fleet_task(struct mgc_fleet *fleet, size_t worker, uint64_t task_id, const char *kind,
    const struct mgc_fields *params, struct mgc_error *err)
{
    struct mgc_msg msg = {.kind = MGC_MSG_TASK};
    msg.task = (struct mgc_msg_task){.task_id = task_id,
        .kind = (char *)kind, /* borrowed while it is encoded */
        .label = (char *)"benchmark",
        .deadline_ms = 3600 * 1000,
        .lease_epoch = fleet->members[worker].lease_epoch};
    if (params)
        msg.task.params = *params;
    return mgc_fleet_send(fleet, worker, &msg, err);
}

bool mgc_fleet_tell(struct mgc_fleet *fleet, size_t worker, enum mgc_msg_kind kind,
    uint64_t task_id, struct mgc_error *err)
{
    struct mgc_msg msg = {.kind = kind};
    msg.task_ref = (struct mgc_msg_task_ref){.task_id = task_id, .text = (char *)""};
    return mgc_fleet_send(fleet, worker, &msg, err);
}

struct mgc_clock_offset mgc_fleet_offset(const struct mgc_fleet *fleet, size_t worker)
{
    return mgc_bus_server_offset(fleet->server, fleet->members[worker].name);
}
