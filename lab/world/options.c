#include "lab/world/options.h"

#include <stdio.h>
#include <string.h>

#include "lab/link/profile.h"
#include "lab/world/roster.h"

#define OPTION(field) offsetof(struct mgc_lab_run_options, field)

enum { IDLE_LIMIT_MS = 2 * 3600 * 1000 };

static const struct mgc_cli_range divisors = {1, 1000};
static const struct mgc_cli_range counts = {1, 1000};
static const struct mgc_cli_range exit_codes = {1, 125};
static const struct mgc_cli_range periods = {1, 3600000};

static bool parse_link(const char *text, void *field, const void *arg, struct mgc_error *err)
{
    const struct mgc_lab_link_named *named = mgc_lab_link_profile_find(text);
    if (named == NULL && strcmp(text, "none") != 0)
        return mgc_error_set(err, MGC_E_USAGE,
            "there is no link profile \"%s\"; expected ethernet, fast-ethernet, wifi, bad-wifi, "
            "wan40 or none",
            text);
    *(const char **)field = named != NULL ? named->name : NULL;
    return true;
}

/* Of both commands. clang-format off: a macro of rows is read best as rows. */
/* clang-format off */
#define LAB_ROWS \
    {"state", 0, "DIR", "keep the lab's files here (default: $XDG_STATE_HOME/mglab/default)", \
        mgc_cli_string, OPTION(state), NULL}, \
    {"bin", 0, "DIR", \
        "where the programs are: an install or build directory (default: where " \
        "mglab itself is)", \
        mgc_cli_string, OPTION(bin), NULL}, \
    {"fault", 0, "[PHONE.]NAME[=VALUE]", "set a fault knob before anything starts; may be repeated", \
        mgc_cli_list, OPTION(faults), NULL}, \
    {"link", 0, "PROFILE", \
        "the link between gateway and phone: ethernet (default), fast-ethernet, wifi, bad-wifi, wan40, or none " \
        "for a plain cable; --fault link-delay-ms=N and link-rate-mbit=N change it", \
        parse_link, OPTION(link), NULL}, \
    {"frames-divisor", 0, "N", "shorten the workloads of the site file to a Nth of their frames", \
        mgc_cli_int, OPTION(frames_divisor), &divisors}, \
    {"heartbeat-ms", 0, "N", "liveness.heartbeat_ms of the site file (default: the product's)", \
        mgc_cli_int, OPTION(heartbeat_ms), &periods}, \
    {"silence-ms", 0, "N", "liveness.silence_ms of the site file (default: the product's)", \
        mgc_cli_int, OPTION(silence_ms), &periods}, \
    {"phone-latency", 0, "NAME", "what adb and am cost on the phone: none (default), usb or wifi", \
        mgc_cli_string, OPTION(phone_latency), NULL}, \
    {"loopback", 0, NULL, "no namespaces: everything on 127.0.0.1, no route, link and proxy", \
        mgc_cli_flag, OPTION(loopback), NULL}, \
    {"phones", 0, "N", "phones p1 to pN on one network (default: one, without a name)", \
        mgc_cli_int, OPTION(phones), &counts}, \
    {"pairs", 0, "M", \
        "worker pairs host1, wsl1 to hostM, wslM for them (default: one); phone i is with pair " \
        "((i-1) mod M)+1", \
        mgc_cli_int, OPTION(pairs), &counts}, \
    {"no-workers", 0, NULL, "no fixtures, keys, site file and workers", mgc_cli_flag, \
        OPTION(no_workers), NULL}, \
    {"no-phone", 0, NULL, "no mgphone in the phone host", mgc_cli_flag, OPTION(no_phone), NULL}
/* clang-format on */

static const struct mgc_cli_option rows[] = {LAB_ROWS,
    {"interrupted-code", 0, "N",
        "for a COMMAND that handles SIGINT, SIGTERM and SIGHUP: they wait until it unblocks them, "
        "and one that comes before it runs ends the lab with exit code N (default: 128 + its "
        "number)",
        mgc_cli_int, OPTION(interrupted_code), &exit_codes},
    {0}};

