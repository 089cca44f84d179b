/* mglab-proxy: the relay behind the lab's redirect rules, as a program of its own. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/log.h"
#include "common/cli/cli.h"
#include "lab/world/relay.h"

struct options {
    int64_t listen_fd;
};

static const struct mgc_cli_range fds = {0, 1023};

static const struct mgc_cli_option rows[] = {
    {"listen-fd", 0, "N", "the listening socket that mglab handed over (default: 3)", mgc_cli_int,
        offsetof(struct options, listen_fd), &fds},
    {0},
};

static const struct mgc_cli cli = {
    .program = "mglab-proxy",
    .synopsis = "[options]",
    .summary = "Accept every redirected TCP connection, then connect to where it was going.",
    .options = rows,
};

int main(int argc, char **argv)
{
    struct options options = {.listen_fd = 3};
    struct mgc_error err = {0};
    char **operands;
    int count;
    mgc_log_init("mglab-proxy", MGC_LOG_INFO);
    switch (mgc_cli_parse_args(&cli, argc, argv, &options, &operands, &count, &err)) {
    case MGC_CLI_HELP:
        mgc_cli_print_help(&cli, stdout);
        return 0;
    case MGC_CLI_BAD:
        fprintf(stderr, "mglab-proxy: %s\n", err.text);
        return 2;
    case MGC_CLI_RUN:
        break;
    }
    fcntl((int)options.listen_fd, F_SETFD, FD_CLOEXEC);
    mgc_lab_relay_serve((int)options.listen_fd, &err);
    mgc_err("%s", err.text);
    return 1;
}
