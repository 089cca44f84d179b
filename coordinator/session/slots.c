/* Cells that load the link take turns, where phones share a WSL worker. */
#include <stdio.h>

#include "coordinator/session/session_private.h"

bool mgc_session_slot_take(void *user, const struct mgc_cell *cell, char *ret_who, size_t size)
{
    struct session *session = user, *holder;
    const struct mgc_site_worker *worker = mgc_site_worker(session->config->site, MGC_ROLE_WSL);
    void *found;
    (void)cell;
    if (!mgc_fleet_is_named(session->fleet) || !worker)
        return true;
    if (mgc_slots_take(&session->fleet->slots, worker->name, worker->parallel, session, &found))
        return true;
    holder = found;
    snprintf(ret_who, size, "worker '%s', which measures with %s", worker->name,
        holder->config->plan->phone);
    return false;
}

void mgc_session_slot_drop(void *user)
{
    struct session *session = user;
    mgc_slots_drop(&session->fleet->slots, session);
}

void mgc_session_slot_wake(void *user, void *whose)
{
    struct session *session = whose;
    (void)user;
    if (session->seat)
        mgc_seat_poke(session->seat);
}
