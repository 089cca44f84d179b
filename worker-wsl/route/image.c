/* A route's state as fields and as text. Pure. */
#include "worker-wsl/route/route.h"

#include <stdio.h>
#include <string.h>

bool mgc_route_to_fields(const struct mgc_route_state *state, struct mgc_fields *fields)
{
    const struct mgc_route_entry *exact = &state->exact;
    const struct mgc_route_path *path = &state->effective;
    bool ok = mgc_fields_set_str(fields, "route_address", state->address) &&
              mgc_fields_set_bool(fields, "route_present", exact->present);
    if (ok && exact->present)
        ok = mgc_fields_set_str(fields, "route_gateway", exact->gateway) &&
             mgc_fields_set_str(fields, "route_ifname", exact->ifname) &&
             mgc_fields_set_str(fields, "route_source", exact->source) &&
             mgc_fields_set_int(fields, "route_metric", exact->metric) &&
             mgc_fields_set_int(fields, "route_protocol", exact->protocol) &&
             mgc_fields_set_int(fields, "route_type", exact->type) &&
             mgc_fields_set_int(fields, "route_scope", exact->scope) &&
             mgc_fields_set_bool(fields, "route_onlink", exact->onlink);
    for (int i = 0; ok && exact->present && i < MGC_ROUTE_ATTR_COUNT; i++) {
        char name[32];
        snprintf(name, sizeof(name), "route_attr_%d", i);
        ok = exact->attrs[i] == 0 || mgc_fields_set_int(fields, name, exact->attrs[i]);
    }
    if (ok && path->present)
        ok = mgc_fields_set_str(fields, "route_effective_gateway", path->gateway) &&
             mgc_fields_set_str(fields, "route_effective_ifname", path->ifname) &&
             mgc_fields_set_str(fields, "route_effective_source", path->source);
    return ok;
}

static bool bad_field(struct mgc_error *err, const char *name, const char *expected)
{
    return mgc_error_set(
        err, MGC_E_PROTOCOL, "route image: field '%s': expected %s", name, expected);
}

static bool get_address(const struct mgc_fields *fields, const char *name, bool may_be_empty,
    char ret[MGC_ROUTE_ADDRESS_SIZE], struct mgc_error *err)
{
    const char *text = mgc_fields_get_str(fields, name);
    if (!text || !(mgc_route_is_address(text) || (may_be_empty && !*text)))
        return bad_field(
            err, name, may_be_empty ? "an IPv4 address or nothing" : "an IPv4 address");
    snprintf(ret, MGC_ROUTE_ADDRESS_SIZE, "%s", text);
    return true;
}

static bool get_ifname(
    const struct mgc_fields *fields, char ret[MGC_ROUTE_IFNAME_SIZE], struct mgc_error *err)
{
    const char *text = mgc_fields_get_str(fields, "route_ifname");
    if (!text || strlen(text) >= MGC_ROUTE_IFNAME_SIZE || strpbrk(text, "/ \n"))
        return bad_field(err, "route_ifname", "an interface name");
    snprintf(ret, MGC_ROUTE_IFNAME_SIZE, "%s", text);
    return true;
}

static bool get_number(const struct mgc_fields *fields, const char *name, int64_t max, int64_t *ret,
    struct mgc_error *err)
{
    return (mgc_fields_get_int(fields, name, ret) && *ret >= 0 && *ret <= max) ||
           bad_field(err, name, "a number in range");
}

static bool get_attrs(
    const struct mgc_fields *fields, uint32_t attrs[MGC_ROUTE_ATTR_COUNT], struct mgc_error *err)
{
    for (int i = 0; i < MGC_ROUTE_ATTR_COUNT; i++) {
        char name[32];
        int64_t value;
        snprintf(name, sizeof(name), "route_attr_%d", i);
        if (!mgc_fields_get(fields, name))
            continue;
        if (!get_number(fields, name, UINT32_MAX, &value, err))
            return false;
        attrs[i] = (uint32_t)value;
    }
    return true;
}

static bool get_entry(
    const struct mgc_fields *fields, struct mgc_route_entry *entry, struct mgc_error *err)
{
    int64_t metric, protocol, type, scope;
    if (!get_address(fields, "route_gateway", true, entry->gateway, err) ||
        !get_address(fields, "route_source", true, entry->source, err) ||
        !get_ifname(fields, entry->ifname, err) ||
        !get_number(fields, "route_metric", UINT32_MAX, &metric, err) ||
        !get_number(fields, "route_protocol", UINT8_MAX, &protocol, err) ||
        !get_number(fields, "route_type", UINT8_MAX, &type, err) ||
        !get_number(fields, "route_scope", UINT8_MAX, &scope, err) ||
        !get_attrs(fields, entry->attrs, err))
        return false;
    if (!mgc_fields_get_bool(fields, "route_onlink", &entry->onlink))
        return bad_field(err, "route_onlink", "true or false");
    entry->metric = (uint32_t)metric;
    entry->protocol = (int)protocol;
    entry->type = (int)type;
    entry->scope = (int)scope;
    return true;
}

bool mgc_route_from_fields(
    const struct mgc_fields *fields, struct mgc_route_state *ret_state, struct mgc_error *err)
{
    struct mgc_route_state state = {0};
    if (!get_address(fields, "route_address", false, state.address, err))
        return false;
    if (!mgc_fields_get_bool(fields, "route_present", &state.exact.present))
        return bad_field(err, "route_present", "true or false");
    if (state.exact.present && !get_entry(fields, &state.exact, err))
        return false;
    *ret_state = state;
    return true;
}

const char *mgc_route_text(const struct mgc_route_state *state, char *buf, unsigned long size)
{
    const struct mgc_route_entry *exact = &state->exact;
    if (!exact->present)
        snprintf(buf, size, "%s/32 absent", state->address);
    else
        snprintf(buf, size, "%s/32%s%s%s%s metric %u proto %d", state->address,
            exact->gateway[0] ? " via " : "", exact->gateway, exact->ifname[0] ? " dev " : "",
            exact->ifname, exact->metric, exact->protocol);
    return buf;
}
