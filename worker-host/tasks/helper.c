/* host.helper: the device program on the phone, for its shell and for the apps' users, while it
 * holds.
 *
 *   look what is there -> journal what is not -> push -> prove, copy, let it say its version ->
 * hold
 *
 * A file that was there before stays afterwards. Nothing runs between the tasks that use it: each
 * starts it over a stream of its own (worker-host/helper/).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "worker-host/adb/devices.h"
#include "worker-host/adb/quote.h"
#include "worker-host/adb/shell.h"
#include "worker-host/adb/sync.h"
#include "worker-host/tasks/helper_place.h"
#include "worker-host/tasks/installed.h"
#include "worker-host/tasks/server_why.h"

#define UNDO_KIND "helper.remove"

enum { LOOK_MS = 20000, PUSH_MS = 60000, UNDO_MS = 20000, UNDO_READY_MS = 5000, SHOWN_MAX = 200 };

const struct mgc_param mgc_host_helper_params[] = {
    {"serial", MGC_PARAM_STRING, true, 1, 127, mgc_host_check_serial, "adb serial of the phone"},
    {"packages", MGC_PARAM_STRING, false, 3, 4096, mgc_host_check_packages,
        "apps whose users run it, joined by commas"},
    {"required", MGC_PARAM_BOOL, false, 0, 0, NULL,
        "default true; false: hold without it where it cannot be had, and say why"},
    {"optional", MGC_PARAM_BOOL, false, 0, 0, NULL,
        "default false; true: packages that are not installed are passed over"},
    {"device_timeout_ms", MGC_PARAM_INT, false, 1, 600000, NULL, "time for a phone to come back"},
    {0},
};

struct bringing {
    struct mgc_task *task; /* borrowed */
    const char *serial;
    struct mgc_helper_programs programs;
    const struct mgc_helper_program *program; /* of these: the phone's */
    struct mgc_helper_places places;
};

static bool run_script(struct bringing *bringing, const struct mgc_buf *script,
    struct mgc_adb_result *result, struct mgc_error *err)
{
    struct mgc_adb_wait wait = mgc_host_wait(bringing->task, LOOK_MS);
    return mgc_adb_run(mgc_host_adb(bringing->task), bringing->serial, mgc_buf_text(script), NULL,
        &wait, result, err);
}

static bool no_memory(struct mgc_error *err)
{
    return mgc_error_set(err, MGC_E_NO_MEMORY, "host.helper: no memory");
}

static bool has_no_program(const struct bringing *bringing, struct mgc_error *err)
{
    if (mgc_task_bool_or(bringing->task, "required", true))
        mgc_server_why(bringing->task, "no-helper");
    return mgc_error_prefix(err, "device %s", bringing->serial);
}

/* The first place is the shell's. */
static void pass_over_missing(struct bringing *bringing)
{
    struct mgc_helper_places *places = &bringing->places;
    size_t kept = 1;
    for (size_t i = 1; i < places->count; i++)
        if (!mgc_host_is_missing(bringing->task, places->items[i].package))
            places->items[kept++] = places->items[i];
    places->count = kept;
}

/* What the phone is, and where it has the program already. */
static bool look(struct bringing *bringing, struct mgc_error *err)
{
    struct mgc_buf script = {0};
    struct mgc_adb_result result = {0};
    bool ok = (mgc_helper_look_script(&script, &bringing->places, &bringing->programs) ||
                  no_memory(err)) &&
              run_script(bringing, &script, &result, err);
    if (ok) {
        const char *text = mgc_buf_text(&result.out);
        mgc_helper_look_read(&bringing->places, text, &bringing->programs, NULL);
        bringing->program = mgc_helper_program_for(&bringing->programs, bringing->places.abi, err);
        ok = bringing->program || has_no_program(bringing, err);
    }
    if (ok)
        mgc_helper_look_read(&bringing->places, mgc_buf_text(&result.out), &bringing->programs,
            bringing->program->abi);
    mgc_adb_result_destroy(&result);
    mgc_buf_destroy(&script);
    return ok;
}

static bool journal(struct bringing *bringing, uint64_t *ret_entry, struct mgc_error *err)
{
    const struct mgc_helper_places *places = &bringing->places;
    struct mgc_fields before = {0};
    struct mgc_buf packages = {0};
    for (size_t i = 1; i < places->count; i++)
        if (!places->items[i].there)
            mgc_buf_printf(&packages, "%s%s", packages.len ? "," : "", places->items[i].package);
    bool ok = (mgc_buf_ok(&packages) && mgc_fields_set_str(&before, "serial", bringing->serial) &&
                  mgc_fields_set_str(&before, "name", bringing->program->name) &&
                  mgc_fields_set_bool(&before, "shell", !places->items[0].there) &&
                  mgc_fields_set_str(&before, "packages", mgc_buf_text(&packages))) ||
              no_memory(err);
    ok = ok && mgc_task_journal(bringing->task, UNDO_KIND, &before, ret_entry, err);
    mgc_buf_destroy(&packages);
    mgc_fields_destroy(&before);
    return ok;
}

static bool push(struct bringing *bringing, struct mgc_error *err)
{
    char remote[128];
    struct mgc_adb_transfer transfer;
    struct mgc_adb_sync_options options = {.mode = 0755};
    struct mgc_adb_wait wait = mgc_host_wait(bringing->task, PUSH_MS);
    snprintf(remote, sizeof(remote), MGC_HELPER_SHELL_DIR "/%s", bringing->program->name);
    return mgc_adb_push(mgc_host_adb(bringing->task), bringing->serial, bringing->program->local,
        remote, &options, &wait, &transfer, err);
}

