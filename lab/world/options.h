/* Command lines of `mglab run` and `mglab up`. Pure, apart from looking nothing up. */
#ifndef MGC_LAB_OPTIONS_H
#define MGC_LAB_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/cli/cli.h"
#include "lab/world/faults.h"

struct mgc_lab_run_options {
    const char *state;
    const char *bin;
    const char *link; /* a profile's name; NULL: a plain cable */
    struct mgc_cli_strings faults;
    int64_t frames_divisor;
    int64_t heartbeat_ms;
    int64_t silence_ms;
    const char *phone_latency;
    bool loopback;
    int64_t phones, pairs;
    bool no_workers;
    bool no_phone;
    int64_t idle_limit_ms;    /* of up; 0: none */
    int64_t interrupted_code; /* of run; 0: 128 and the number of the signal */
};

extern const struct mgc_cli mgc_lab_run_cli;

/* Fill *ret_options with defaults, then from argv. On MGC_CLI_RUN *ret_command is the command,
 * ended by NULL, borrowed from argv. */
enum mgc_cli_outcome mgc_lab_run_parse(int argc, char **argv,
    struct mgc_lab_run_options *ret_options, char ***ret_command, struct mgc_error *err);

extern const struct mgc_cli mgc_lab_up_cli;
enum mgc_cli_outcome mgc_lab_up_parse(
    int argc, char **argv, struct mgc_lab_run_options *ret_options, struct mgc_error *err);

/* MGC_E_USAGE when --phone-latency names no profile. */
bool mgc_lab_run_latency(const struct mgc_lab_run_options *options, struct mgc_error *err);

struct mgc_lab_roster; /* roster.h */
/* MGC_E_USAGE when there are too many phones or pairs. */
bool mgc_lab_run_roster(const struct mgc_lab_run_options *options,
    struct mgc_lab_roster *ret_roster, struct mgc_error *err);

/* At most max; MGC_E_USAGE on a bad one. */
bool mgc_lab_run_faults(const struct mgc_lab_run_options *options, struct mgc_lab_fault *ret_faults,
    size_t max, size_t *ret_count, struct mgc_error *err);

#endif
