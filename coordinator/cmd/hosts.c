/* mgcoord hosts: asks the run that is on; without one, opens the endpoint for a moment and shows
 * who comes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/bus/loop.h"
#include "common/bus/server.h"
#include "common/plat/stop.h"
#include "coordinator/cmd/commands.h"
#include "coordinator/cmd/exit_code.h"
#include "coordinator/cmd/hosts_table.h"
#include "coordinator/cmd/options.h"
#include "coordinator/control/client.h"
#include "coordinator/control/holder.h"

/* Longer than an idle worker pauses between two attempts; it ends earlier when all are there. */
enum { WAIT_MS = 15000, OFFSET_LOOK_MS = 50 };

struct hosts_options {
    struct mgc_plan_options site;
    int64_t wait_ms;
    bool json;
};

struct look {
    struct mgc_hosts hosts;
    struct mgc_loop *loop;
    struct mgc_bus_server *server;
    struct mgc_stop *stop;
    bool interrupted;
};

static void look_again(void *user);

/* ---- what happens at the endpoint ---------------------------------------------------------- */

static void on_joined(
    void *user, const char *worker, uint64_t epoch, const struct mgc_msg_hello *hello)
{
    struct look *look = user;
    struct mgc_host_row *row = mgc_hosts_find(&look->hosts, worker);
    (void)epoch;
    if (!row)
        return;
    snprintf(row->host, sizeof(row->host), "%s", hello->host);
    snprintf(row->os, sizeof(row->os), "%s", hello->os);
    snprintf(row->build, sizeof(row->build), "%s", hello->build);
    mgc_host_row_leases(row, &hello->facts);
    if (row->state != MGC_HOST_WRONG_ROLE)
        row->state = MGC_HOST_READY;
    look_again(look);
}

static void on_lost(void *user, const char *worker, uint64_t epoch, const struct mgc_error *why)
{
    struct look *look = user;
    struct mgc_host_row *row = mgc_hosts_find(&look->hosts, worker);
    (void)epoch;
    (void)why;
    if (row && row->state == MGC_HOST_READY)
        row->state = MGC_HOST_LOST;
}

static void on_message(void *user, const char *worker, const struct mgc_msg *msg)
{
    (void)user;
    (void)worker;
    (void)msg; /* results of an earlier run stay with the worker: nothing here acknowledges them */
}

static void on_refused(void *user, const char *who, const struct mgc_error *why)
{
    (void)user;
    fprintf(stderr, "mgcoord: turned away: %s: %s\n", who, why->text);
}

/* Done when all are there and their clocks are known. */
static bool is_done(struct look *look)
{
    bool known = true;
    for (size_t i = 0; i < look->hosts.count; i++) {
        struct mgc_host_row *row = &look->hosts.rows[i];
        if (row->state != MGC_HOST_READY)
            continue;
        row->offset = mgc_bus_server_offset(look->server, row->name);
        known = known && row->offset.known;
    }
    return known && mgc_hosts_complete(&look->hosts);
}

/* A clock becomes known by pings, of which the bus tells nobody: look a few times. */
static void look_again(void *user)
{
    struct look *look = user;
    if (is_done(look)) {
        mgc_loop_quit(look->loop);
    } else if (mgc_hosts_complete(&look->hosts)) {
        int64_t due_ns = mgc_deadline_in_ms(OFFSET_LOOK_MS);
        mgc_loop_add_timer(look->loop, due_ns, look_again, look);
    }
}

static void on_timeout(void *user)
{
    struct look *look = user;
    is_done(look); /* reads the clocks */
    mgc_loop_quit(look->loop);
}

static void on_stop(void *user)
{
    struct look *look = user;
    look->interrupted = true;
    mgc_loop_quit(look->loop);
}

/* ---- during a run: the coordinator knows ------------------------------------------------------
 */

/* False with MGC_E_NOT_FOUND: no run is on. */
static bool ask_run(
    struct mgc_hosts *hosts, const struct mgc_site *site, bool quiet, struct mgc_error *err)
{
    struct mgc_control_client run;
    char who[MGC_RUN_ID_SIZE + 64];
    if (!mgc_control_open(&run, site->results, err))
        return false;
    json_t *answer = mgc_control_ask(&run, MGC_CONTROL_HOSTS, err);
    bool ok = answer && mgc_hosts_take(hosts, answer, err);
    json_decref(answer);
    mgc_run_note_name(&run.run, who, sizeof(who));
    if (ok && !quiet)
        printf("%s is on; its workers:\n\n", who);
    mgc_control_close(&run);
    return ok;
}

/* ---- the command --------------------------------------------------------------------------- */