/* In every place, or the first that is wrong in a sentence. */
static bool judge(const struct bringing *bringing, struct mgc_error *err)
{
    for (size_t i = 0; i < bringing->places.count; i++) {
        const struct mgc_helper_place_state *place = &bringing->places.items[i];
        const char *package = place->package;
        if (place->runs)
            continue;
        enum mgc_code code = strstr(place->said, "No space left") ? MGC_E_NO_SPACE : MGC_E_FAILED;
        mgc_error_set(err, code, "device %s: %s does not run as %s: %s", bringing->serial,
            bringing->program->name, package[0] ? package : "shell",
            place->said[0] ? place->said : "it said nothing");
        return package[0] ? mgc_host_installed_or(bringing->task, package, err) : false;
    }
    return true;
}

static bool install(struct bringing *bringing, struct mgc_error *err)
{
    struct mgc_buf script = {0};
    struct mgc_adb_result result = {0};
    bool ok = (mgc_helper_install_script(&script, &bringing->places, bringing->program) ||
                  no_memory(err)) &&
              run_script(bringing, &script, &result, err);
    if (ok) {
        mgc_helper_install_read(&bringing->places, mgc_buf_text(&result.out));
        ok = judge(bringing, err);
    }
    mgc_adb_result_destroy(&result);
    mgc_buf_destroy(&script);
    return ok;
}

static bool bring(struct bringing *bringing, uint64_t *ret_entry, struct mgc_error *err)
{
    mgc_helper_programs_find(&bringing->programs);
    if (mgc_task_bool_or(bringing->task, "optional", false))
        pass_over_missing(bringing);
    return look(bringing, err) && journal(bringing, ret_entry, err) &&
           (bringing->places.items[0].there || push(bringing, err)) && install(bringing, err);
}

static bool add_facts(struct bringing *bringing, struct mgc_error *err)
{
    struct mgc_fields *facts = mgc_task_facts(bringing->task);
    const struct mgc_helper_program *program = bringing->program;
    bool ok = mgc_fields_setf(facts, "path", MGC_HELPER_SHELL_DIR "/%s", program->name) &&
              mgc_fields_set_str(facts, "abi", bringing->places.abi) &&
              mgc_fields_set_str(facts, "sha256", program->sha256) &&
              mgc_fields_set_bool(facts, "pushed", !bringing->places.items[0].there);
    return ok || no_memory(err);
}

/* Not required: the tasks that would use it go their slower way, and this says why. A phone or an
 * app that is not there they need as well. */
static bool do_without(struct mgc_task *task, struct mgc_error *err)
{
    if (mgc_task_bool_or(task, "required", true) || mgc_task_stopped(task) ||
        err->code == MGC_E_LOST || mgc_fields_get(mgc_task_facts(task), MGC_SERVER_FACT_FAILURE))
        return false;
    bool ok = mgc_fields_set_str(mgc_task_facts(task), "unavailable", err->text);
    mgc_error_clear(err);
    return ok || no_memory(err);
}

bool mgc_host_helper_run(struct mgc_task *task, struct mgc_error *err)
{
    struct mgc_error local = {0};
    struct mgc_error *why = err ? err : &local;
    struct bringing *bringing = calloc(1, sizeof(*bringing));
    uint64_t entry = 0;
    if (!bringing)
        return no_memory(why);
    bringing->task = task;
    bringing->serial = mgc_task_str(task, "serial");
    mgc_helper_places_fill(&bringing->places, mgc_task_str(task, "packages"));
    bool ok = mgc_host_device_ready(task, why);
    if (ok)
        ok = (bring(bringing, &entry, why) && add_facts(bringing, why)) || do_without(task, why);
    free(bringing);
    ok = ok && mgc_task_hold(task, mgc_task_facts(task), why);
    return mgc_host_done(task, ok, why);
}

bool mgc_host_helper_undo(const struct mgc_fields *before, void *worker, struct mgc_error *err)
{
    const struct mgc_host_worker *host = worker;
    const char *serial = mgc_fields_get_str(before, "serial");
    const char *name = mgc_fields_get_str(before, "name");
    const char *packages = mgc_fields_get_str(before, "packages");
    bool shell = false;
    char said[SHOWN_MAX];
    struct mgc_buf script = {0};
    struct mgc_adb_result result = {0};
    struct mgc_adb_wait wait = {mgc_deadline_in_ms(UNDO_MS), -1};
    struct mgc_adb_wait ready = mgc_adb_wait_ms(&wait, UNDO_READY_MS);
    struct mgc_value value = {.type = MGC_VALUE_STRING, .string = (char *)packages};
    if (!serial || !name || !mgc_fields_get_bool(before, "shell", &shell) ||
        !mgc_adb_check_serial(serial, err) || !mgc_path_is_safe(name) ||
        (packages && *packages && !mgc_host_check_packages(&value, err)))
        return mgc_error_set(err, MGC_E_FAILED, "undo of " UNDO_KIND ": the entry is not complete");
    bool ok = mgc_helper_remove_script(&script, name, shell, packages) || no_memory(err);
    ok = ok && mgc_adb_device_ready(host->adb, serial, &ready, err) &&
         mgc_adb_run(host->adb, serial, mgc_buf_text(&script), NULL, &wait, &result, err);
    if (ok && result.exit_code != 0)
        ok = mgc_error_set(err, MGC_E_FAILED, "device %s: code %d: %s", serial, result.exit_code,
            mgc_adb_wire_shown(mgc_buf_text(&result.err), said, sizeof(said)));
    mgc_adb_result_destroy(&result);
    mgc_buf_destroy(&script);
    return ok || mgc_error_prefix(err, "remove the device program");
}
