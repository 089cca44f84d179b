/* mobilegl_trace_replay: the runner behind a command line (contract section 6). Exit code:
 * statusCode of the result; usage errors exit 2 as well. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "lab/knob/knob.h"
#include "lab/replay/runner.h"

/* The phone that it works with, of several: "tcp://ADDRESS:PORT". */
static void find_knobs(void)
{
    static const char scheme[] = "tcp://";
    const char *control = getenv("MOBILEGL_IPC_CONTROL");
    char address[64];
    if (!control || strncmp(control, scheme, strlen(scheme)) != 0)
        return;
    control += strlen(scheme);
    snprintf(address, sizeof(address), "%.*s", (int)strcspn(control, ":/"), control);
    mgl_knob_at(address);
}

int main(int argc, char **argv)
{
    static struct mgr_run run;
    static struct mgr_run_result result;
    struct mgc_error err = {0};
    if (!mgc_clock_plant_from_env(&err)) {
        fprintf(stderr, "mobilegl_trace_replay: %s\n", err.text);
        return MGR_STATUS_IO_ERROR;
    }
    switch (mgr_cli_parse(argc, argv, &run.options, &err)) {
    case MGC_CLI_HELP:
        mgr_cli_help(stderr);
        return 2; /* the contract's: the same as a usage error */
    case MGC_CLI_BAD:
        fprintf(stderr, "mobilegl_trace_replay: %s\n", err.text);
        return 2;
    case MGC_CLI_RUN:
        break;
    }
    find_knobs();
    mgr_runner_run(&run, &result);
    /* A client that was cut off while it wrote has nothing to say. */
    if (result.written || result.status != MGR_STATUS_OK)
        fprintf(result.passed ? stdout : stderr, "mobilegl_trace_replay: %s: %s\n",
            result.passed ? "passed" : "FAILED", result.message);
    return result.status;
}
