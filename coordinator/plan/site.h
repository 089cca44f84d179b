/* The bench on which a plan runs: hosts, phone, addresses, files, as the settings say.
 *
 * The site owns the settings; strings are borrowed from them, arrays are owned. Written once by
 * mgc_plan_load, then only read.
 */
#ifndef MGC_PLAN_SITE_H
#define MGC_PLAN_SITE_H

#include "coordinator/plan/bench.h"
#include "coordinator/plan/plan.h"
#include "coordinator/plan/settings.h"

struct mgc_site_worker {
    const char *name; /* as in the key directory */
    enum mgc_role role;
    const char *const *addresses; /* where it dials; count may be 0: the site's bind */
    size_t address_count;
    size_t parallel; /* of a wsl worker: how many cells that cross hosts it measures at a time */
};

struct mgc_site_workload {
    const char *name;
    const struct mgc_bench_workload *bench;
    const char *trace;  /* path on the WSL worker's machine; NULL when not given */
    const char *golden; /* as trace */
    const char *host_trace, *host_golden; /* the same on the host worker's machine; may be NULL */
    int64_t frames;
    int64_t target_call;
    int64_t timeout_ms; /* of one run of the client */
};

struct mgc_site {
    struct mgc_settings settings; /* of site and plan, with origins; for run.json and plan show */
    char *file;                   /* owned: where the site was read from */

    const char *name;
    const char *results; /* directory here; may not exist yet */
    const char *bind;    /* "tcp://127.0.0.1:40700" */
    const char *keys;    /* directory here */
    int64_t heartbeat_ms, silence_ms;

    struct mgc_site_worker *workers; /* sorted by name */
    size_t worker_count;

    struct {
        char *name; /* owned; NULL: the site's only phone has none, or the site was loaded alone */
        size_t of;  /* phones of the site, this one among them */
        const char *serial;
        const char *address; /* IPv4 */
        int64_t port;
        const char *package;
    } phone;
    const char **phone_names; /* of a site that was loaded alone: those its phones have; owned */
    size_t phone_name_count;
    struct {
        bool handled;        /* false: no route is touched, the rest is unused */
        const char *gateway; /* IPv4 */
        const char *interface;
    } route;
    struct {
        const char *client; /* paths on the WSL worker's machine */
        const char *library;
    } replay;

    struct mgc_site_workload *workloads; /* those of the bench, in its order */
    size_t workload_count;
};

/* Fill from settings that are complete (mgc_check_required); takes them over, also on failure. */
bool mgc_site_fill(struct mgc_site *ret_site, struct mgc_settings *settings,
    const struct mgc_bench *bench, struct mgc_error *err);
/* Whether route.mode says that routes are handled. */
bool mgc_site_routes(const struct mgc_settings *settings);
void mgc_site_destroy(struct mgc_site *site); /* takes NULL and zeroed */

const struct mgc_site_workload *mgc_site_workload(const struct mgc_site *site, const char *name);
/* The declared worker with that role, NULL when there is none. */
const struct mgc_site_worker *mgc_site_worker(const struct mgc_site *site, enum mgc_role role);

#endif
