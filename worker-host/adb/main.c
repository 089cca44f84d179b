/* mgadb: the adb library from a command line, for people and for tests. Human output on stdout,
 * errors on stderr; exit code 1 on failure, `shell` gives the device command's own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/hash.h"
#include "common/base/log.h"
#include "common/cli/cli.h"
#include "common/plat/net.h"
#include "common/plat/stop.h"
#include "worker-host/adb/appfile.h"
#include "worker-host/adb/conn.h"
#include "worker-host/adb/devices.h"
#include "worker-host/adb/logcat.h"
#include "worker-host/adb/program.h"
#include "worker-host/adb/quote.h"
#include "worker-host/adb/shell.h"
#include "worker-host/adb/sync.h"

struct options {
    const char *serial;
    const char *program;
    const char *package;
    const char *output;
    int64_t timeout_ms;
};

static const struct mgc_cli_option option_table[] = {
    {"serial", 's', "SERIAL", "device (default $ANDROID_SERIAL)", mgc_cli_string,
        offsetof(struct options, serial), NULL},
    {"adb", 0, "PROGRAM", "adb program that starts a missing server (default adb)", mgc_cli_string,
        offsetof(struct options, program), NULL},
    {"package", 'p', "NAME", "read the file as this app's user", mgc_cli_string,
        offsetof(struct options, package), NULL},
    {"output", 'o', "FILE", "write the log there", mgc_cli_string, offsetof(struct options, output),
        NULL},
    {"timeout", 't', "TIME", "deadline of the whole command, as 30s (default 60s)",
        mgc_cli_duration_ms, offsetof(struct options, timeout_ms), NULL},
    {0},
};

/* What every subcommand works with. */
struct session {
    struct options options;
    struct mgc_adb *adb;
    struct mgc_adb_wait wait;
    char **operands;
    int count;
};

typedef int command_fn(struct session *session, struct mgc_error *err);

static int fail(const struct mgc_error *err)
{
    fprintf(stderr, "mgadb: %s\n", err->text);
    return err->code == MGC_E_USAGE ? 2 : 1;
}

static bool start(struct session *session, bool device, struct mgc_error *err)
{
    struct mgc_stop *stop = mgc_stop_on_signals(err);
    if (!stop || !mgc_random_init(err) || !mgc_net_init(err))
        return false;
    session->adb = mgc_adb_new(session->options.program, err);
    if (!session->adb)
        return false;
    session->wait.deadline_ns = mgc_deadline_in_ms(session->options.timeout_ms);
    session->wait.stop_fd = stop->read_fd;
    if (!device)
        return true;
    if (!session->options.serial || !*session->options.serial)
        return mgc_error_set(err, MGC_E_USAGE, "no device: give --serial or set ANDROID_SERIAL");
    return mgc_adb_check_serial(session->options.serial, err) &&
           mgc_adb_device_ready(session->adb, session->options.serial, &session->wait, err);
}

static int run(int argc, char **argv, const struct mgc_cli *cli, bool device, command_fn *fn)
{
    struct session session = {
        .options = {.serial = getenv("ANDROID_SERIAL"), .program = "adb", .timeout_ms = 60000}};
    struct mgc_error err = {0};
    switch (mgc_cli_parse_args(
        cli, argc, argv, &session.options, &session.operands, &session.count, &err)) {
    case MGC_CLI_HELP:
        mgc_cli_print_help(cli, stdout);
        return 0;
    case MGC_CLI_BAD:
        return fail(&err);
    case MGC_CLI_RUN:
        break;
    }
    int code = start(&session, device, &err) ? fn(&session, &err) : -1;
    mgc_adb_free(session.adb);
    return code < 0 ? fail(&err) : code;
}

static int do_devices(struct session *session, struct mgc_error *err)
{
    struct mgc_adb_devices devices;
    struct mgc_adb_program_version program = {0};
    unsigned server;
    if (!mgc_adb_server_version(session->adb, &server, &session->wait, err) ||
        !mgc_adb_devices_list(session->adb, &devices, &session->wait, err))
        return -1;
    printf("server %s protocol %u\n", mgc_adb_address(session->adb), server);
    if (mgc_adb_program_version(session->options.program, &program, &session->wait, NULL))
        printf("program %s protocol %u release %s\n",
            program.path[0] ? program.path : session->options.program, program.protocol,
            program.release);
    for (size_t i = 0; i < devices.count; i++)
        printf("%s %s %s\n", devices.items[i].serial, mgc_adb_state_name(devices.items[i].state),
            devices.items[i].model);
    return 0;
}

static bool print_piece(
    void *ctx, enum mgc_adb_shell_id id, const char *data, size_t len, struct mgc_error *err)
{
    FILE *out = id == MGC_ADB_STDOUT ? stdout : stderr;
    return (fwrite(data, 1, len, out) == len && fflush(out) == 0) ||
           mgc_error_set(err, MGC_E_IO, "cannot write the output");
}

static int do_shell(struct session *session, struct mgc_error *err)
{
    struct mgc_buf command = {0};
    int code = -1;
    session->operands[session->count] = NULL; /* a slot of argv; "--" moves what stands behind it */
    if (mgc_adb_quote_all(&command, (const char *const *)session->operands))
        mgc_adb_run_stream(session->adb, session->options.serial, mgc_buf_text(&command), NULL,
            print_piece, NULL, &session->wait, &code, err);
    mgc_buf_destroy(&command);
    return code;
}

