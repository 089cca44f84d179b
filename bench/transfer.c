/* Artifact transfer: worker to coordinator over loopback, encrypted and hashed, against scp.
 *
 * Both copy the same number of random bytes from memory to memory (scratch directory). The worker
 * hashes a file before it offers it, so there is a second pair: sealing and transfer, against scp
 * and sha256sum at both ends. sshd is the system's, with keys and settings of this benchmark, on
 * loopback.
 */
#include <math.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/lib/stats.h"
#include "bench/lib/stream.h"
#include "common/base/clock.h"
#include "common/plat/file.h"
#include "common/plat/net.h"
#include "common/plat/process.h"

enum { ROUNDS = 5, STEP_MS = 60 * 1000, SSHD_MS = 10 * 1000 };
static const int64_t size_bytes = INT64_C(256) << 20;

struct ssh {
    struct mgc_process *server; /* owned */
    char port[16];
    char options[MGC_PATH_MAX]; /* -F file of the client */
    char why_not[256];          /* empty: it runs */
};

struct measure {
    struct mgc_bench *bench;
    struct mgc_fleet *fleet;
    struct mgc_stream stream;
    struct ssh ssh;
    char source[MGC_PATH_MAX], target[MGC_PATH_MAX];
    double sealing_s;
    struct mgc_bench_samples ours, scp, ours_sealed, scp_hashed; /* MB/s */
};

/* --- programs --- */

static bool run_program(const char *const *argv, struct mgc_error *err)
{
    struct mgc_process_spec spec = {.argv = argv, .die_with_us = true};
    struct mgc_exit exit = {0};
    struct mgc_process *process = mgc_process_start(&spec, err);
    if (!process)
        return false;
    bool ok = mgc_process_wait(process, mgc_deadline_in_ms(STEP_MS), &exit, err);
    mgc_process_free(process);
    char text[64];
    if (ok && (exit.kind != MGC_EXIT_CODE || exit.value != 0))
        return mgc_error_set(err, MGC_E_FAILED, "%s ended with %s", argv[0],
            mgc_exit_text(&exit, text, sizeof(text)));
    return ok;
}

