#include "coordinator/session/inputs.h"

#include <stdio.h>
#include <string.h>

/* A fact, and what tells several of that name apart. */
enum scope {
    OF_RUN,      /* there is one: "device.serialno" */
    OF_STEP,     /* one per step of the setup: "app-1.apk_sha256" */
    OF_LANE,     /* "crosshost.library_sha256" */
    OF_WORKLOAD, /* "crosshost.openra.trace_sha256" */
};

static const struct input {
    const char *kind, *fact;
    enum scope scope;
} inputs_known[] = {
    {"host.device", "serialno", OF_RUN},
    {"host.device", "model", OF_RUN},
    {"host.device", "fingerprint", OF_RUN},
    {"host.device", "package_version", OF_RUN},
    {"host.app", "version", OF_STEP},
    {"host.app", "apk_sha256", OF_STEP},
    {"host.app", "split_sha256", OF_STEP},
    {"host.app", "library_sha256", OF_STEP},
    {"host.fixtures", "trace_sha256", OF_STEP},
    {"host.fixtures", "golden_sha256", OF_STEP},
    {"wsl.replay", "client_sha256", OF_LANE},
    {"wsl.replay", "library_sha256", OF_LANE},
    {"wsl.replay", "trace_sha256", OF_WORKLOAD},
    {"wsl.replay", "golden_sha256", OF_WORKLOAD},
};

static void name_of(const struct input *input, const struct mgc_cell *cell,
    const struct mgc_step *step, char *ret_name, size_t size)
{
    switch (input->scope) {
    case OF_RUN:
        snprintf(ret_name, size, "device.%s", input->fact);
        break;
    case OF_STEP:
        snprintf(ret_name, size, "%s.%s", step->id, input->fact);
        break;
    case OF_LANE:
        snprintf(ret_name, size, "%s.%s", cell->lane, input->fact);
        break;
    case OF_WORKLOAD:
        snprintf(ret_name, size, "%s.%s.%s", cell->lane, cell->workload, input->fact);
        break;
    }
}

bool mgc_inputs_take_text(json_t *inputs, const json_t *before, const char *name, const char *value,
    bool *ret_new, struct mgc_error *err)
{
    const char *was = json_string_value(json_object_get(before, name));
    if (was && strcmp(was, value) != 0)
        return mgc_error_set(err, MGC_E_CONFIG,
            "%s: stored %.100s, present %.100s: the finished cells were measured with another one",
            name, was, value);
    if (!json_object_get(inputs, name)) {
        json_object_set_new(inputs, name, mgc_json_text(value));
        *ret_new = true;
    }
    return true;
}

static bool take_step(json_t *inputs, const json_t *before, const struct mgc_attempt *attempt,
    size_t i, bool *ret_new, struct mgc_error *err)
{
    const struct mgc_step *step = &attempt->cell->steps[i];
    const struct mgc_fields *facts = &attempt->steps[i].facts;
    char name[192];
    bool ok = true;
    for (size_t k = 0; ok && k < sizeof(inputs_known) / sizeof(inputs_known[0]); k++) {
        const struct input *input = &inputs_known[k];
        const char *value = mgc_fields_get_str(facts, input->fact);
        if (!value || strcmp(step->kind, input->kind) != 0)
            continue;
        name_of(input, attempt->cell, step, name, sizeof(name));
        ok = mgc_inputs_take_text(inputs, before, name, value, ret_new, err);
    }
    return ok;
}

bool mgc_inputs_take(json_t *inputs, const json_t *before, const struct mgc_attempt *attempt,
    bool *ret_new, struct mgc_error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < attempt->cell->step_count; i++)
        ok = take_step(inputs, before, attempt, i, ret_new, err);
    return ok;
}
