#include "common/task/worker.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/path.h"
#include "common/bus/loop.h"
#include "common/cli/cli.h"
#include "common/plat/file.h"
#include "common/plat/host.h"
#include "common/plat/net.h"
#include "common/plat/stop.h"
#include "common/plat/streams.h"
#include "common/task/params.h"
#include "common/task/dispatch.h"
#include "common/task/kinds.h"
#include "common/task/undone.h"

/* 2: to start it again changes nothing, somebody has to mend something first. */
enum { EXIT_BAD_USAGE = 2, EXIT_CANNOT_WORK = 3 };
enum { UNDO_TRIES = 3 };

struct options {
    const char *enrol, *state, *locks, *log_level, *give_up;
    int64_t retry_max_ms, rejoin_max, stop_grace_ms;
    bool list_tasks, version;
};

static const char *const log_levels[] = {"debug", "info", "warn", "error", NULL};
static const struct mgc_cli_range rejoin_range = {1, 1000000};
static const struct mgc_cli_range retry_range = {1, 3600000};

static const struct mgc_cli_option option_table[] = {
    {"enrol", 'e', "FILE", "Enrolment file, made by 'mgcoord keys add'", mgc_cli_string,
        offsetof(struct options, enrol), NULL},
    {"state", 's', "DIR", "Where journal and results are kept (default: this user's state)",
        mgc_cli_string, offsetof(struct options, state), NULL},
    {"locks", 0, "DIR",
        "Where what this machine has is locked, the same for all workers of one "
        "machine (default: /run/lock/mgcoord)",
        mgc_cli_string, offsetof(struct options, locks), NULL},
    {"log-level", 'l', "LEVEL", "debug, info (default), warn or error", mgc_cli_choice,
        offsetof(struct options, log_level), log_levels},
    {"list-tasks", 0, NULL, "Print the task kinds with their parameters, and end", mgc_cli_flag,
        offsetof(struct options, list_tasks), NULL},
    {"retry-max-ms", 0, "N", "Longest pause between two attempts to reach the coordinator",
        mgc_cli_int, offsetof(struct options, retry_max_ms), &retry_range},
    {"rejoin-max", 0, "N",
        "End with exit code 3, to be started afresh, after so many sessions in a row that broke "
        "within a minute and without a task (default 10)",
        mgc_cli_int, offsetof(struct options, rejoin_max), &rejoin_range},
    {"stop-grace", 0, "TIME", "How long a task may take to stop and undo (default 30s)",
        mgc_cli_duration_ms, offsetof(struct options, stop_grace_ms), NULL},
    {"give-up-undo", 0, "PLACE",
        "Forget the changes that could not be undone on this phone (its serial) or for this "
        "address, and go on; what they were is printed",
        mgc_cli_string, offsetof(struct options, give_up), NULL},
    {"version", 0, NULL, "Print the version, and end", mgc_cli_flag,
        offsetof(struct options, version), NULL},
    {0},
};

/* Everything a worker holds from start to end. */
struct worker {
    const struct mgc_worker_spec *spec;
    struct options options;
    char state[MGC_PATH_MAX];
    struct mgc_enrolment enrolment;
    struct mgc_host host;
    struct mgc_msg_hello hello;
    struct mgc_lock lock;
    struct mgc_journal *journal;
    struct mgc_leases *leases;
    struct mgc_results *results;
    struct mgc_undone undone;
    struct mgc_loop *loop;
    struct mgc_dispatch *dispatch;
    struct mgc_stop *stop; /* borrowed: lives as long as the process */
};

static bool load_enrolment(struct worker *worker, struct mgc_error *err)
{
    const char *path = worker->options.enrol;
    if (!path)
        return mgc_error_set(err, MGC_E_USAGE,
            "option --enrol is missing: expected the file that 'mgcoord keys add' made");
    if (!mgc_enrolment_load(path, &worker->enrolment, err))
        return false;
    if (strcmp(worker->enrolment.role, worker->spec->role) != 0)
        return mgc_error_set(err, MGC_E_CONFIG, "%s: the role is '%s', %s expects '%s'", path,
            worker->enrolment.role, worker->spec->program, worker->spec->role);
    return true;
}

