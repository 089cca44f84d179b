#include "lab/world/identity.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/json/json.h"

void mgc_lab_identity_print(const struct mgc_lab_identity *identity, char *ret_text, size_t size)
{
    char several[64] = "";
    if (mgc_lab_roster_several(&identity->roster))
        snprintf(several, sizeof several, ", \"phones\": %d, \"pairs\": %d",
            identity->roster.phones, identity->roster.pairs);
    snprintf(ret_text, size, "{\"pid\": %d, \"start_ticks\": %" PRIu64 "%s%s}\n",
        (int)identity->pid, identity->start_ticks,
        identity->roster.loopback ? ", \"loopback\": true" : "", several);
}

static int count_of(const json_t *doc, const char *key)
{
    const json_t *value = json_object_get(doc, key);
    return json_is_integer(value) ? (int)json_integer_value(value) : 1;
}

static struct mgc_lab_roster roster_of(const json_t *doc)
{
    return (struct mgc_lab_roster){count_of(doc, "phones"), count_of(doc, "pairs"),
        json_is_true(json_object_get(doc, "loopback"))};
}

bool mgc_lab_identity_parse(
    const char *text, size_t len, struct mgc_lab_identity *ret_identity, struct mgc_error *err)
{
    json_t *doc = mgc_json_parse(text, len, MGC_LAB_IDENTITY_BYTES, err);
    if (doc == NULL)
        return false;
    const json_t *pid = json_object_get(doc, "pid"), *ticks = json_object_get(doc, "start_ticks");
    bool ok = json_is_integer(pid) && json_is_integer(ticks) && json_integer_value(pid) > 0 &&
              json_integer_value(pid) <= INT32_MAX && json_integer_value(ticks) >= 0;
    struct mgc_lab_roster roster = roster_of(doc);
    ok = ok && mgc_lab_roster_check(&roster, NULL);
    if (ok)
        *ret_identity = (struct mgc_lab_identity){
            (pid_t)json_integer_value(pid), (uint64_t)json_integer_value(ticks), roster};
    json_decref(doc);
    return ok || mgc_error_set(err, MGC_E_CONFIG, "expected positive numbers pid and start_ticks");
}
