/* mgcoord keys init|add|list|revoke: who may talk to the coordinator. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/bus/keys.h"
#include "common/json/json.h"
#include "coordinator/cmd/commands.h"
#include "coordinator/cmd/exit_code.h"
#include "coordinator/cmd/options.h"
#include "coordinator/control/client.h"

struct keys_options {
    struct mgc_plan_options site;
    const char *keys;
    const char *role;
    struct mgc_cli_strings addresses;
    const char *out;
    bool json;
};

#define KEYS_OPTION                                                                                \
    {                                                                                              \
        "keys", 'k', "DIR", "key directory (default: the site's)", mgc_cli_string,                 \
            offsetof(struct keys_options, keys)                                                    \
    }

/* Nothing a person could write is an infrastructure failure: a name that is taken, a directory that
 * is not there. */
static int fail(struct mgc_error *err)
{
    if (err->code == MGC_E_EXISTS || err->code == MGC_E_NOT_FOUND)
        err->code = MGC_E_USAGE;
    return mgc_cmd_fail(err);
}

/* --keys, else the site's. The string is borrowed from options or *ret_site, which is the caller's
 * to destroy either way. */
static int find_dir(
    const struct keys_options *options, struct mgc_site *ret_site, const char **ret_dir)
{
    *ret_site = (struct mgc_site){0};
    *ret_dir = options->keys;
    if (*ret_dir)
        return MGC_EXIT_OK;
    int exit_code = mgc_site_options_load(&options->site, ret_site);
    if (exit_code != MGC_EXIT_OK)
        fprintf(stderr, "mgcoord: or say which key directory: --keys DIR\n");
    else
        *ret_dir = ret_site->keys;
    return exit_code;
}

/* ---- init ---------------------------------------------------------------------------------- */

static int init(int argc, char **argv)
{
    static const struct mgc_cli_option rows[] = {
        KEYS_OPTION, MGC_SITE_OPTION(struct keys_options, site), {0}};
    static const struct mgc_cli cli = {.program = "mgcoord keys init",
        .synopsis = "[options]",
        .summary = "Make the key directory with the coordinator's own key pair.",
        .options = rows};
    struct keys_options options = {0};
    struct mgc_site site;
    struct mgc_error err = {0};
    const char *dir;
    char **operands;
    int count, exit_code = mgc_cmd_parse(&cli, argc, argv, &options, &operands, &count);
    if (exit_code >= 0)
        return exit_code;
    exit_code = find_dir(&options, &site, &dir);
    if (exit_code == MGC_EXIT_OK) {
        if (mgc_keys_init(dir, &err))
            printf("keys in %s; next: mgcoord keys add NAME\n", dir);
        else
            exit_code = fail(&err);
    }
    mgc_site_destroy(&site);
    return exit_code;
}

/* ---- add ----------------------------------------------------------------------------------- */

struct new_worker {
    const char *role;
    const char *const *addresses;
    size_t address_count;
};

static bool site_worker(
    const struct mgc_site *site, const char *name, const struct mgc_site_worker **ret_worker)
{
    for (size_t i = 0; i < site->worker_count; i++) {
        if (strcmp(site->workers[i].name, name) == 0) {
            *ret_worker = &site->workers[i];
            return true;
        }
    }
    return false;
}

/* Command line first, then the site's entry; its bind address is where a worker on this machine
 * finds the coordinator. */
static bool complete(const struct keys_options *options, const struct mgc_site *site,
    const char *name, struct new_worker *ret_worker, struct mgc_error *err)
{
    const struct mgc_site_worker *declared = NULL;
    bool known = site_worker(site, name, &declared);
    *ret_worker = (struct new_worker){.role = options->role,
        .addresses = options->addresses.items,
        .address_count = options->addresses.count};
    if (!ret_worker->role && known)
        ret_worker->role = mgc_role_name(declared->role);
    if (!ret_worker->role)
        return mgc_error_set(err, MGC_E_USAGE,
            "role of '%s' is not known: expected --role host or --role wsl, or the worker in the "
            "site",
            name);
    if (ret_worker->address_count == 0 && known && declared->address_count) {
        ret_worker->addresses = declared->addresses;
        ret_worker->address_count = declared->address_count;
    } else if (ret_worker->address_count == 0 && site->bind) {
        ret_worker->addresses = &site->bind;
        ret_worker->address_count = 1;
    }
    return ret_worker->address_count ||
           mgc_error_set(err, MGC_E_USAGE,
               "address of the coordinator is not known: expected --address tcp://HOST:PORT");
}