static bool find_state(struct worker *worker, struct mgc_error *err)
{
    char base[MGC_PATH_MAX];
    if (worker->options.state)
        snprintf(worker->state, sizeof(worker->state), "%s", worker->options.state);
    else if (!mgc_host_state_dir(base, sizeof(base), err) ||
             !mgc_path_join(worker->state, sizeof(worker->state), base, worker->spec->program))
        return mgc_error_prefix(err, "state directory");
    return true;
}

static bool open_state(struct worker *worker, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    if (!find_state(worker, err))
        return false;
    if (!mgc_dir_make(worker->state, 0700, err) ||
        !mgc_path_join(path, sizeof(path), worker->state, "lock") ||
        !mgc_lock_take(&worker->lock, path, err))
        return mgc_error_prefix(err, "state directory '%s'", worker->state);
    return true;
}

static void log_given_up(
    void *user, uint64_t task_id, const char *undo, bool other_boot, const struct mgc_error *err)
{
    (void)user;
    (void)other_boot;
    if (err)
        mgc_err("%s of task %" PRIx64 " could not be forgotten: %s", undo, task_id, err->text);
    else
        mgc_warn(
            "%s of task %" PRIx64 " is given up: what it changed stays as it is", undo, task_id);
}

static bool open_journal(struct worker *worker, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_journal_config config = {.dir = path,
        .boot_id = worker->host.boot_id,
        .undos = worker->spec->undos,
        .worker = worker->spec->worker};
    if (!mgc_path_join(path, sizeof(path), worker->state, "journal"))
        return mgc_error_set(err, MGC_E_CONFIG, "path of the state directory is too long");
    worker->journal = mgc_journal_open(&config, err);
    if (!worker->journal)
        return false;
    if (mgc_journal_damaged(worker->journal))
        mgc_err("%zu undo entries in '%s' cannot be read; what they describe must be put right by "
                "hand, then remove the files '*.damaged'",
            mgc_journal_damaged(worker->journal), path);
    if (worker->options.give_up)
        mgc_journal_give_up(worker->journal, worker->options.give_up, log_given_up, NULL);
    return true;
}

static bool open_leases(struct worker *worker, struct mgc_error *err)
{
    char dir[MGC_PATH_MAX], locks[MGC_PATH_MAX];
    struct mgc_leases_config config = {.dir = dir, .locks = worker->options.locks};
    if (!config.locks && !mgc_host_lock_dir(locks, sizeof(locks), err))
        return mgc_error_prefix(err, "give --locks DIR");
    if (!config.locks)
        config.locks = locks;
    if (!mgc_path_join(dir, sizeof(dir), worker->state, "leases"))
        return mgc_error_set(err, MGC_E_CONFIG, "path of the state directory is too long");
    worker->leases = mgc_leases_open(&config, err);
    return worker->leases != NULL;
}

static struct mgc_dispatch_config dispatch_config(struct worker *worker)
{
    return (struct mgc_dispatch_config){.spec = worker->spec,
        .enrolment = &worker->enrolment,
        .hello = &worker->hello,
        .journal = worker->journal,
        .leases = worker->leases,
        .results = worker->results,
        .retry_max_ms = worker->options.retry_max_ms,
        .rejoin_max = worker->options.rejoin_max,
        .stop_grace_ms = worker->options.stop_grace_ms};
}

/* Before the results are read: those of tasks that were cut off tell what was undone. */
static bool undo_leftovers(struct worker *worker, struct mgc_error *err)
{
    struct mgc_dispatch_config config = dispatch_config(worker);
    return mgc_dispatch_new_session(&config, UNDO_TRIES, mgc_undone_note, &worker->undone, err);
}

