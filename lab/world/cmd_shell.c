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
static int sit_at_phone(
    const struct mgc_lab_target *target, const struct mgc_lab_phone *phone, struct mgc_error *err)
{
    struct mgc_lab_pair pair;
    char line[160], port[24] = "";
    char *const adb[] = {(char *)"sh", (char *)"-c", line, NULL};
    mgc_lab_roster_pair(&target->roster, phone->pair, &pair);
    if (pair.adb_port != 0)
        snprintf(port, sizeof port, "-P %d ", pair.adb_port);
    snprintf(line, sizeof line, "adb %sconnect %s >/dev/null && exec adb %s-s %s shell", port,
        phone->adb, port, phone->adb);
    return mgc_lab_join_run(target, MGC_LAB_WINHOST, adb, true, err);
}

static int sit_at_host(
    const struct mgc_lab_target *target, enum mgc_lab_host host, struct mgc_error *err)
{
    const char *shell = getenv("SHELL");
    char *const own[] = {(char *)(shell != NULL && shell[0] == '/' ? shell : "/bin/sh"), NULL};
    char prompt[64];
    snprintf(prompt, sizeof prompt, "mglab %s \\$ ", mgc_lab_host_name(host));
    setenv("PS1", prompt, 1);
    return mgc_lab_join_run(target, host, own, true, err);
}

static int sit_down(const struct mgc_lab_target *target, const char *where, struct mgc_error *err)
{
    struct mgc_lab_phone phone;
    enum mgc_lab_host host;
    char names[MGC_LAB_NAME_SIZE];
    const struct mgc_lab_roster *roster = &target->roster;
    bool several = mgc_lab_roster_several(roster);
    bool is_host = mgc_lab_host_find(where, &host);
    int number = mgc_lab_roster_find(roster, is_host && host == MGC_LAB_PHONE ? "" : where);
    mgc_lab_target_export(target);
    if (number != 0) {
        mgc_lab_roster_phone(roster, number, &phone);
        return sit_at_phone(target, &phone, err);
    }
    if (is_host && host != MGC_LAB_PHONE)
        return sit_at_host(target, host, err);
    mgc_lab_roster_names(roster, names);
    mgc_error_set(err, MGC_E_USAGE,
        several ? "there is no host \"%s\"; the phones are %s" : "there is no host \"%s\"", where,
        names);
    return EXIT_USAGE;
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
        .notes = "HOST: winhost, wsl, gw, proxy, phone or a phone's name (there it "
                 "is `adb shell`), link. "
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
    if (outcome == MGC_CLI_RUN && !mgc_lab_host_find(operands[0], &host) &&
        !mgc_lab_roster_is_name(operands[0])) {
        mgc_error_set(&err, MGC_E_USAGE, "there is no host \"%s\"", operands[0]);
        outcome = MGC_CLI_BAD;
    }
    if (outcome == MGC_CLI_BAD)
        code = EXIT_USAGE;
    else if (mgc_lab_target_find(state, &target, &err))
        code = sit_down(&target, operands[0], &err);
    if (err.code != MGC_OK)
        fprintf(stderr, "mglab shell: %s\n", err.text);
    return code;
}
