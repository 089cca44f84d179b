#include "lab/world/identity.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/json/json.h"

void mgc_lab_identity_print(const struct mgc_lab_identity *identity, char *ret_text, size_t size)
{
    snprintf(ret_text, size, "{\"pid\": %d, \"start_ticks\": %" PRIu64 "%s}\n", (int)identity->pid,
        identity->start_ticks, identity->loopback ? ", \"loopback\": true" : "");
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
    if (ok)
        *ret_identity = (struct mgc_lab_identity){(pid_t)json_integer_value(pid),
            (uint64_t)json_integer_value(ticks), json_is_true(json_object_get(doc, "loopback"))};
    json_decref(doc);
    return ok || mgc_error_set(err, MGC_E_CONFIG, "expected positive numbers pid and start_ticks");
}