static bool open_endpoint(struct look *look, const struct mgc_site *site,
    const struct mgc_keyring *keys, struct mgc_error *err)
{
    static const struct mgc_bus_server_ops ops = {
        .joined = on_joined, .lost = on_lost, .message = on_message, .refused = on_refused};
    char where[128];
    struct mgc_bus_server_config config = {
        .endpoint = site->bind,
        .keys = keys,
        .run_id = "",
        .build = MGC_VERSION,
        .heartbeat_ms = site->heartbeat_ms,
        .silence_ms = site->silence_ms,
        .coordinator = where,
    };
    mgc_holder_where(where, sizeof(where));
    look->stop = mgc_stop_on_signals(err);
    look->loop = look->stop ? mgc_loop_new(err) : NULL;
    look->server = look->loop ? mgc_bus_server_new(look->loop, &config, &ops, look, err) : NULL;
    if (look->loop && !look->server)
        mgc_holder_explain(site->bind, err);
    return look->server && mgc_loop_add_fd(look->loop, look->stop->read_fd, on_stop, look, err);
}

static bool watch(struct look *look, const struct mgc_site *site, const struct mgc_keyring *keys,
    int64_t wait_ms, struct mgc_error *err)
{
    bool ok = open_endpoint(look, site, keys, err);
    if (ok && !mgc_loop_add_timer(look->loop, mgc_deadline_in_ms(wait_ms), on_timeout, look))
        ok = mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a timer");
    ok = ok && mgc_loop_run(look->loop, err);
    mgc_bus_server_free(look->server);
    mgc_loop_free(look->loop);
    return ok;
}

static int print(const struct mgc_hosts *hosts, bool as_json)
{
    struct mgc_buf out = {0};
    if (as_json) {
        json_t *doc = mgc_hosts_to_json(hosts);
        char *text = doc ? json_dumps(doc, JSON_INDENT(2)) : NULL;
        if (text)
            mgc_buf_printf(&out, "%s\n", text);
        free(text);
        json_decref(doc);
    } else {
        struct mgc_buf advice = {0};
        mgc_hosts_print(hosts, &out);
        mgc_hosts_advise(hosts, false, &advice);
        if (advice.len)
            mgc_buf_printf(&out, "\n%s", mgc_buf_text(&advice));
        mgc_buf_destroy(&advice);
    }
    bool ok = mgc_buf_ok(&out) && out.len && fputs(mgc_buf_text(&out), stdout) >= 0 &&
              fflush(stdout) == 0;
    mgc_buf_destroy(&out);
    if (!ok)
        fprintf(stderr, "mgcoord: could not write the output\n");
    return ok ? MGC_EXIT_OK : MGC_EXIT_INFRASTRUCTURE;
}

static int run(const struct hosts_options *options, const struct mgc_site *site)
{
    struct mgc_keyring keys;
    struct mgc_error err = {0};
    struct look look = {0};
    if (!mgc_keyring_load(site->keys, &keys, &err)) {
        if (err.code == MGC_E_NOT_FOUND)
            mgc_error_set(&err, MGC_E_CONFIG,
                "no keys in %s: expected those that `mgcoord keys init` makes", site->keys);
        return mgc_cmd_fail(&err);
    }
    int exit_code;
    bool ok =
        mgc_hosts_init(&look.hosts, site, &keys, &err) &&
        (ask_run(&look.hosts, site, options->json, &err) ||
            (err.code == MGC_E_NOT_FOUND && watch(&look, site, &keys, options->wait_ms, &err)));
    if (!ok)
        exit_code = mgc_cmd_fail(&err);
    else {
        exit_code = print(&look.hosts, options->json);
        if (look.interrupted)
            exit_code = MGC_EXIT_INTERRUPTED;
        else if (!mgc_hosts_complete(&look.hosts))
            exit_code = MGC_EXIT_INFRASTRUCTURE;
    }
    mgc_hosts_destroy(&look.hosts);
    mgc_keyring_destroy(&keys);
    return exit_code;
}

int mgc_cmd_hosts(int argc, char **argv)
{
    static const struct mgc_cli_option rows[] = {
        MGC_SITE_OPTION(struct hosts_options, site),
        {"wait", 'w', "TIME", "how long to wait for the workers (default: 15s)",
            mgc_cli_duration_ms, offsetof(struct hosts_options, wait_ms)},
        {"json", 'j', NULL, "as JSON", mgc_cli_flag, offsetof(struct hosts_options, json)},
        {0},
    };
    static const struct mgc_cli cli = {.program = "mgcoord hosts",
        .synopsis = "[options]",
        .summary = "Show which workers are there, what they are and how far their clocks are off: "
                   "as the run that is on sees them, else by opening the endpoint for a moment, "
                   "until all that the site declares are there. Exit 3 when one is not.",
        .options = rows};
    struct hosts_options options = {.wait_ms = WAIT_MS};
    char **operands;
    int count, exit_code = mgc_cmd_parse(&cli, argc, argv, &options, &operands, &count);
    if (exit_code >= 0)
        return exit_code;
    struct mgc_site site;
    exit_code = mgc_site_options_load(&options.site, &site);
    if (exit_code != MGC_EXIT_OK)
        return exit_code;
    exit_code = run(&options, &site);
    mgc_site_destroy(&site);
    return exit_code;
}
