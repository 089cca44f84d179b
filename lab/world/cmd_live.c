/* Subcommands that talk to a running lab. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/parse.h"
#include "common/cli/cli.h"
#include "lab/world/commands.h"
#include "lab/world/control.h"
#include "lab/world/faults.h"
#include "lab/world/join.h"
#include "lab/world/report.h"
#include "lab/world/signals.h"
#include "lab/world/status.h"
#include "lab/world/target.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

struct options {
    const char *state;
    bool json, clear, list;
};

#define STATE_ROW                                                                                  \
    {                                                                                              \
        "state", 0, "DIR",                                                                         \
            "the lab of this state directory (default: the lab we are in, "                        \
            "$MGLAB_STATE, the default directory)",                                                \
            mgc_cli_string, offsetof(struct options, state), NULL                                  \
    }

static int complain(const char *program, const struct mgc_error *err, int code)
{
    fprintf(stderr, "%s: %s\n", program, err->text);
    return code;
}

/* True: go on. False: *ret_code is the exit code. */
static bool parse(const struct mgc_cli *cli, int argc, char **argv, struct options *options,
    char ***ret_operands, int *ret_count, int *ret_code)
{
    struct mgc_error err = {0};
    switch (mgc_cli_parse_args(cli, argc, argv, options, ret_operands, ret_count, &err)) {
    case MGC_CLI_RUN:
        return true;
    case MGC_CLI_HELP:
        mgc_cli_print_help(cli, stdout);
        *ret_code = 0;
        return false;
    case MGC_CLI_BAD:
        break;
    }
    *ret_code = complain(cli->program, &err, EXIT_USAGE);
    return false;
}

static bool ask(const char *state, const char *request, struct mgc_buf *out,
    struct mgc_lab_target *ret_target, struct mgc_error *err)
{
    return mgc_lab_target_find(state, ret_target, err) &&
           mgc_lab_control_ask(ret_target->control_path, request, out, err);
}

/* ---- exec ---- */

int mgc_lab_cmd_exec(int argc, char **argv)
{
    static const struct mgc_cli_option rows[] = {STATE_ROW, {0}};
    static const struct mgc_cli cli = {.program = "mglab exec",
        .synopsis = "[options] HOST -- COMMAND...",
        .summary = "Run COMMAND in a host of a running lab, as a process of the lab.",
        .options = rows,
        .min_operands = 2,
        .max_operands = -1,
        .notes =
            "HOST: winhost, wsl, gw, proxy, phone, link. The exit code is COMMAND's; 125 when the "
            "lab cannot be joined, 126 and 127 when COMMAND cannot be run or found."};
    struct options options = {0};
    struct mgc_lab_target target;
    struct mgc_error err = {0};
    enum mgc_lab_host host;
    char **operands;
    int count, code;
    if (!parse(&cli, argc, argv, &options, &operands, &count, &code))
        return code;
    char **command = operands + 1 + (strcmp(operands[1], "--") == 0);
    operands[count] = NULL;
    if (!mgc_lab_host_find(operands[0], &host)) {
        fprintf(stderr, "mglab exec: there is no host \"%s\"\n", operands[0]);
        return EXIT_USAGE;
    }
    if (*command == NULL) {
        fprintf(stderr, "mglab exec: no command given\n");
        return EXIT_USAGE;
    }
    if (!mgc_lab_target_find(options.state, &target, &err))
        return complain(cli.program, &err, MGC_LAB_EXIT_BROKEN);
    mgc_lab_target_export(&target);
    code = mgc_lab_join_run(&target, host, command, false, &err);
    return err.code == MGC_OK ? code : complain(cli.program, &err, code);
}

/* ---- fault ---- */

static void print_known_faults(const struct mgc_cli *cli)
{
    const char *name, *help;
    mgc_cli_print_help(cli, stdout);
    printf("\nFaults:\n");
    for (size_t i = 0; mgc_lab_fault_row(i, &name, &help); i++)
        printf("  %-28s %s\n", name, help);
}

/* Which phones there are the lab knows. */
static bool may_be_cleared(const char *operand)
{
    char phone[MGC_LAB_NAME_SIZE];
    return mgc_lab_roster_is_name(operand) ||
           mgc_lab_fault_known(mgc_lab_fault_split(operand, phone));
}

static bool fault_request(const struct options *options, const char *operand, char *ret_request,
    size_t size, struct mgc_error *err)
{
    struct mgc_lab_fault fault;
    if (options->list || (operand == NULL && !options->clear)) {
        snprintf(ret_request, size, "fault list\n");
        return true;
    }
    if (options->clear) {
        if (operand != NULL && !may_be_cleared(operand))
            return mgc_error_set(err, MGC_E_USAGE, "there is no fault \"%s\"", operand);
        snprintf(ret_request, size, "fault clear%s%s\n", operand != NULL ? " " : "",
            operand != NULL ? operand : "");
        return true;
    }
    if (!mgc_lab_fault_parse(operand, &fault, err))
        return false;
    snprintf(ret_request, size, "fault set %s%s%s %s\n", fault.phone, fault.phone[0] ? "." : "",
        fault.name, fault.value);
    return true;
}