static bool make_key(const struct mgc_bench *bench, const char *name, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    mgc_bench_scratch(bench, name, path);
    const char *argv[] = {"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path, NULL};
    return run_program(argv, err);
}

static bool write_text(
    const struct mgc_bench *bench, const char *name, const char *text, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    return mgc_bench_scratch(bench, name, path) &&
           mgc_file_write(path, text, strlen(text), 0600, err);
}

static bool free_port(struct ssh *ssh, struct mgc_error *err)
{
    unsigned port = 0;
    mgc_socket listener = mgc_net_listen("127.0.0.1", 0, err);
    if (listener == MGC_SOCKET_NONE)
        return false;
    bool ok = mgc_net_local_port(listener, &port, err);
    mgc_net_close(listener);
    snprintf(ssh->port, sizeof(ssh->port), "%u", port);
    return ok;
}

static bool write_settings(const struct mgc_bench *bench, struct ssh *ssh, struct mgc_error *err)
{
    char text[2048];
    snprintf(text, sizeof(text),
        "ListenAddress 127.0.0.1\nPort %s\nHostKey %s/host\nAuthorizedKeysFile %s/user.pub\n"
        "StrictModes no\nUsePAM no\nPasswordAuthentication no\nPidFile none\n"
        "PermitRootLogin prohibit-password\nSubsystem sftp internal-sftp\n",
        ssh->port, bench->scratch, bench->scratch);
    if (!write_text(bench, "sshd.conf", text, err))
        return false;
    snprintf(text, sizeof(text),
        "Host *\nPort %s\nIdentityFile %s/user\nIdentitiesOnly yes\nUserKnownHostsFile /dev/null\n"
        "StrictHostKeyChecking no\nLogLevel ERROR\nBatchMode yes\n",
        ssh->port, bench->scratch);
    return write_text(bench, "ssh.conf", text, err) &&
           mgc_bench_scratch(bench, "ssh.conf", ssh->options);
}

/* sshd wants to be called by its whole path, since it calls itself again. */
static bool start_server(const struct mgc_bench *bench, struct ssh *ssh, struct mgc_error *err)
{
    char config[MGC_PATH_MAX], log[MGC_PATH_MAX];
    if (access("/usr/sbin/sshd", X_OK) != 0)
        return mgc_error_set(err, MGC_E_NOT_FOUND, "there is no /usr/sbin/sshd");
    if (geteuid() == 0 && !mgc_dir_make("/run/sshd", 0755, err)) /* where it locks itself in */
        return false;
    mgc_bench_scratch(bench, "sshd.conf", config);
    mgc_bench_scratch(bench, "sshd.log", log);
    const char *argv[] = {"/usr/sbin/sshd", "-D", "-e", "-f", config, NULL};
    struct mgc_process_spec spec = {
        .argv = argv, .stdout_path = log, .stderr_path = log, .die_with_us = true};
    ssh->server = mgc_process_start(&spec, err);
    return ssh->server != NULL;
}

/* Until it accepts connections; a refused connect is answered at once, so the pause is ours. */
static bool wait_server(const struct ssh *ssh, struct mgc_error *err)
{
    int64_t deadline_ns = mgc_deadline_in_ms(SSHD_MS);
    struct mgc_exit exit;
    while (!mgc_deadline_past(deadline_ns)) {
        mgc_socket socket = mgc_net_connect(
            "127.0.0.1", (unsigned)strtoul(ssh->port, NULL, 10), deadline_ns, -1, err);
        mgc_net_close(socket);
        if (socket != MGC_SOCKET_NONE)
            return true;
        if (mgc_process_wait(ssh->server, mgc_deadline_in_ms(50), &exit, NULL))
            return mgc_error_set(err, MGC_E_FAILED, "sshd ended at once");
    }
    return mgc_error_set(err, MGC_E_TIMEOUT, "sshd does not listen");
}

/* A machine that does not let us is no failure: our side is still measured. */
static void start_ssh(const struct mgc_bench *bench, struct ssh *ssh)
{
    struct mgc_error err = {0};
    if (!free_port(ssh, &err) || !make_key(bench, "host", &err) || !make_key(bench, "user", &err) ||
        !write_settings(bench, ssh, &err) || !start_server(bench, ssh, &err) ||
        !wait_server(ssh, &err))
        snprintf(ssh->why_not, sizeof(ssh->why_not), "no scp: %.200s", err.text);
}

/* --- rounds --- */

static double mb_per_s(double seconds)
{
    return (double)size_bytes / 1e6 / seconds;
}

static void on_message(void *user, size_t worker, const struct mgc_msg *msg)
{
    struct measure *measure = user;
    mgc_stream_take(&measure->stream, msg);
}

static void remove_copy(void *user, size_t number)
{
    struct measure *measure = user;
    mgc_dir_remove(measure->stream.dir, NULL);
}

static bool our_round(struct measure *measure, struct mgc_error *err)
{
    mgc_stream_forget(&measure->stream);
    int64_t begin_ns = mgc_mono_ns();
    if (!mgc_stream_begin(&measure->stream, err) ||
        !mgc_fleet_until(measure->fleet, &measure->stream.done, STEP_MS, "an artifact", err))
        return false;
    if (measure->stream.error.code != MGC_OK)
        return mgc_error_set(err, measure->stream.error.code, "%s", measure->stream.error.text);
    double took_s = (double)(measure->stream.done_ns - begin_ns) / 1e9;
    return mgc_bench_add(&measure->ours, mb_per_s(took_s)) &&
           mgc_bench_add(&measure->ours_sealed, mb_per_s(took_s + measure->sealing_s));
}

static bool scp_round(struct measure *measure, struct mgc_error *err)
{
    char from[MGC_PATH_MAX + 32];
    snprintf(from, sizeof(from), "127.0.0.1:%s", measure->source);
    const char *scp[] = {"scp", "-q", "-F", measure->ssh.options, from, measure->target, NULL};
    const char *sum[] = {"sha256sum", measure->source, NULL};
    const char *sum_again[] = {"sha256sum", measure->target, NULL};
    int64_t begin_ns = mgc_mono_ns();
    if (!run_program(scp, err))
        return false;
    double copied_s = (double)(mgc_mono_ns() - begin_ns) / 1e9;
    if (!run_program(sum, err) || !run_program(sum_again, err))
        return false;
    double hashed_s = (double)(mgc_mono_ns() - begin_ns) / 1e9;
    return mgc_file_remove(measure->target, err) &&
           mgc_bench_add(&measure->scp, mb_per_s(copied_s)) &&
           mgc_bench_add(&measure->scp_hashed, mb_per_s(hashed_s));
}

/* The file as the worker has it serves scp too. */
static bool make_file(struct measure *measure, struct mgc_error *err)
{
    struct mgc_stream *stream = &measure->stream;
    *stream = (struct mgc_stream){
        .fleet = measure->fleet, .task_id = 1, .left = remove_copy, .user = measure};
    mgc_bench_scratch(measure->bench, "in", stream->dir);
    mgc_bench_scratch(
        measure->bench, "fleet/w0.state/results/0000000000000001/files/data.bin", measure->source);
    mgc_bench_scratch(measure->bench, "copy.bin", measure->target);
    if (!mgc_stream_make(stream, size_bytes, err) ||
        !mgc_fleet_until(measure->fleet, &stream->ready, STEP_MS, "a file", err))
        return false;
    measure->sealing_s = (double)(stream->ready_ns - stream->written_ns) / 1e9;
    return stream->error.code == MGC_OK ||
           mgc_error_set(err, stream->error.code, "%s", stream->error.text);
}

static bool run_rounds(struct measure *measure, struct mgc_error *err)
{
    bool ok = make_file(measure, err);
    for (size_t i = 0; ok && i < mgc_bench_count(measure->bench, ROUNDS); i++)
        ok = our_round(measure, err) && (measure->ssh.why_not[0] || scp_round(measure, err));
    return ok;
}

static void print_row(struct measure *measure, const char *what, struct mgc_bench_samples *ours,
    struct mgc_bench_samples *control, enum mgc_bench_budget budget, const char *note)
{
    struct mgc_bench_row row = {.what = what,
        .unit = "MB/s",
        .ours = mgc_bench_percentile(ours, 50),
        .control = mgc_bench_percentile(control, 50),
        .budget = budget,
        .limit = 1,
        .n = ours->count,
        .note = measure->ssh.why_not[0] ? measure->ssh.why_not : note};
    mgc_bench_print(measure->bench, &row);
}

static bool measure_all(struct measure *measure, struct mgc_error *err)
{
    start_ssh(measure->bench, &measure->ssh);
    measure->fleet = mgc_fleet_new(measure->bench, 1, on_message, measure, err);
    if (!measure->fleet || !run_rounds(measure, err))
        return false;
    print_row(measure, "artifact transfer p50", &measure->ours, &measure->scp,
        MGC_BENCH_RATIO_AT_LEAST, "256 MiB; the receiver's hash included, scp has none");
    print_row(measure, "sealing and transfer p50", &measure->ours_sealed, &measure->scp_hashed,
        MGC_BENCH_NO_BUDGET, "against scp and sha256sum at both ends");
    return true;
}

int main(int argc, char **argv)
{
    struct mgc_bench bench;
    struct mgc_error err = {0};
    int exit_code;
    if (!mgc_bench_begin(&bench, "mgbench-transfer",
            "Transfer of an artifact from a worker, encrypted and hashed, against scp.", argc, argv,
            &exit_code))
        return exit_code;
    struct measure measure = {.bench = &bench};
    bool ok = measure_all(&measure, &err);
    mgc_stream_destroy(&measure.stream);
    mgc_fleet_free(measure.fleet);
    mgc_process_free(measure.ssh.server);
    mgc_bench_samples_destroy(&measure.ours);
    mgc_bench_samples_destroy(&measure.scp);
    mgc_bench_samples_destroy(&measure.ours_sealed);
    mgc_bench_samples_destroy(&measure.scp_hashed);
    return mgc_bench_end(&bench, ok, &err);
}
