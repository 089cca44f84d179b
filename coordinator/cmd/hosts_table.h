/* What `mgcoord hosts` knows of each worker, and how it is printed. Pure. */
#ifndef MGC_CMD_HOSTS_TABLE_H
#define MGC_CMD_HOSTS_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/buf.h"
#include "common/bus/keys.h"
#include "common/bus/server.h"
#include "common/json/json.h"
#include "coordinator/plan/site.h"

enum mgc_host_state {
    MGC_HOST_ABSENT,     /* has a key, said nothing */
    MGC_HOST_NO_KEY,     /* declared by the site, not in the key directory */
    MGC_HOST_REVOKED,    /* its key is refused */
    MGC_HOST_WRONG_ROLE, /* site and key directory disagree */
    MGC_HOST_LOST,       /* was there and went away while we looked */
    MGC_HOST_READY,      /* is there */
};
const char *mgc_host_state_name(enum mgc_host_state state);

struct mgc_host_row {
    char name[MGC_NAME_SIZE];
    char role[16];
    bool declared; /* the site names it */
    enum mgc_host_state state;
    char host[64], os[128], build[64]; /* from its hello; empty before */
    struct mgc_clock_offset offset;
    json_t *leases; /* owned; who holds what on its machine (control/leases.h); NULL: not told */
};

struct mgc_hosts {
    struct mgc_host_row
        *rows; /* owned; the site's in its order, then others of the key directory */
    size_t count;
};

/* One row per worker that the site declares or that has a key. */
bool mgc_hosts_init(struct mgc_hosts *hosts, const struct mgc_site *site,
    const struct mgc_keyring *keys, struct mgc_error *err);
void mgc_hosts_destroy(struct mgc_hosts *hosts);

/* Take over what a hello's facts tell of leases (common/task/leases.h). */
void mgc_host_row_leases(struct mgc_host_row *row, const struct mgc_fields *facts);

struct mgc_host_row *mgc_hosts_find(struct mgc_hosts *hosts, const char *name);
/* Every worker that the site declares is ready. */
bool mgc_hosts_complete(const struct mgc_hosts *hosts);

/* Fill in what a running coordinator says of its workers (control's answer to "hosts"). False: it
 * is no such answer; what could be read is filled in. */
bool mgc_hosts_take(struct mgc_hosts *hosts, const json_t *answer, struct mgc_error *err);

void mgc_hosts_print(const struct mgc_hosts *hosts, struct mgc_buf *out);
/* A sentence per worker with which something is wrong, each with what to do next and a newline.
 * `keys_only`: nobody has looked yet who is there, so only names, roles and keys are judged. */
void mgc_hosts_advise(const struct mgc_hosts *hosts, bool keys_only, struct mgc_buf *out);
/* New reference; NULL when memory runs out. */
json_t *mgc_hosts_to_json(const struct mgc_hosts *hosts);

#endif
