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

bool mgc_lab_site_print(const struct mgc_lab_site *site, struct mgc_buf *out)
{
    mgc_buf_puts(out, "# Written by mglab at every start; edit a copy.\nsite: lab\n");
    put_path(out, "results", site->layout->results, "");
    mgc_buf_printf(
        out, "bind: tcp://%s:%d\n", site->loopback ? "127.0.0.1" : "0.0.0.0", MGC_LAB_BUS_PORT);
    put_path(out, "keys", site->layout->keys, "");
    mgc_buf_puts(out, "workers:\n"
                      "  host:\n"
                      "    role: host\n"
                      "  wsl:\n"
                      "    role: wsl\n");
    put_liveness(out, site);
    mgc_buf_printf(out,
        "phone:\n"
        "  serial: \"%s:%d\"\n"
        "  address: %s\n"
        "  port: %d\n"
        "  package: top.mobilegl.plugin.trace\n"
        "route:\n",
        site->loopback ? "127.0.0.1" : MGC_LAB_PHONE_USB, MGC_LAB_ADB_PORT,
        site->loopback ? "127.0.0.1" : MGC_LAB_PHONE_WLAN, MGC_LAB_SERVICE_PORT);
    mgc_buf_puts(out, site->loopback ? "  mode: none\n"
                                     : "  gateway: " MGC_LAB_GATEWAY_LAN "\n"
                                       "  interface: eth0\n");
    mgc_buf_puts(out, "replay:\n");
    put_path(out, "  client", site->client, "");
    put_path(out, "  library", site->library, "");
    put_workloads(out, site);
    return mgc_buf_ok(out);
}