static bool open_results(struct worker *worker, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_results_config config = {
        .dir = path, .undo_of = mgc_undone_of, .user = &worker->undone};
    if (!mgc_path_join(path, sizeof(path), worker->state, "results"))
        return mgc_error_set(err, MGC_E_CONFIG, "path of the state directory is too long");
    worker->results = mgc_results_open(&config, err);
    return worker->results != NULL;
}

static bool fill_facts(struct worker *worker, struct mgc_error *err)
{
    struct mgc_fields *facts = &worker->hello.facts;
    struct mgc_buf kinds = {0};
    for (const struct mgc_task_kind *kind = worker->spec->kinds; kind->name; kind++)
        mgc_buf_printf(&kinds, "%s,", kind->name);
    for (const struct mgc_task_kind *kind = mgc_worker_kinds; kind->name; kind++)
        mgc_buf_printf(&kinds, "%s%s", kind == mgc_worker_kinds ? "" : ",", kind->name);
    bool ok =
        mgc_fields_set_str(facts, "task_kinds", mgc_buf_text(&kinds)) &&
        mgc_fields_set_str(facts, "arch", worker->host.arch) &&
        mgc_fields_set_int(facts, "cpus", worker->host.cpus) &&
        mgc_fields_set_int(facts, "memory_bytes", worker->host.memory_bytes) &&
        mgc_fields_set_int(facts, "undo_pending", (int64_t)mgc_journal_count(worker->journal)) &&
        mgc_fields_set_int(facts, "undo_damaged", (int64_t)mgc_journal_damaged(worker->journal)) &&
        mgc_fields_set_int(facts, "results_waiting", (int64_t)mgc_results_count(worker->results));
    mgc_buf_destroy(&kinds);
    if (!ok)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "hello: out of memory");
    return !worker->spec->facts || worker->spec->facts(facts, worker->spec->worker, err);
}

static bool fill_hello(struct worker *worker, struct mgc_error *err)
{
    struct mgc_msg_hello *hello = &worker->hello;
    hello->protocol_min = MGC_PROTOCOL_MIN;
    hello->protocol_max = MGC_PROTOCOL_MAX;
    hello->role = (char *)worker->spec->role; /* hello borrows when it is encoded */
    hello->build = (char *)MGC_VERSION;
    hello->host = worker->host.name;
    hello->os = worker->host.os;
    hello->boot_id = worker->host.boot_id;
    return fill_facts(worker, err);
}

/* What a killed worker left is undone whatever else is wrong with this one. */
static bool prepare_undo(struct worker *worker, struct mgc_error *err)
{
    return mgc_clock_plant_from_env(err) && mgc_random_init(err) && mgc_net_init(err) &&
           mgc_host_read(&worker->host, err) && open_state(worker, err) &&
           open_journal(worker, err) && open_leases(worker, err) && undo_leftovers(worker, err);
}

static bool prepare(struct worker *worker, struct mgc_error *err)
{
    return prepare_undo(worker, err) && open_results(worker, err) && fill_hello(worker, err);
}

/* No enrolment, so no session is to come: undo what there is, if there is any state at all. */
static void undo_only(struct worker *worker)
{
    char path[MGC_PATH_MAX];
    struct mgc_error err = {0};
    if (!worker->options.enrol || !find_state(worker, NULL) ||
        !mgc_path_join(path, sizeof(path), worker->state, "journal") || !mgc_file_exists(path))
        return;
    if (!prepare_undo(worker, &err))
        mgc_warn("what an earlier worker left may not be undone: %s", err.text);
}

static void on_stop(void *user)
{
    struct worker *worker = user;
    mgc_info("told to stop");
    mgc_loop_remove_fd(worker->loop, worker->stop->read_fd); /* it stays raised */
    mgc_dispatch_leave(worker->dispatch);
}

#ifndef _WIN32
static struct mgc_stop dump_bell = MGC_STOP_INIT;

static void on_sigusr1(int number)
{
    mgc_stop_raise(&dump_bell);
}

static void on_dump(void *user)
{
    struct worker *worker = user;
    mgc_stop_lower(&dump_bell);
    mgc_dispatch_dump(worker->dispatch);
}

