/* `mgcoord run --lab`: the same command once more, inside a lab that mglab builds around it. */
#ifndef MGC_CMD_IN_LAB_H
#define MGC_CMD_IN_LAB_H

#include <stdbool.h>

#include "common/cli/cli.h"

struct mgc_lab_options {
    bool wanted;
    const char *state;             /* NULL: mglab's own */
    const char *frames_divisor;    /* NULL: whole traces; checked by mglab */
    const char *phones, *pairs;    /* how many; NULL: one; checked by mglab */
    bool loopback;                 /* without networks of its own */
    const char *link;              /* profile; NULL: mglab's own choice; checked by mglab */
    struct mgc_cli_strings faults; /* NAME[=VALUE]; checked by mglab */
};

/* Replaces this process by `mglab run ... -- mgcoord run ...` with argv less the lab options.
 * Returns, with an exit code, only when that cannot be started. */
int mgc_run_in_lab(const struct mgc_lab_options *lab, int argc, char **argv);

#endif
