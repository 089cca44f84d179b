/* mglab-link: the link between the lab's gateway and its phone, as a program of its own. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/log.h"
#include "common/cli/cli.h"
#include "lab/link/emulator.h"
#include "lab/link/profile.h"

struct options {
    struct mgc_lab_link_spec spec;
    int64_t control_fd;
};

#define OPTION(field) offsetof(struct options, field)

static const struct mgc_cli_range fds = {0, 1023};

static const struct mgc_cli_option rows[] = {
    {"lan", 0, "INTERFACE", "the side of the gateway (default: lan)", mgc_cli_string,
        OPTION(spec.lan_side), NULL},
    {"phone", 0, "INTERFACE", "the side of the phone (default: air)", mgc_cli_string,
        OPTION(spec.phone_side), NULL},
    {"profile", 0, "NAME", "what the link is like (default: ethernet)", mgc_cli_string,
        OPTION(spec.profile), NULL},
    {"fault-dir", 0, "DIR", "where the link-... knobs are (default: /run/mglab/faults)",
        mgc_cli_string, OPTION(spec.fault_dir), NULL},
    {"control-fd", 0, "N", "the socket that mglab handed over (default: 3)", mgc_cli_int,
        OPTION(control_fd), &fds},
    {0},
};

static const struct mgc_cli cli = {
    .program = "mglab-link",
    .synopsis = "[options]",
    .summary = "Carry frames between two interfaces with a link's rate, delay and moods.",
    .options = rows,
};

static void print_help(void)
{
    const struct mgc_lab_link_named *row;
    mgc_cli_print_help(&cli, stdout);
    printf("\nProfiles:\n");
    for (size_t i = 0; (row = mgc_lab_link_profile_row(i)) != NULL; i++)
        printf("  %-12s %s\n", row->name, row->help);
}

int main(int argc, char **argv)
{
    struct options options = {.spec = {.lan_side = "lan",
                                  .phone_side = "air",
                                  .profile = "ethernet",
                                  .fault_dir = "/run/mglab/faults"},
        .control_fd = 3};
    struct mgc_error err = {0};
    char **operands;
    int count;
    mgc_log_init("mglab-link", MGC_LOG_INFO);
    switch (mgc_cli_parse_args(&cli, argc, argv, &options, &operands, &count, &err)) {
    case MGC_CLI_HELP:
        print_help();
        return 0;
    case MGC_CLI_BAD:
        fprintf(stderr, "mglab-link: %s\n", err.text);
        return 2;
    case MGC_CLI_RUN:
        break;
    }
    options.spec.control_fd = (int)options.control_fd;
    fcntl(options.spec.control_fd, F_SETFD, FD_CLOEXEC);
    if (mgc_lab_link_serve(&options.spec, &err))
        return 0;
    mgc_err("%s", err.text);
    return 1;
}
