#include "coordinator/link/peers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void record_destroy(struct mgc_host_record *record)
{
    free(record->name);
    free(record->role);
    free(record->host);
    free(record->os);
    free(record->build);
    free(record->boot_id);
    *record = (struct mgc_host_record){0};
}

/* On false nothing is owned. */
static bool record_copy(struct mgc_host_record *record, const struct mgc_host_record *from)
{
    *record = *from;
    record->name = strdup(from->name);
    record->role = strdup(from->role);
    record->host = strdup(from->host);
    record->os = strdup(from->os);
    record->build = strdup(from->build);
    record->boot_id = strdup(from->boot_id);
    if (record->name && record->role && record->host && record->os && record->build &&
        record->boot_id)
        return true;
    record_destroy(record);
    return false;
}

static void peer_free(struct mgc_peer *peer)
{
    record_destroy(&peer->record);
    mgc_fields_destroy(&peer->facts);
    mgc_fields_destroy(&peer->leases);
    free(peer);
}

void mgc_peers_destroy(struct mgc_peers *peers)
{
    if (!peers)
        return;
    while (peers->first) {
        struct mgc_peer *next = peers->first->next;
        peer_free(peers->first);
        peers->first = next;
    }
    *peers = (struct mgc_peers){0};
}

struct mgc_peer *mgc_peers_find(const struct mgc_peers *peers, const char *name)
{
    struct mgc_peer *peer = peers->first;
    while (peer && strcmp(peer->name, name) != 0)
        peer = peer->next;
    return peer;
}

static bool role_from_name(const char *name, enum mgc_role *ret_role)
{
    for (int role = 0; role < MGC_ROLE_COUNT; role++) {
        if (strcmp(mgc_role_name((enum mgc_role)role), name) == 0) {
            *ret_role = (enum mgc_role)role;
            return true;
        }
    }
    return false;
}

/* What it says of itself now takes the place of what it said before; on false nothing changes. */
static bool take_hello(struct mgc_peer *peer, const char *name, const struct mgc_msg_hello *hello)
{
    struct mgc_host_record said = {.name = (char *)name,
        .role = hello->role,
        .host = hello->host,
        .os = hello->os,
        .build = hello->build,
        .boot_id = hello->boot_id,
        .sessions = peer->record.sessions + 1};
    struct mgc_host_record record;
    struct mgc_fields facts = {0};
    bool copied = record_copy(&record, &said);
    if (!copied || !mgc_fields_copy(&facts, &hello->facts)) {
        if (copied)
            record_destroy(&record);
        mgc_fields_destroy(&facts);
        return false;
    }
    record_destroy(&peer->record);
    mgc_fields_destroy(&peer->facts);
    peer->record = record;
    peer->facts = facts;
    return true;
}

/* At the end: who came first stands first. */
static void append(struct mgc_peers *peers, struct mgc_peer *peer)
{
    struct mgc_peer **at = &peers->first;
    while (*at)
        at = &(*at)->next;
    *at = peer;
}

struct mgc_peer *mgc_peers_joined(struct mgc_peers *peers, const char *name,
    const struct mgc_msg_hello *hello, struct mgc_error *err)
{
    enum mgc_role role;
    if (!role_from_name(hello->role, &role)) {
        mgc_error_set(err, MGC_E_UNSUPPORTED, "worker '%s' has the unknown role '%s', left idle",
            name, hello->role);
        return NULL;
    }
    struct mgc_peer *known = mgc_peers_find(peers, name);
    struct mgc_peer *peer = known ? known : calloc(1, sizeof(*peer));
    if (!peer || !take_hello(peer, name, hello)) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "worker '%s' joined, left idle: no memory", name);
        if (!known)
            free(peer);
        return NULL;
    }
    snprintf(peer->name, sizeof(peer->name), "%s", name);
    peer->role = role;
    peer->joined = true;
    peer->lease_epoch = hello->lease_epoch;
    if (!known)
        append(peers, peer);
    return peer;
}

void mgc_peers_lost(struct mgc_peer *peer)
{
    peer->joined = false;
}

bool mgc_peer_fits(const struct mgc_peer *peer, enum mgc_role role, const char *name)
{
    return peer->role == role && (!*name || strcmp(peer->name, name) == 0);
}

struct mgc_peer *mgc_peers_pick(const struct mgc_peers *peers, enum mgc_role role, const char *name)
{
    struct mgc_peer *peer = peers->first;
    while (peer && (!peer->joined || !mgc_peer_fits(peer, role, name)))
        peer = peer->next;
    return peer;
}

bool mgc_peers_records(const struct mgc_peers *peers, const char (*names)[MGC_NAME_SIZE],
    struct mgc_results *results, struct mgc_error *err)
{
    size_t count = 0, made = 0, wanted = 0;
    for (const struct mgc_peer *peer = peers->first; peer; peer = peer->next)
        count++;
    struct mgc_host_record *hosts = calloc(count + 1, sizeof(*hosts));
    for (const struct mgc_peer *peer = peers->first; hosts && peer; peer = peer->next) {
        if (!mgc_peer_fits(peer, peer->role, names[peer->role]))
            continue;
        wanted++;
        made += record_copy(&hosts[made], &peer->record);
    }
    if (!hosts || made < wanted) {
        for (size_t i = 0; hosts && i < made; i++)
            record_destroy(&hosts[i]);
        free(hosts);
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the list of workers");
    }
    results->hosts = hosts;
    results->host_count = made;
    return true;
}
