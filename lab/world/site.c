#include "lab/world/site.h"

#include <inttypes.h>

#include "lab/world/hosts.h"

/* A path in YAML's single quotes, where only the quote itself is special. */
static void put_path(struct mgc_buf *out, const char *key, const char *dir, const char *name)
{
    mgc_buf_printf(out, "%s: '", key);
    for (const char *c = dir; *c != '\0'; c++) {
        mgc_buf_putc(out, *c);
        if (*c == '\'')
            mgc_buf_putc(out, '\'');
    }
    mgc_buf_printf(out, "%s%s'\n", name[0] != '\0' ? "/" : "", name);
}

static void put_liveness(struct mgc_buf *out, const struct mgc_lab_site *site)
{
    if (site->heartbeat_ms == 0 && site->silence_ms == 0)
        return;
    mgc_buf_puts(out, "liveness:\n");
    if (site->heartbeat_ms != 0)
        mgc_buf_printf(out, "  heartbeat_ms: %" PRId64 "\n", site->heartbeat_ms);
    if (site->silence_ms != 0)
        mgc_buf_printf(out, "  silence_ms: %" PRId64 "\n", site->silence_ms);
}

static void put_workloads(struct mgc_buf *out, const struct mgc_lab_site *site)
{
    mgc_buf_puts(out, "workloads:\n");
    for (size_t i = 0; i < site->fixtures->count; i++) {
        const struct mgc_lab_workload *workload = &site->fixtures->items[i];
        mgc_buf_printf(out, "  %s:\n", workload->name);
        put_path(out, "    trace", site->layout->fixtures, workload->trace);
        put_path(out, "    golden", site->layout->fixtures, workload->golden);
        put_path(out, "    host_trace", site->layout->fixtures, workload->trace);
        put_path(out, "    host_golden", site->layout->fixtures, workload->golden);
        mgc_buf_printf(out, "    frames: %" PRId64 "\n", workload->frames);
    }
}

static void put_workers(struct mgc_buf *out, const struct mgc_lab_roster *roster)
{
    mgc_buf_puts(out, "workers:\n");
    for (int i = 1; i <= roster->pairs; i++) {
        struct mgc_lab_pair pair;
        mgc_lab_roster_pair(roster, i, &pair);
        mgc_buf_printf(out, "  %s:\n    role: host\n  %s:\n    role: wsl\n", pair.host, pair.wsl);
    }
}

static void put_phone(
    struct mgc_buf *out, const struct mgc_lab_phone *phone, const char *indent, bool sink)
{
    mgc_buf_printf(out,
        "%sserial: \"%s\"\n"
        "%saddress: %s\n"
        "%sport: %d\n",
        indent, phone->adb, indent, phone->address, indent, phone->port);
    if (sink)
        mgc_buf_printf(out, "%ssink_port: %d\n", indent, phone->sink_port);
    mgc_buf_printf(out, "%spackage: top.mobilegl.plugin.trace\n", indent);
}

static void put_phones(struct mgc_buf *out, const struct mgc_lab_roster *roster)
{
    bool several = mgc_lab_roster_several(roster);
    mgc_buf_puts(out, several ? "phones:\n" : "phone:\n");
    for (int i = 1; i <= roster->phones; i++) {
        struct mgc_lab_phone phone;
        struct mgc_lab_pair pair;
        mgc_lab_roster_phone(roster, i, &phone);
        mgc_lab_roster_pair(roster, phone.pair, &pair);
        if (several)
            mgc_buf_printf(out, "  %s:\n", phone.name);
        put_phone(out, &phone, several ? "    " : "  ", several);
        if (several)
            mgc_buf_printf(out, "    host: %s\n    wsl: %s\n", pair.host, pair.wsl);
    }
}

bool mgc_lab_site_print(const struct mgc_lab_site *site, struct mgc_buf *out)
{
    const struct mgc_lab_roster *roster = site->roster;
    mgc_buf_puts(out, "# Written by mglab at every start; edit a copy.\nsite: lab\n");
    put_path(out, "results", site->layout->results, "");
    mgc_buf_printf(out, "bind: tcp://%s:%d\n", roster->loopback ? "127.0.0.1" : "0.0.0.0",
        mgc_lab_roster_bus_port(roster));
    put_path(out, "keys", site->layout->keys, "");
    put_workers(out, roster);
    put_liveness(out, site);
    put_phones(out, roster);
    mgc_buf_puts(out, roster->loopback ? "route:\n  mode: none\n"
                                       : "route:\n  gateway: " MGC_LAB_GATEWAY_LAN "\n"
                                         "  interface: eth0\n");
    mgc_buf_puts(out, "replay:\n");
    put_path(out, "  client", site->client, "");
    put_path(out, "  library", site->library, "");
    put_workloads(out, site);
    return mgc_buf_ok(out);
}