static int add_with_site(
    const struct keys_options *options, const char *name, const struct mgc_site *site)
{
    char out[MGC_NAME_SIZE + 8];
    struct mgc_error err = {0};
    struct new_worker worker;
    if (!complete(options, site, name, &worker, &err))
        return fail(&err);
    snprintf(out, sizeof(out), "%.63s.enrol", name);
    const char *path = options->out ? options->out : out;
    const char *dir = options->keys ? options->keys : site->keys;
    if (!mgc_keys_add(dir, name, worker.role, worker.addresses, worker.address_count, path, &err))
        return fail(&err);
    printf("%s may connect as %s; give its worker the file %s (it holds a secret key)\n", name,
        worker.role, path);
    return MGC_EXIT_OK;
}

static int add(int argc, char **argv)
{
    static const char *const roles[] = {"host", "wsl", NULL};
    static const struct mgc_cli_option rows[] = {
        KEYS_OPTION,
        MGC_SITE_OPTION(struct keys_options, site),
        {"role", 'r', "host|wsl", "what the worker does (default: as the site says)",
            mgc_cli_choice, offsetof(struct keys_options, role), roles},
        {"address", 'a', "tcp://HOST:PORT",
            "where the worker finds the coordinator, in the order to try; may be repeated "
            "(default: as the site says)",
            mgc_cli_list, offsetof(struct keys_options, addresses)},
        {"out", 'o', "FILE", "enrolment file for the worker (default: NAME.enrol)", mgc_cli_string,
            offsetof(struct keys_options, out)},
        {0},
    };
    static const struct mgc_cli cli = {.program = "mgcoord keys add",
        .synopsis = "[options] NAME",
        .summary = "Make a key pair for a worker: its public half into the key directory, all it "
                   "needs into one file.",
        .options = rows,
        .min_operands = 1,
        .max_operands = 1};
    struct keys_options options = {0};
    char **operands;
    int count, exit_code = mgc_cmd_parse(&cli, argc, argv, &options, &operands, &count);
    if (exit_code >= 0)
        return exit_code;
    struct mgc_site site = {0};
    bool complete_already = options.keys && options.role && options.addresses.count > 0;
    exit_code = complete_already ? MGC_EXIT_OK : mgc_site_options_load(&options.site, &site);
    if (exit_code == MGC_EXIT_OK)
        exit_code = add_with_site(&options, operands[0], &site);
    else
        fprintf(stderr, "mgcoord: or say it all: --keys DIR --role ROLE --address ADDRESS\n");
    mgc_site_destroy(&site);
    return exit_code;
}

/* ---- list ---------------------------------------------------------------------------------- */

static void print_ring(const struct mgc_keyring *ring)
{
    printf("%-20s %-5s %-8s %s\n", "WORKER", "ROLE", "STATE", "PUBLIC KEY");
    for (size_t i = 0; i < ring->count; i++) {
        const struct mgc_worker_key *key = &ring->workers[i];
        printf("%-20s %-5s %-8s %s\n", key->name, key->role, key->revoked ? "revoked" : "active",
            key->public_key);
    }
}

static int print_ring_json(const struct mgc_keyring *ring)
{
    json_t *array = json_array();
    for (size_t i = 0; i < ring->count; i++) {
        const struct mgc_worker_key *key = &ring->workers[i];
        json_array_append_new(array,
            json_pack("{s:s, s:s, s:s, s:s}", "worker", key->name, "role", key->role, "state",
                key->revoked ? "revoked" : "active", "public_key", key->public_key));
    }
    char *text = json_array_size(array) == ring->count ? json_dumps(array, JSON_INDENT(2)) : NULL;
    json_decref(array);
    if (!text) {
        fprintf(stderr, "mgcoord: no memory for the output\n");
        return MGC_EXIT_INFRASTRUCTURE;
    }
    puts(text);
    free(text);
    return MGC_EXIT_OK;
}

