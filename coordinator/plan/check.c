#include "coordinator/plan/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/plan/lane.h"
#include "coordinator/plan/phones.h"

/* ---- required keys ------------------------------------------------------------------------- */

/* Where the section stands, or the file when it is missing as a whole. */
static const char *place(const struct mgc_settings *settings, const char *section, const char *file)
{
    const struct mgc_section *found = *section ? mgc_settings_section(settings, section) : NULL;
    return found ? found->origin : file;
}

static bool is_bad(const struct mgc_settings *settings, const char *section)
{
    const struct mgc_section *found = mgc_settings_section(settings, section);
    return found && found->bad;
}

static void report_missing(const struct mgc_schema_row *row, const char *key, const char *where,
    struct mgc_problems *problems)
{
    char hint[100] = "";
    if (row->env && !strstr(row->env, "{}"))
        snprintf(hint, sizeof(hint), " (or set %s)", row->env);
    mgc_problem_add(problems, "%s: %s is missing: expected %s%s", where, key,
        row->expected ? row->expected : mgc_value_kind_name(row->kind), hint);
}

/* "workers.*.role": in every section that stands in a file. */
static void check_each(const struct mgc_schema_row *row, const struct mgc_settings *settings,
    struct mgc_problems *problems)
{
    const char *star = strchr(row->key, '*');
    size_t len = (size_t)(star - row->key);
    for (size_t i = 0; i < settings->section_count; i++) {
        const struct mgc_section *section = &settings->sections[i];
        if (section->bad || strncmp(section->key, row->key, len) != 0 ||
            strchr(section->key + len, '.'))
            continue;
        char key[MGC_KEY_PATH_MAX];
        snprintf(key, sizeof(key), "%s%s", section->key, star + 1);
        if (!mgc_settings_get(settings, key))
            report_missing(row, key, section->origin, problems);
    }
}

static bool lane_needs(const struct mgc_schema_row *row, const struct mgc_settings *settings)
{
    char name[64];
    for (const char *at = row->lane; at && *at; at += strspn(at, ", ")) {
        size_t len = strcspn(at, ",");
        snprintf(name, sizeof(name), "%.*s", (int)len, at);
        if (mgc_lane_in_plan(settings, name))
            return true;
        at += len;
    }
    return false;
}

void mgc_check_required(const struct mgc_schema *schema, const char *file,
    const struct mgc_settings *settings, struct mgc_problems *problems)
{
    bool named = mgc_phones_named(settings);
    for (size_t i = 0; i < schema->count; i++) {
        const struct mgc_schema_row *row = &schema->rows[i];
        if (!row->required && !lane_needs(row, settings))
            continue;
        if (named && strncmp(row->key, "phone.", 6) == 0) /* each of them has its own */
            continue;
        if (strchr(row->key, '*')) {
            check_each(row, settings, problems);
        } else if (!mgc_settings_get(settings, row->key)) {
            char section[MGC_KEY_PATH_MAX] = "";
            const char *dot = strrchr(row->key, '.');
            if (dot)
                snprintf(section, sizeof(section), "%.*s", (int)(dot - row->key), row->key);
            if (!is_bad(settings, section))
                report_missing(row, row->key, place(settings, section, file), problems);
        }
    }
}

/* ---- keys together ------------------------------------------------------------------------- */

/* NULL also for a value that was complained about already. */
static const struct mgc_setting *good(const struct mgc_settings *settings, const char *key)
{
    const struct mgc_setting *setting = mgc_settings_get(settings, key);
    return setting && !setting->bad ? setting : NULL;
}

/* One worker per role is what a run uses; another one would be ignored without a word. Of phones
 * with names each has its own. */
static void check_role(const char *role, const char *file, const struct mgc_settings *settings,
    struct mgc_problems *problems)
{
    const struct mgc_setting *first = NULL;
    bool named = mgc_phones_named(settings);
    bool unknown = is_bad(settings, "workers"); /* may have been meant as this one */
    for (size_t i = 0; i < settings->count; i++) {
        const struct mgc_setting *setting = &settings->items[i];
        if (strcmp(setting->row->key, "workers.*.role") != 0)
            continue;
        unknown |= setting->bad;
        if (strcmp(setting->text, role) != 0)
            continue;
        if (first && !named)
            mgc_problem_add(problems, "%s: %s: expected one worker with role %s, %s has it already",
                setting->origin, setting->key, role, first->key);
        else
            first = setting;
    }
    if (!first && !unknown)
        mgc_problem_add(problems,
            "%s: workers has none with role %s: expected one, as in workers: {%s: {role: %s}}",
            place(settings, "workers", file), role, role, role);
}

static void check_liveness(const struct mgc_settings *settings, struct mgc_problems *problems)
{
    const struct mgc_setting *heartbeat = good(settings, "liveness.heartbeat_ms");
    const struct mgc_setting *silence = good(settings, "liveness.silence_ms");
    if (heartbeat && silence && silence->integer < 2 * heartbeat->integer)
        mgc_problem_add(problems,
            "%s: liveness.silence_ms: expected at least twice heartbeat_ms (%lld), got %lld",
            silence->rank == MGC_RANK_BUILT_IN ? heartbeat->origin : silence->origin,
            (long long)heartbeat->integer, (long long)silence->integer);
}

/* Required or not, depending on lane and route.mode, which the table cannot say. */
static void check_gateway(
    const char *file, const struct mgc_settings *settings, struct mgc_problems *problems)
{
    const struct mgc_schema_row *row = mgc_schema_find(&mgc_schema_site, "route.gateway");
    bool routed = mgc_lane_in_plan(settings, "crosshost") || mgc_lane_in_plan(settings, "netbench");
    if (!routed || !mgc_site_routes(settings) || mgc_settings_get(settings, row->key) ||
        is_bad(settings, "route"))
        return;
    report_missing(row, row->key, place(settings, "route", file), problems);
}