static int do_push(struct session *session, struct mgc_error *err)
{
    struct mgc_adb_transfer done;
    if (!mgc_adb_check_path(session->operands[1], err) ||
        !mgc_adb_push(session->adb, session->options.serial, session->operands[0],
            session->operands[1], NULL, &session->wait, &done, err))
        return -1;
    printf("%llu bytes sha256 %s\n", (unsigned long long)done.bytes, done.sha256);
    return 0;
}

static int do_pull(struct session *session, struct mgc_error *err)
{
    struct mgc_adb_transfer done;
    if (!mgc_adb_check_path(session->operands[0], err) ||
        !mgc_adb_pull(session->adb, session->options.serial, session->operands[0],
            session->operands[1], NULL, &session->wait, &done, err))
        return -1;
    printf("%llu bytes sha256 %s\n", (unsigned long long)done.bytes, done.sha256);
    return 0;
}

static int do_appfile(struct session *session, struct mgc_error *err)
{
    const char *package = session->options.package;
    struct mgc_adb_appfile file;
    if ((package && !mgc_adb_check_package(package, err)) ||
        !mgc_adb_check_path(session->operands[0], err) ||
        !mgc_adb_appfile_pull(session->adb, session->options.serial, package, session->operands[0],
            session->operands[1], &session->wait, &file, err))
        return -1;
    if (!file.exists) {
        printf("absent\n");
        return 3;
    }
    printf("%llu bytes sha256 %s proved by %s\n", (unsigned long long)file.bytes, file.sha256,
        file.proof == MGC_ADB_PROOF_SHA256 ? "sha256" : "cksum");
    return 0;
}

static void print_line(void *ctx, const char *line, size_t len)
{
    fwrite(line, 1, len, stdout);
    putchar('\n');
    fflush(stdout);
}

static int do_logcat(struct session *session, struct mgc_error *err)
{
    const char *filter = session->count ? session->operands[0] : NULL;
    struct mgc_adb_log_spec spec = {.filter = filter, .path = session->options.output};
    if (!spec.path)
        spec.line = print_line;
    if (filter && !mgc_adb_check_filter(filter, err))
        return -1;
    struct mgc_adb_log *log = mgc_adb_log_new(session->adb, session->options.serial, &spec, err);
    bool ok = log && mgc_adb_log_open(log, &session->wait, err);
    while (ok)
        ok = mgc_adb_log_read(log, &session->wait, err);
    /* The deadline and Ctrl-C are the ways to end it. */
    bool ended = log && (err->code == MGC_E_CANCELLED || err->code == MGC_E_TIMEOUT);
    struct mgc_adb_wait limit = {mgc_deadline_in_ms(5000), -1};
    ended = ended && mgc_adb_log_finish(log, &limit, err);
    if (log) {
        const struct mgc_adb_logscan *scan = mgc_adb_log_scan(log);
        fprintf(stderr, "%llu lines %llu bytes %llu gaps\n", (unsigned long long)scan->lines,
            (unsigned long long)scan->bytes, (unsigned long long)scan->gaps);
    }
    mgc_adb_log_free(log);
    return ended ? 0 : -1;
}

#define COMMAND(name, usage, text, low, high, needs_device)                                        \
    static int cmd_##name(int argc, char **argv)                                                   \
    {                                                                                              \
        static const struct mgc_cli cli = {.program = "mgadb " #name,                              \
            .synopsis = usage,                                                                     \
            .summary = text,                                                                       \
            .options = option_table,                                                               \
            .min_operands = low,                                                                   \
            .max_operands = high};                                                                 \
        return run(argc, argv, &cli, needs_device, do_##name);                                     \
    }

COMMAND(devices, "[options]", "List the adb server's devices.", 0, 0, false)
COMMAND(shell, "[options] WORD...", "Run a command; each word arrives as it is.", 1, -1, true)
COMMAND(push, "[options] LOCAL REMOTE", "Copy a file to the device.", 2, 2, true)
COMMAND(pull, "[options] REMOTE LOCAL", "Copy a file from the device.", 2, 2, true)
COMMAND(appfile, "[options] REMOTE LOCAL",
    "Copy a file with length and hash proved; exit code 3 when it is absent.", 2, 2, true)
COMMAND(logcat, "[options] [FILTER]", "Follow the log from now on until Ctrl-C or the deadline.", 0,
    1, true)

static const struct mgc_cli_command commands[] = {
    {"devices", "list devices and versions", cmd_devices},
    {"shell", "run a command on the device", cmd_shell},
    {"push", "copy a file to the device", cmd_push},
    {"pull", "copy a file from the device", cmd_pull},
    {"appfile", "copy a file from the device, proved", cmd_appfile},
    {"logcat", "follow the device's log", cmd_logcat},
    {0},
};

int main(int argc, char **argv)
{
    mgc_log_init("mgadb", MGC_LOG_WARN);
    return mgc_cli_dispatch("mgadb", "Talk to an Android device through the adb server.",
        MGC_VERSION, commands, argc, argv);
}
