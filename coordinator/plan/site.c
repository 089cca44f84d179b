#include "coordinator/plan/site.h"

#include <stdlib.h>
#include <string.h>

#include "coordinator/plan/phones.h"

static const char *text(const struct mgc_site *site, const char *key)
{
    return mgc_setting_text(mgc_settings_get(&site->settings, key));
}

static int64_t number(const struct mgc_site *site, const char *key)
{
    return mgc_setting_int(mgc_settings_get(&site->settings, key), 0);
}

bool mgc_site_routes(const struct mgc_settings *settings)
{
    const char *mode = mgc_setting_text(mgc_settings_get(settings, "route.mode"));
    return !mode || strcmp(mode, "none") != 0;
}

static void fill_plain(struct mgc_site *site)
{
    site->name = text(site, "site");
    site->results = text(site, "results");
    site->bind = text(site, "bind");
    site->keys = text(site, "keys");
    site->heartbeat_ms = number(site, "liveness.heartbeat_ms");
    site->silence_ms = number(site, "liveness.silence_ms");
    site->phone.serial = text(site, "phone.serial");
    site->phone.address = text(site, "phone.address");
    site->phone.port = number(site, "phone.port");
    site->phone.package = text(site, "phone.package");
    site->route.handled = mgc_site_routes(&site->settings);
    site->route.gateway = text(site, "route.gateway");
    site->route.interface = text(site, "route.interface");
    site->replay.client = text(site, "replay.client");
    site->replay.library = text(site, "replay.library");
}

static int compare_workers(const void *a, const void *b)
{
    const struct mgc_site_worker *one = a, *other = b;
    return strcmp(one->name, other->name);
}

static bool fill_workers(struct mgc_site *site)
{
    static const char prefix[] = "workers.";
    const struct mgc_settings *settings = &site->settings;
    site->workers = calloc(settings->section_count + 1, sizeof(*site->workers));
    if (!site->workers)
        return false;
    for (size_t i = 0; i < settings->section_count; i++) {
        const char *key = settings->sections[i].key;
        if (strncmp(key, prefix, sizeof(prefix) - 1) != 0)
            continue;
        struct mgc_site_worker *worker = &site->workers[site->worker_count++];
        worker->name = key + sizeof(prefix) - 1;
        const char *role = mgc_setting_text(mgc_settings_getf(settings, "%s.role", key));
        worker->role = role && strcmp(role, "wsl") == 0 ? MGC_ROLE_WSL : MGC_ROLE_HOST;
        const struct mgc_setting *addresses = mgc_settings_getf(settings, "%s.addresses", key);
        worker->addresses = addresses ? (const char *const *)addresses->items : NULL;
        worker->address_count = addresses ? addresses->item_count : 0;
        worker->parallel =
            (size_t)mgc_setting_int(mgc_settings_getf(settings, "%s.parallel", key), 1);
    }
    qsort(site->workers, site->worker_count, sizeof(*site->workers), compare_workers);
    return true;
}

/* In the order of the file. */
static bool fill_phone_names(struct mgc_site *site)
{
    const struct mgc_settings *settings = &site->settings;
    site->phone_names = calloc(settings->section_count + 1, sizeof(*site->phone_names));
    for (size_t i = 0; site->phone_names && i < settings->section_count; i++) {
        const char *name = mgc_phones_name(&settings->sections[i]);
        if (name)
            site->phone_names[site->phone_name_count++] = name;
    }
    return site->phone_names;
}

static bool fill_workloads(struct mgc_site *site, const struct mgc_bench *bench)
{
    site->workloads = calloc(bench->workload_count, sizeof(*site->workloads));
    if (!site->workloads)
        return false;
    for (size_t i = 0; i < bench->workload_count; i++) {
        const struct mgc_settings *settings = &site->settings;
        const char *name = bench->workloads[i].name;
        site->workloads[site->workload_count++] = (struct mgc_site_workload){
            .name = name,
            .bench = &bench->workloads[i],
            .trace = mgc_setting_text(mgc_settings_getf(settings, "workloads.%s.trace", name)),
            .golden = mgc_setting_text(mgc_settings_getf(settings, "workloads.%s.golden", name)),
            .host_trace =
                mgc_setting_text(mgc_settings_getf(settings, "workloads.%s.host_trace", name)),
            .host_golden =
                mgc_setting_text(mgc_settings_getf(settings, "workloads.%s.host_golden", name)),
            .frames = mgc_setting_int(mgc_settings_getf(settings, "workloads.%s.frames", name), 0),
            .target_call =
                mgc_setting_int(mgc_settings_getf(settings, "workloads.%s.target_call", name), 0),
            .timeout_ms =
                mgc_setting_int(mgc_settings_getf(settings, "workloads.%s.timeout", name), 0),
        };
    }
    return true;
}

bool mgc_site_fill(struct mgc_site *ret_site, struct mgc_settings *settings,
    const struct mgc_bench *bench, struct mgc_error *err)
{
    struct mgc_site site = {.settings = *settings};
    *settings = (struct mgc_settings){0};
    fill_plain(&site);
    if (!fill_workers(&site) || !fill_phone_names(&site) || !fill_workloads(&site, bench)) {
        mgc_site_destroy(&site);
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the site");
    }
    *ret_site = site;
    return true;
}

void mgc_site_destroy(struct mgc_site *site)
{
    if (!site)
        return;
    free(site->workers);
    free(site->phone.name);
    free(site->phone_names);
    free(site->workloads);
    free(site->file);
    mgc_settings_destroy(&site->settings);
    *site = (struct mgc_site){0};
}

const struct mgc_site_workload *mgc_site_workload(const struct mgc_site *site, const char *name)
{
    for (size_t i = 0; i < site->workload_count; i++) {
        if (strcmp(site->workloads[i].name, name) == 0)
            return &site->workloads[i];
    }
    return NULL;
}

const struct mgc_site_worker *mgc_site_worker(const struct mgc_site *site, enum mgc_role role)
{
    for (size_t i = 0; i < site->worker_count; i++) {
        if (site->workers[i].role == role)
            return &site->workers[i];
    }
    return NULL;
}
