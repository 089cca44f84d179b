/* `mglab shell HOST`: somebody sits down at a host of the lab. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/cli.h"
#include "lab/world/commands.h"
#include "lab/world/join.h"
#include "lab/world/report.h"

enum { EXIT_USAGE = 2 };

/* The phone's shell is what adb gives: its own root, its own programs. The server that adb may
 * have to start dies with the lab. */
static const char on_phone[] = "adb connect " MGC_LAB_PHONE_USB
                               ":5555 >/dev/null && exec adb -s " MGC_LAB_PHONE_USB ":5555 shell";

static const char on_loopback_phone[] =
    "adb connect 127.0.0.1:5555 >/dev/null && exec adb -s 127.0.0.1:5555 shell";

static int sit_down(
    const struct mgc_lab_target *target, enum mgc_lab_host host, struct mgc_error *err)
{
    const char *shell = getenv("SHELL");
    char prompt[64];
    char *const own[] = {(char *)(shell != NULL && shell[0] == '/' ? shell : "/bin/sh"), NULL};
    char *adb[] = {(char *)"sh", (char *)"-c", (char *)on_phone, NULL};
    bool phone = host == MGC_LAB_PHONE;
    if (target->loopback)
        adb[2] = (char *)on_loopback_phone;
    snprintf(prompt, sizeof prompt, "mglab %s \\$ ", mgc_lab_host_name(host));
    setenv("PS1", prompt, 1);
    mgc_lab_target_export(target);
    return mgc_lab_join_run(target, phone ? MGC_LAB_WINHOST : host, phone ? adb : own, true, err);
}

int mgc_lab_cmd_shell(int argc, char **argv)
{
    static const struct mgc_cli_option rows[] = {
        {"state", 0, "DIR", "the lab of this state directory", mgc_cli_string, 0, NULL}, {0}};
    static const struct mgc_cli cli = {.program = "mglab shell",
        .synopsis = "[options] HOST",
        .summary = "An interactive shell in a host of a running lab.",
        .options = rows,
        .min_operands = 1,
        .max_operands = 1,
        .notes = "HOST: winhost, wsl, gw, proxy, phone (there it is `adb shell`), link. "
                 "In wsl, `mgcoord run crosshost` needs no --site."};
    const char *state = NULL;
    struct mgc_lab_target target;
    struct mgc_error err = {0};
    enum mgc_lab_host host;
    char **operands;
    int count, code = MGC_LAB_EXIT_BROKEN;
    enum mgc_cli_outcome outcome =
        mgc_cli_parse_args(&cli, argc, argv, &state, &operands, &count, &err);
    if (outcome == MGC_CLI_HELP) {
        mgc_cli_print_help(&cli, stdout);
        return 0;
    }
    if (outcome == MGC_CLI_RUN && !mgc_lab_host_find(operands[0], &host)) {
        mgc_error_set(&err, MGC_E_USAGE, "there is no host \"%s\"", operands[0]);
        outcome = MGC_CLI_BAD;
    }
    if (outcome == MGC_CLI_BAD)
        code = EXIT_USAGE;
    else if (mgc_lab_target_find(state, &target, &err))
        code = sit_down(&target, host, &err);
    if (err.code != MGC_OK)
        fprintf(stderr, "mglab shell: %s\n", err.text);
    return code;
}