int mgc_lab_cmd_fault(int argc, char **argv)
{
    static const struct mgc_cli_option rows[] = {STATE_ROW,
        {"clear", 0, NULL, "clear the named fault, or all", mgc_cli_flag,
            offsetof(struct options, clear), NULL},
        {"list", 0, NULL, "print the faults that are set, one NAME VALUE per line", mgc_cli_flag,
            offsetof(struct options, list), NULL},
        {0}};
    static const struct mgc_cli cli = {.program = "mglab fault",
        .synopsis = "[options] [[PHONE.]NAME[=VALUE]]",
        .summary = "Set, clear or list the fault knobs of a running lab.",
        .options = rows,
        .notes = "In a lab of several phones PHONE is one of them, such as p3; without it a fault "
                 "is set or cleared on all of them. --clear PHONE clears all of that phone's.",
        .max_operands = 1};
    struct options options = {0};
    struct mgc_lab_target target;
    struct mgc_error err = {0};
    struct mgc_buf out = {0};
    char request[MGC_LAB_CONTROL_LINE], **operands;
    int count, code;
    if (!parse(&cli, argc, argv, &options, &operands, &count, &code)) {
        if (code == 0)
            print_known_faults(&cli);
        return code;
    }
    if (!fault_request(&options, count > 0 ? operands[0] : NULL, request, sizeof request, &err))
        return complain(cli.program, &err, EXIT_USAGE);
    bool ok = ask(options.state, request, &out, &target, &err);
    fputs(mgc_buf_text(&out), stdout);
    mgc_buf_destroy(&out);
    return ok ? 0 : complain(cli.program, &err, EXIT_FAILED);
}

/* ---- status ---- */

static bool print_status(
    const struct mgc_lab_target *target, const char *answer, bool json, struct mgc_error *err)
{
    struct mgc_lab_status status;
    struct mgc_buf out = {0};
    if (!mgc_lab_status_parse(answer, &status, err))
        return false;
    for (size_t i = 0; i < status.count; i++) {
        if (status.rows[i].pid > 0)
            status.rows[i].pid = mgc_lab_join_pid(target, status.rows[i].pid);
    }
    bool ok = json ? mgc_lab_status_json(target->pid, &status, &out)
                   : mgc_lab_status_table(&status, &out);
    fputs(mgc_buf_text(&out), stdout);
    mgc_buf_destroy(&out);
    return ok || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the status");
}

int mgc_lab_cmd_status(int argc, char **argv)
{
    static const struct mgc_cli_option rows[] = {STATE_ROW,
        {"json", 0, NULL, "print JSON", mgc_cli_flag, offsetof(struct options, json), NULL}, {0}};
    static const struct mgc_cli cli = {.program = "mglab status",
        .synopsis = "[options]",
        .summary = "Print the members of a running lab with their pids as seen from here.",
        .options = rows,
        .notes = "Exit code 0 when a lab runs, 1 when none does."};
    struct options options = {0};
    struct mgc_lab_target target;
    struct mgc_error err = {0};
    struct mgc_buf answer = {0};
    char **operands;
    int count, code;
    if (!parse(&cli, argc, argv, &options, &operands, &count, &code))
        return code;
    bool ok = ask(options.state, "status\n", &answer, &target, &err) &&
              print_status(&target, mgc_buf_text(&answer), options.json, &err);
    mgc_buf_destroy(&answer);
    return ok ? 0 : complain(cli.program, &err, EXIT_FAILED);
}

/* ---- kill ---- */

/* Take "-SIGNAL" out of argv, wherever it stands; it looks like options but is none. */
static int take_signal(int *argc, char **argv)
{
    int sig = SIGTERM, kept = 1;
    for (int i = 1; i < *argc; i++) {
        bool value = strcmp(argv[i - 1], "--state") == 0;
        if (value || !mgc_lab_signal_parse(argv[i], &sig))
            argv[kept++] = argv[i];
    }
    argv[kept] = NULL;
    *argc = kept;
    return sig;
}

int mgc_lab_cmd_kill(int argc, char **argv)
{
    static const struct mgc_cli_option rows[] = {STATE_ROW, {0}};
    static const struct mgc_cli cli = {.program = "mglab kill",
        .synopsis = "[options] [-SIGNAL] MEMBER",
        .summary = "Signal a member of a running lab (default: TERM).",
        .options = rows,
        .min_operands = 1,
        .max_operands = 1,
        .notes = "SIGNAL is a number or a name such as KILL or SIGKILL. Members "
                 "are listed by `mglab status`; one that ends is started again after 200 ms."};
    struct options options = {0};
    struct mgc_lab_target target;
    struct mgc_error err = {0};
    struct mgc_buf out = {0};
    char request[MGC_LAB_CONTROL_LINE], **operands;
    int count, code;
    int sig = take_signal(&argc, argv);
    if (!parse(&cli, argc, argv, &options, &operands, &count, &code))
        return code;
    if (snprintf(request, sizeof request, "kill %s %d\n", operands[0], sig) >= (int)sizeof request)
        return EXIT_USAGE;
    bool ok = ask(options.state, request, &out, &target, &err);
    mgc_buf_destroy(&out);
    return ok ? 0 : complain(cli.program, &err, EXIT_FAILED);
}