static void check_addresses(const struct mgc_settings *settings, struct mgc_problems *problems)
{
    const struct mgc_setting *phone = good(settings, "phone.address");
    const struct mgc_setting *gateway = good(settings, "route.gateway");
    if (phone && gateway && strcmp(phone->text, gateway->text) == 0)
        mgc_problem_add(problems,
            "%s: route.gateway: expected another address than phone.address, got '%s' for both",
            gateway->origin, gateway->text);
}

/* "tcp://127.0.0.1:40613" and the phone's own port on the same machine, as in a lab on loopback. */
static void check_bind(const struct mgc_settings *settings, struct mgc_problems *problems)
{
    static const char *const keys[] = {"phone.port", "phone.sink_port"};
    const struct mgc_setting *bind = good(settings, "bind");
    const struct mgc_setting *phone = good(settings, "phone.address");
    const char *colon = bind ? strrchr(bind->text, ':') : NULL;
    if (!colon || !phone)
        return;
    const char *host = bind->text + strlen("tcp://");
    bool same = (size_t)(colon - host) == strlen(phone->text) &&
                strncmp(host, phone->text, strlen(phone->text)) == 0;
    for (size_t i = 0; same && i < 2; i++) {
        const struct mgc_setting *port = good(settings, keys[i]);
        if (port && strtoll(colon + 1, NULL, 10) == port->integer)
            mgc_problem_add(problems, "%s: bind: expected another port than %s (%s), got %lld",
                bind->origin, port->key, port->origin, (long long)port->integer);
    }
}

static void check_workloads(const struct mgc_bench *bench, const struct mgc_settings *settings,
    struct mgc_problems *problems)
{
    static const char prefix[] = "workloads.";
    for (size_t i = 0; i < settings->section_count; i++) {
        const struct mgc_section *section = &settings->sections[i];
        if (strncmp(section->key, prefix, sizeof(prefix) - 1) != 0)
            continue;
        const char *name = section->key + sizeof(prefix) - 1;
        if (mgc_bench_workload(bench, name))
            continue;
        struct mgc_buf known = {0};
        for (size_t w = 0; w < bench->workload_count; w++)
            mgc_buf_printf(&known, "%s%s", w ? ", " : "", bench->workloads[w].name);
        mgc_problem_add(problems, "%s: workloads: unknown workload '%s', expected one of: %s",
            section->origin, name, mgc_buf_text(&known));
        mgc_buf_destroy(&known);
    }
}

/* The name that a key has where its row has the star. */
static const char *name_in(const struct mgc_setting *setting, char ret_name[64])
{
    size_t before = strcspn(setting->row->key, "*");
    const char *name = setting->key + before;
    snprintf(ret_name, 64, "%.*s", (int)strcspn(name, "."), name);
    return ret_name;
}

/* Keys that came without a section of a file, or name a workload elsewhere: --set
 * workloads.NAME.trace, workload_reps.NAME, shorten.NAME. */
static void check_workload_keys(const struct mgc_bench *bench, const struct mgc_settings *settings,
    struct mgc_problems *problems)
{
    char name[64];
    for (size_t i = 0; i < settings->count; i++) {
        const struct mgc_setting *setting = &settings->items[i];
        const char *row = setting->row->key;
        bool own = strncmp(row, "workloads.*", 11) == 0 && setting->rank == MGC_RANK_COMMAND_LINE;
        bool of_lane = strstr(row, ".workload_reps.*") || strstr(row, ".shorten.*");
        if ((!own && !of_lane) || mgc_bench_workload(bench, name_in(setting, name)))
            continue;
        mgc_problem_add(
            problems, "%s: %s: unknown workload '%s'", setting->origin, setting->key, name);
    }
}

/* Nobody's address: "any", or a group's. (A phone on loopback is one of a lab.) */
static void check_phone(const struct mgc_settings *settings, struct mgc_problems *problems)
{
    const struct mgc_setting *phone = good(settings, "phone.address");
    int first = -1;
    if (phone && sscanf(phone->text, "%d.", &first) == 1 && (first == 0 || first >= 224))
        mgc_problem_add(problems, "%s: phone.address: expected the address of one phone, got '%s'",
            phone->origin, phone->text);
}

/* A relative path would mean another file in every directory from which a run is started. */
void mgc_check_notify(const struct mgc_settings *settings, struct mgc_problems *problems)
{
    const struct mgc_setting *notify = good(settings, "notify");
    const char *program = notify && notify->item_count ? notify->items[0] : NULL;
    if (program && program[0] != '/' && strchr(program, '/'))
        mgc_problem_add(problems,
            "%s: notify: expected a program's name or an absolute path first, got '%.100s'",
            notify->origin, program);
}

void mgc_check_site(const struct mgc_bench *bench, const char *file,
    const struct mgc_settings *settings, struct mgc_problems *problems)
{
    check_role(mgc_role_name(MGC_ROLE_HOST), file, settings, problems);
    if (mgc_lane_in_plan(settings, "crosshost"))
        check_role(mgc_role_name(MGC_ROLE_WSL), file, settings, problems);
    check_liveness(settings, problems);
    check_gateway(file, settings, problems);
    check_addresses(settings, problems);
    check_workloads(bench, settings, problems);
    check_workload_keys(bench, settings, problems);
    check_phone(settings, problems);
    check_bind(settings, problems);
}