static int list(int argc, char **argv)
{
    static const struct mgc_cli_option rows[] = {
        KEYS_OPTION,
        MGC_SITE_OPTION(struct keys_options, site),
        {"json", 'j', NULL, "as JSON", mgc_cli_flag, offsetof(struct keys_options, json)},
        {0},
    };
    static const struct mgc_cli cli = {.program = "mgcoord keys list",
        .synopsis = "[options]",
        .summary = "List the workers that have a key.",
        .options = rows};
    struct keys_options options = {0};
    struct mgc_site site;
    struct mgc_error err = {0};
    struct mgc_keyring ring;
    const char *dir;
    char **operands;
    int count, exit_code = mgc_cmd_parse(&cli, argc, argv, &options, &operands, &count);
    if (exit_code >= 0)
        return exit_code;
    exit_code = find_dir(&options, &site, &dir);
    if (exit_code == MGC_EXIT_OK && !mgc_keyring_load(dir, &ring, &err)) {
        exit_code = fail(&err);
    } else if (exit_code == MGC_EXIT_OK) {
        if (options.json)
            exit_code = print_ring_json(&ring);
        else
            print_ring(&ring);
        mgc_keyring_destroy(&ring);
    }
    mgc_site_destroy(&site);
    return exit_code;
}

/* ---- revoke -------------------------------------------------------------------------------- */

/* Half done: say which half. */
static int fail_untold(const char *name, struct mgc_error *err)
{
    mgc_error_prefix(err,
        "the key of '%s' is revoked on disk, but the run that is on was not told and its session "
        "may go on (end it with 'mgcoord cancel')",
        name);
    return fail(err);
}

/* The run that is on hears of it at once: a key that is no longer trusted must not go on working
 * until somebody starts the next run. */
static int tell_run(const char *name, const char *results)
{
    struct mgc_control_client run;
    struct mgc_error err = {0};
    char who[MGC_RUN_ID_SIZE + 64];
    if (!mgc_control_open(&run, results, &err)) {
        if (err.code != MGC_E_NOT_FOUND)
            return fail_untold(name, &err);
        printf("%s is refused from now on; no run is on\n", name);
        return MGC_EXIT_OK;
    }
    json_t *answer = mgc_control_ask(&run, MGC_CONTROL_KEYS, &err);
    mgc_run_note_name(&run.run, who, sizeof(who));
    mgc_control_close(&run);
    if (!answer)
        return fail_untold(name, &err);
    bool ended = json_array_size(json_object_get(answer, "ended")) > 0;
    printf("%s is refused from now on; %s took note%s\n", name, who,
        ended ? " and ended its session" : "");
    json_decref(answer);
    return MGC_EXIT_OK;
}

/* With --keys alone there may be no site, and then nobody knows where a run could be. */
static int revoke_and_tell(
    const struct keys_options *options, const struct mgc_site *site, const char *dir, char *name)
{
    struct mgc_error err = {0};
    struct mgc_site found = {0};
    if (!mgc_keys_revoke(dir, name, &err))
        return fail(&err);
    const char *results = site->results;
    if (!results && mgc_site_options_try(&options->site, &found))
        results = found.results;
    int exit_code = MGC_EXIT_OK;
    if (results)
        exit_code = tell_run(name, results);
    else
        printf("%s is refused from the next run on; a run that is on now was not told, since no "
               "site says where it is (--site FILE)\n",
            name);
    mgc_site_destroy(&found);
    return exit_code;
}

static int revoke(int argc, char **argv)
{
    static const struct mgc_cli_option rows[] = {
        KEYS_OPTION, MGC_SITE_OPTION(struct keys_options, site), {0}};
    static const struct mgc_cli cli = {.program = "mgcoord keys revoke",
        .synopsis = "[options] NAME",
        .summary = "Refuse a worker's key from now on; a run that is on ends its session. The key "
                   "stays in the directory, marked, so that its name is not taken again by "
                   "mistake.",
        .options = rows,
        .min_operands = 1,
        .max_operands = 1};
    struct keys_options options = {0};
    struct mgc_site site;
    const char *dir;
    char **operands;
    int count, exit_code = mgc_cmd_parse(&cli, argc, argv, &options, &operands, &count);
    if (exit_code >= 0)
        return exit_code;
    exit_code = find_dir(&options, &site, &dir);
    if (exit_code == MGC_EXIT_OK)
        exit_code = revoke_and_tell(&options, &site, dir, operands[0]);
    mgc_site_destroy(&site);
    return exit_code;
}

int mgc_cmd_keys(int argc, char **argv)
{
    static const struct mgc_cli_command commands[] = {
        {"init", "make the key directory and the coordinator's key", init},
        {"add", "make a key for a worker and its enrolment file", add},
        {"list", "list the workers that have a key", list},
        {"revoke", "refuse a worker's key from now on", revoke},
        {0},
    };
    return mgc_cli_dispatch(
        "mgcoord keys", "Manage who may connect.", MGC_VERSION, commands, argc, argv);
}
