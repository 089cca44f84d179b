/* mgcoord cancel: what Ctrl-C does, from elsewhere. */
#include <stdio.h>

#include "coordinator/cmd/commands.h"
#include "coordinator/cmd/exit_code.h"
#include "coordinator/cmd/options.h"
#include "coordinator/control/client.h"

struct cancel_options {
    struct mgc_plan_options site;
};

static int cancel(const struct mgc_site *site)
{
    struct mgc_control_client run;
    struct mgc_error err = {0};
    char who[MGC_RUN_ID_SIZE + 64];
    if (!mgc_control_open(&run, site->results, &err))
        return mgc_cmd_fail(&err);
    json_t *answer = mgc_control_ask(&run, MGC_CONTROL_CANCEL, &err);
    mgc_run_note_name(&run.run, who, sizeof(who));
    mgc_control_close(&run);
    if (!answer)
        return mgc_cmd_fail(&err);
    json_decref(answer);
    printf("%s cancels, undoes and reports; `mgcoord watch` shows how\n", who);
    return MGC_EXIT_OK;
}

int mgc_cmd_cancel(int argc, char **argv)
{
    static const struct mgc_cli_option rows[] = {MGC_SITE_OPTION(struct cancel_options, site), {0}};
    static const struct mgc_cli cli = {.program = "mgcoord cancel",
        .synopsis = "[options]",
        .summary = "End the run that is on in the site's results directory, as Ctrl-C does: its "
                   "tasks are cancelled, what they changed is undone, the report is written. Does "
                   "not wait for that. Exit 3 when no run is on.",
        .options = rows};
    struct cancel_options options = {0};
    struct mgc_site site;
    char **operands;
    int count, exit_code = mgc_cmd_parse(&cli, argc, argv, &options, &operands, &count);
    if (exit_code >= 0)
        return exit_code;
    exit_code = mgc_site_options_load(&options.site, &site);
    if (exit_code != MGC_EXIT_OK)
        return exit_code;
    exit_code = cancel(&site);
    mgc_site_destroy(&site);
    return exit_code;
}
