/* A worker with a benchmark's task kinds: everything of a real one but what it does. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/path.h"
#include "common/task/wait.h"
#include "common/task/worker.h"

enum { AFTER_RELEASE_MS = 20 };

/* Meet the others at the barriers "0", "1", ... The next arrival is not to disturb those that this
 * release has yet to wake. */
static bool run_barrier(struct mgc_task *task, struct mgc_error *err)
{
    int stop = mgc_task_stop_fd(task);
    int64_t rounds = mgc_task_int_or(task, "rounds", 0), instant_ns;
    for (int64_t i = 0; i < rounds; i++) {
        char name[24];
        snprintf(name, sizeof(name), "%" PRId64, i);
        if (!mgc_task_barrier(task, name, &instant_ns, err))
            return false;
        int64_t next_ns = instant_ns + AFTER_RELEASE_MS * MGC_NS_PER_MS;
        if (mgc_wait_readable(&stop, 1, next_ns) == 0)
            return mgc_task_stop_error(task, err);
    }
    return true;
}

static bool run_echo(struct mgc_task *task, struct mgc_error *err)
{
    return mgc_task_event(task, "here", NULL, err);
}

/* What a busy worker says while it works: an event every so often, until told to finish. */
static bool run_chatter(struct mgc_task *task, struct mgc_error *err)
{
    int fds[] = {mgc_task_stop_fd(task), mgc_task_finish_fd(task)};
    int64_t every_ms = mgc_task_int_or(task, "every_ms", 1000);
    for (;;) {
        int woken = mgc_wait_readable(fds, 2, mgc_task_deadline(task, every_ms));
        if (woken == 1)
            return true;
        if (woken == 0 || mgc_task_stopped(task))
            return mgc_task_stop_error(task, err);
        if (!mgc_task_event(task, "progress", NULL, err))
            return false;
    }
}

static bool write_noise(const char *path, int64_t size, struct mgc_error *err)
{
    static unsigned char block[1 << 16];
    uint64_t state = 88172645463325252u; /* xorshift64: quick, and nothing that compresses */
    FILE *file = fopen(path, "wbe");
    bool ok = file != NULL;
    for (int64_t done = 0; ok && done < size; done += (int64_t)sizeof(block)) {
        for (size_t i = 0; i < sizeof(block); i += sizeof(state)) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            memcpy(block + i, &state, sizeof(state));
        }
        ok = fwrite(block, 1, sizeof(block), file) == sizeof(block);
    }
    if (file && fclose(file) != 0)
        ok = false;
    return ok || mgc_error_set(err, MGC_E_NO_SPACE, "write '%s'", path);
}

/* Leave a file of `size` bytes, rounded up to 64 KiB. */
static bool run_file(struct mgc_task *task, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    return mgc_path_join(path, sizeof(path), mgc_task_dir(task), "data.bin") &&
           write_noise(path, mgc_task_int_or(task, "size", 0), err) &&
           mgc_task_artifact(task, "data.bin", err) && mgc_task_event(task, "written", NULL, err);
}

static const struct mgc_param barrier_params[] = {
    {"rounds", MGC_PARAM_INT, true, 1, 1000000, NULL, "barriers to meet at"}, {0}};
static const struct mgc_param chatter_params[] = {
    {"every_ms", MGC_PARAM_INT, true, 1, 60000, NULL, "pause between two events"}, {0}};
static const struct mgc_param file_params[] = {
    {"size", MGC_PARAM_INT, true, 0, INT64_C(1) << 32, NULL, "bytes"}, {0}};

static const struct mgc_task_kind kinds[] = {
    {"bench.barrier", barrier_params, "Meet at barriers", run_barrier},
    {"bench.echo", NULL, "Say one event", run_echo},
    {"bench.chatter", chatter_params, "Say an event again and again", run_chatter},
    {"bench.file", file_params, "Leave a file", run_file},
    {0},
};
static const struct mgc_undo_kind undos[] = {{0}};

int main(int argc, char **argv)
{
    struct mgc_worker_spec spec = {.program = "mgbench-worker",
        .role = "wsl",
        .summary = "Worker for benchmarks.",
        .kinds = kinds,
        .undos = undos};
    return mgc_worker_main(&spec, argc, argv);
}
