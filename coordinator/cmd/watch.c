/* mgcoord watch: what the run that is on says of itself, until it is over. */
#include <stdio.h>
#include <string.h>

#include "common/plat/stop.h"
#include "coordinator/cmd/commands.h"
#include "coordinator/cmd/exit_code.h"
#include "coordinator/cmd/options.h"
#include "coordinator/cmd/screen.h"
#include "coordinator/control/client.h"
#include "coordinator/progress/status.h"

struct watch_options {
    struct mgc_plan_options site;
    bool json, once;
};

struct watch {
    const struct watch_options *options;
    struct mgc_control_client run;
    struct mgc_stop *stop;
    struct mgc_screen screen;
};

static bool is_important(const char *event)
{
    return strcmp(event, "note") == 0 || strcmp(event, "waiting") == 0 ||
           strcmp(event, "verdict") == 0;
}

static bool print_json(const json_t *doc, struct mgc_error *err)
{
    bool ok =
        json_dumpf(doc, stdout, JSON_COMPACT) == 0 && putchar('\n') != EOF && fflush(stdout) == 0;
    return ok || mgc_error_set(err, MGC_E_IO, "could not write the output");
}

/* Of phones with names: a line each. */
static void print_phones(const json_t *phones)
{
    const char *name;
    json_t *one;
    struct mgc_status status;
    json_object_foreach((json_t *)phones, name, one)
    {
        struct mgc_buf line = {0};
        bool over = json_is_true(json_object_get(one, "over"));
        if (mgc_status_from_json(one, &status))
            mgc_status_line(&status, 0, &line);
        printf("%s: %s%s\n", name, over ? "over; " : "", mgc_buf_text(&line));
        mgc_buf_destroy(&line);
    }
}

static void show_event(struct watch *watch, const json_t *doc)
{
    char line[2048];
    const char *phone = json_string_value(json_object_get(doc, "phone"));
    const char *event = json_string_value(json_object_get(doc, "event"));
    const char *text = json_string_value(json_object_get(doc, "text"));
    const char *dir = json_string_value(json_object_get(doc, "dir"));
    struct mgc_status status;
    if (strcmp(event, "over") == 0) {
        mgc_screen_close(&watch->screen);
        printf("the run is over%s%s%s\n", dir ? "; report: " : "", dir ? dir : "",
            dir ? "/REPORT.md" : "");
    } else if (mgc_status_from_json(json_object_get(doc, "status"), &status)) {
        if (phone && text) {
            snprintf(line, sizeof(line), "%s: %s", phone, text);
            text = line;
        }
        mgc_screen_event(&watch->screen, text, is_important(event), &status);
    }
}

/* True: go on. */
static bool take_event(struct watch *watch, bool *ret_over, struct mgc_error *err)
{
    json_t *doc = mgc_control_next(&watch->run, watch->stop->read_fd, err);
    if (!doc)
        return false;
    const char *event = json_string_value(json_object_get(doc, "event"));
    *ret_over = event && strcmp(event, "over") == 0;
    bool ok = true;
    if (watch->options->json)
        ok = print_json(doc, err);
    else if (event)
        show_event(watch, doc);
    json_decref(doc);
    return ok;
}

static bool begin(struct watch *watch, struct mgc_error *err)
{
    json_t *doc = mgc_control_ask(&watch->run, MGC_CONTROL_WATCH, err);
    if (!doc)
        return false;
    struct mgc_status status;
    struct mgc_buf line = {0};
    char who[MGC_RUN_ID_SIZE + 64];
    bool ok = true;
    mgc_run_note_name(&watch->run.run, who, sizeof(who));
    if (watch->options->json) {
        ok = print_json(doc, err);
    } else if (mgc_status_from_json(json_object_get(doc, "status"), &status)) {
        mgc_status_line(&status, 0, &line);
        printf("%s: %s\n", who, mgc_buf_text(&line));
        print_phones(json_object_get(doc, "phones"));
        fflush(stdout);
    }
    mgc_buf_destroy(&line);
    json_decref(doc);
    return ok;
}

static bool follow(struct watch *watch, struct mgc_error *err)
{
    bool over = watch->options->once, ok = true;
    mgc_screen_open(&watch->screen, stderr, mgc_screen_is_terminal(stderr) && !over);
    while (ok && !over)
        ok = take_event(watch, &over, err);
    mgc_screen_close(&watch->screen);
    return ok;
}

static int run(const struct watch_options *options, const struct mgc_site *site)
{
    struct watch watch = {.options = options};
    struct mgc_error err = {0};
    watch.stop = mgc_stop_on_signals(&err);
    if (!watch.stop || !mgc_control_open(&watch.run, site->results, &err))
        return mgc_cmd_fail(&err);
    bool ok = begin(&watch, &err) && follow(&watch, &err);
    mgc_control_close(&watch.run);
    return ok ? MGC_EXIT_OK : mgc_cmd_fail(&err);
}

int mgc_cmd_watch(int argc, char **argv)
{
    static const struct mgc_cli_option rows[] = {
        MGC_SITE_OPTION(struct watch_options, site),
        {"json", 'j', NULL, "one JSON object per line", mgc_cli_flag,
            offsetof(struct watch_options, json)},
        {"once", '1', NULL, "only how far it is now", mgc_cli_flag,
            offsetof(struct watch_options, once)},
        {0},
    };
    static const struct mgc_cli cli = {.program = "mgcoord watch",
        .synopsis = "[options]",
        .summary = "Follow the run that is on in the site's results directory until it is over. "
                   "Ending it does not touch the run. Exit 3 when no run is on, or it ended "
                   "without a word.",
        .options = rows};
    struct watch_options options = {0};
    struct mgc_site site;
    char **operands;
    int count, exit_code = mgc_cmd_parse(&cli, argc, argv, &options, &operands, &count);
    if (exit_code >= 0)
        return exit_code;
    exit_code = mgc_site_options_load(&options.site, &site);
    if (exit_code != MGC_EXIT_OK)
        return exit_code;
    exit_code = run(&options, &site);
    mgc_site_destroy(&site);
    return exit_code;
}