static bool dump_on_signal(struct worker *worker, struct mgc_error *err)
{
    struct sigaction action = {.sa_handler = on_sigusr1, .sa_flags = SA_RESTART};
    if (!mgc_stop_init(&dump_bell, err) ||
        !mgc_loop_add_fd(worker->loop, dump_bell.read_fd, on_dump, worker, err))
        return false;
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, &action, NULL);
    return true;
}
#else
static bool dump_on_signal(struct worker *worker, struct mgc_error *err)
{
    return true; /* Windows has no such signal */
}
#endif

static bool run(struct worker *worker, struct mgc_error *err)
{
    struct mgc_dispatch_config config = dispatch_config(worker);
    worker->loop = mgc_loop_new(err);
    worker->stop = mgc_stop_on_signals(err);
    if (!worker->loop || !worker->stop)
        return false;
    worker->dispatch = mgc_dispatch_new(worker->loop, &config, err);
    return worker->dispatch && dump_on_signal(worker, err) &&
           mgc_loop_add_fd(worker->loop, worker->stop->read_fd, on_stop, worker, err) &&
           mgc_loop_run(worker->loop, err);
}

static void destroy(struct worker *worker)
{
    mgc_dispatch_free(worker->dispatch);
    mgc_loop_free(worker->loop);
    mgc_results_free(worker->results);
    if (worker->leases && mgc_journal_count(worker->journal) == 0)
        mgc_leases_end(worker->leases);
    mgc_leases_free(worker->leases);
    mgc_journal_free(worker->journal);
    mgc_undone_destroy(&worker->undone);
    mgc_fields_destroy(&worker->hello.facts);
    mgc_enrolment_destroy(&worker->enrolment);
    mgc_lock_release(&worker->lock);
}

static int work(struct worker *worker)
{
    struct mgc_error err = {0};
    int code = 0;
    if (!load_enrolment(worker, &err)) {
        code = EXIT_BAD_USAGE;
        undo_only(worker);
    } else if (!prepare(worker, &err) || !run(worker, &err)) {
        code = err.code == MGC_E_CONFIG ? EXIT_BAD_USAGE : EXIT_CANNOT_WORK;
    }
    if (code != 0)
        mgc_err("%s", err.text);
    else
        code = mgc_dispatch_exit_code(worker->dispatch);
    /* With a failure while it ran, threads of tasks may still use what destroy would free. */
    if (code != 0 && worker->dispatch)
        _exit(code);
    destroy(worker);
    return code;
}

int mgc_worker_main(const struct mgc_worker_spec *spec, int argc, char **argv)
{
    struct worker worker = {.spec = spec, .lock = MGC_LOCK_INIT};
    struct mgc_cli cli = {.program = spec->program,
        .synopsis = "--enrol FILE [options]",
        .summary = spec->summary,
        .options = option_table};
    struct mgc_error err = {0};
    char **operands;
    int count;
    mgc_streams_open();
    worker.options =
        (struct options){.log_level = "info", .rejoin_max = 10, .stop_grace_ms = 30000};
    switch (mgc_cli_parse_args(&cli, argc, argv, &worker.options, &operands, &count, &err)) {
    case MGC_CLI_HELP:
        mgc_cli_print_help(&cli, stdout);
        return 0;
    case MGC_CLI_BAD:
        fprintf(stderr, "%s: %s\n", spec->program, err.text);
        return EXIT_BAD_USAGE;
    case MGC_CLI_RUN:
        break;
    }
    if (worker.options.list_tasks) {
        mgc_task_kinds_print(spec->kinds, stdout);
        mgc_task_kinds_print(mgc_worker_kinds, stdout);
        return 0;
    }
    if (worker.options.version) {
        printf("%s %s\n", spec->program, MGC_VERSION);
        return 0;
    }
    enum mgc_log_level level = MGC_LOG_INFO;
    mgc_log_level_parse(worker.options.log_level, &level);
    mgc_log_init(spec->program, level);
    return work(&worker);
}
