/* mgpathcheck: the path check by hand. Exit 0 end to end, 1 middlebox, 2 cannot tell, 64 usage. */
#include <stdio.h>

#include "common/base/clock.h"
#include "common/base/parse.h"
#include "common/cli/cli.h"
#include "common/plat/stop.h"
#include "worker-wsl/pathcheck/pathcheck.h"

enum { EXIT_USAGE = 64 }; /* EX_USAGE of sysexits.h; 0 to 2 are verdicts */

struct options {
    struct ports {
        unsigned list[MGC_PATH_PROBES_MAX];
        size_t count;
    } ports;
    int64_t timeout_ms;
};

static bool parse_port(const char *text, void *field, const void *arg, struct mgc_error *err)
{
    struct ports *ports = field;
    int64_t port;
    if (!mgc_parse_int(text, 1, 65535, &port))
        return mgc_error_set(err, MGC_E_USAGE, "expected a port from 1 to 65535");
    if (ports->count == MGC_PATH_PROBES_MAX)
        return mgc_error_set(err, MGC_E_USAGE, "given more than %d times", MGC_PATH_PROBES_MAX);
    ports->list[ports->count++] = (unsigned)port;
    return true;
}

static const struct mgc_cli_option option_table[] = {
    {"port", 'p', "N",
        "port to probe, one that nothing on the phone listens on; may be given again (default: 1, "
        "9 and 40612)",
        parse_port, offsetof(struct options, ports)},
    {"timeout", 't', "TIME", "how long each probe waits (default: 3s)", mgc_cli_duration_ms,
        offsetof(struct options, timeout_ms)},
    {0},
};

static const struct mgc_cli cli = {
    .program = "mgpathcheck",
    .synopsis = "[options] PHONE",
    .summary = "Find out whether TCP to the phone (an IPv4 address) runs end to end, by connecting "
               "to closed ports.",
    .options = option_table,
    .min_operands = 1,
    .max_operands = 1,
    .notes = "Exit code: 0 end to end, 1 a middlebox ends TCP, 2 cannot tell, 64 wrong usage.",
};

static void print_all(
    const struct mgc_path_evidence *evidence, const struct mgc_path_judgement *judgement)
{
    char text[128];
    printf(
        "%s from %s\n", evidence->address, evidence->source[0] ? evidence->source : "(no route)");
    for (size_t i = 0; i < evidence->count; i++)
        printf("  %s\n", mgc_path_probe_text(&evidence->probes[i], text, sizeof(text)));
    printf("%s: %s\n", mgc_path_verdict_name(judgement->verdict), mgc_path_reason(judgement));
}

static int check(const char *phone, const struct options *options, struct mgc_error *err)
{
    struct mgc_stop *stop = mgc_stop_on_signals(err);
    if (!stop)
        return MGC_PATH_CANNOT_TELL;
    struct mgc_path_request request = {
        .address = phone,
        .ports = options->ports.count ? options->ports.list : NULL,
        .port_count = options->ports.count,
        .timeout_ms = options->timeout_ms,
        .stop_fd = stop->read_fd,
    };
    struct mgc_path_evidence evidence;
    struct mgc_path_judgement judgement;
    if (!mgc_pathcheck_probe(&request, &evidence, err))
        return err->code == MGC_E_USAGE ? EXIT_USAGE : MGC_PATH_CANNOT_TELL;
    mgc_pathcheck_judge(&evidence, &judgement);
    print_all(&evidence, &judgement);
    return (int)judgement.verdict;
}

int main(int argc, char **argv)
{
    struct options options = {0};
    struct mgc_error err = {0};
    char **operands;
    int count, code = EXIT_USAGE;
    enum mgc_cli_outcome outcome =
        mgc_cli_parse_args(&cli, argc, argv, &options, &operands, &count, &err);
    if (outcome == MGC_CLI_HELP) {
        mgc_cli_print_help(&cli, stdout);
        return 0;
    }
    if (outcome == MGC_CLI_RUN && mgc_clock_plant_from_env(&err))
        code = check(operands[0], &options, &err);
    if (err.code != MGC_OK)
        fprintf(stderr, "mgpathcheck: %s\n", err.text);
    return code;
}