static const struct mgc_cli_option up_rows[] = {LAB_ROWS,
    {"idle-limit", 0, "DURATION",
        "end the lab when nobody used it for so long (default: 2h; 0: never)", mgc_cli_duration_ms,
        OPTION(idle_limit_ms), NULL},
    {0}};

const struct mgc_cli mgc_lab_run_cli = {
    .program = "mglab run",
    .synopsis = "[options] -- COMMAND...",
    .summary = "Build a world without hardware, run COMMAND in its wsl host, leave nothing.",
    .options = rows,
    .min_operands = 1,
    .max_operands = -1,
    .notes = "COMMAND finds the lab's directory in MGLAB_STATE and the site file in MGLAB_SITE and "
             "MGCOORD_SITE.\n"
             "The exit code is COMMAND's; 125 when the lab could not be built, 126 when COMMAND "
             "could not be run, 127 when it was not found.",
};

const struct mgc_cli mgc_lab_up_cli = {
    .program = "mglab up",
    .synopsis = "[options]",
    .summary = "Build a world without hardware and leave it running in the background.",
    .options = up_rows,
    .notes =
        "Use it with mglab exec, shell, fault, status and kill; end it with mglab down. In use "
        "is a lab while a command or shell of these is in it, and whenever it is asked "
        "something. "
        "The exit code is 0 when it runs, 125 when it could not be built.",
};

enum mgc_cli_outcome mgc_lab_run_parse(int argc, char **argv,
    struct mgc_lab_run_options *ret_options, char ***ret_command, struct mgc_error *err)
{
    int count = 0;
    *ret_options = (struct mgc_lab_run_options){
        .frames_divisor = 1, .link = "ethernet", .phones = 1, .pairs = 1};
    enum mgc_cli_outcome outcome =
        mgc_cli_parse_args(&mgc_lab_run_cli, argc, argv, ret_options, ret_command, &count, err);
    if (outcome == MGC_CLI_RUN)
        (*ret_command)[count] = NULL; /* operands are gathered in front of the options */
    return outcome;
}

enum mgc_cli_outcome mgc_lab_up_parse(
    int argc, char **argv, struct mgc_lab_run_options *ret_options, struct mgc_error *err)
{
    char **operands;
    int count = 0;
    *ret_options = (struct mgc_lab_run_options){.frames_divisor = 1,
        .link = "ethernet",
        .idle_limit_ms = IDLE_LIMIT_MS,
        .phones = 1,
        .pairs = 1};
    return mgc_cli_parse_args(&mgc_lab_up_cli, argc, argv, ret_options, &operands, &count, err);
}

bool mgc_lab_run_faults(const struct mgc_lab_run_options *options, struct mgc_lab_fault *ret_faults,
    size_t max, size_t *ret_count, struct mgc_error *err)
{
    if (options->faults.count > max)
        return mgc_error_set(err, MGC_E_USAGE, "--fault: at most %zu can be given", max);
    for (size_t i = 0; i < options->faults.count; i++) {
        if (!mgc_lab_fault_parse(options->faults.items[i], &ret_faults[i], err))
            return mgc_error_prefix(err, "--fault");
    }
    *ret_count = options->faults.count;
    return true;
}

bool mgc_lab_run_latency(const struct mgc_lab_run_options *options, struct mgc_error *err)
{
    char text[MGC_LAB_FAULT_VALUE_MAX + 32];
    struct mgc_lab_fault fault;
    if (options->phone_latency == NULL)
        return true;
    /* The knob of the same name knows the profiles. */
    int len = snprintf(text, sizeof text, "phone-latency=%s", options->phone_latency);
    return (len < (int)sizeof text && mgc_lab_fault_parse(text, &fault, NULL)) ||
           mgc_error_set(err, MGC_E_USAGE, "--phone-latency %.40s: expected none, usb or wifi",
               options->phone_latency);
}

bool mgc_lab_run_roster(const struct mgc_lab_run_options *options,
    struct mgc_lab_roster *ret_roster, struct mgc_error *err)
{
    struct mgc_lab_roster roster = {(int)options->phones, (int)options->pairs, options->loopback};
    if (!mgc_lab_roster_check(&roster, err))
        return false;
    *ret_roster = roster;
    return true;
}
