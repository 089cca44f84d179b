#include "lab/world/faults.h"

#include <stdio.h>
#include <string.h>

#include "common/base/path.h"
#include "common/plat/file.h"
#include "lab/world/proxymode.h"

static const struct {
    const char *name;
    const char *help;
} known[] = {
    {"client-no-transport-marker", "the client does not log its transport"},
    {"client-not-armed", "the client logs no run-ahead ARMED line"},
    {"client-lockstep", "client and server really run in lockstep, with the warning"},
    {"client-disarmed", "a run-ahead DISARMED line half-way"},
    {"client-fatal", "a Fatal{BarrierTimeout} line half-way, the run goes on"},
    {"client-frames-short", "stops VALUE frames early and still reports success"},
    {"client-crash", "aborts at frame VALUE"},
    {"client-hang", "stops for ever at frame VALUE"},
    {"client-result-half", "result.json is written half, exit code 0"},
    {"client-no-credit", "uses another present credit than the one asked for"},
    {"server-wrong-pixels", "draws a wrong colour"},
    {"server-bad-exit", "the session child exits VALUE (default 70) after a complete session"},
    {"server-never-listens", "starts, stays alive, never listens"},
    {"server-busy", "refuses every client with Refuse{Busy}"},
    {"proxy-mode", "accept-all (default), forward or drop"},
};

bool mgc_lab_fault_known(const char *name)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i].name, name) == 0)
            return true;
    }
    return false;
}

bool mgc_lab_fault_row(size_t index, const char **ret_name, const char **ret_help)
{
    if (index >= sizeof known / sizeof *known)
        return false;
    *ret_name = known[index].name;
    *ret_help = known[index].help;
    return true;
}

/* One word of printable text: it travels in one line of words on the control socket. */
static bool value_is_word(const char *value)
{
    size_t len = strlen(value);
    if (len == 0 || len >= MGC_LAB_FAULT_VALUE_MAX)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (value[i] <= ' ' || value[i] > '~')
            return false;
    }
    return true;
}

bool mgc_lab_fault_parse(const char *text, struct mgc_lab_fault *ret_fault, struct mgc_error *err)
{
    struct mgc_lab_fault fault = {.value = "1"};
    size_t name_len = strcspn(text, "=");
    const char *value = text[name_len] == '=' ? text + name_len + 1 : NULL;
    if (name_len < sizeof fault.name)
        memcpy(fault.name, text, name_len);
    if (!mgc_lab_fault_known(fault.name))
        return mgc_error_set(err, MGC_E_USAGE,
            "there is no fault \"%.*s\"; `mglab fault --help` lists them", (int)name_len, text);
    if (value != NULL && !value_is_word(value))
        return mgc_error_set(err, MGC_E_USAGE,
            "fault %s: the value must be one word of 1 to %d printable characters", fault.name,
            MGC_LAB_FAULT_VALUE_MAX - 1);
    if (value != NULL)
        strcpy(fault.value, value);
    enum mgc_lab_proxy_mode mode;
    if (strcmp(fault.name, "proxy-mode") == 0 && !mgc_lab_proxy_mode_parse(fault.value, &mode, err))
        return false;
    *ret_fault = fault;
    return true;
}

bool mgc_lab_fault_set(const char *dir, const struct mgc_lab_fault *fault, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    if (!mgc_path_join(path, sizeof path, dir, fault->name))
        return mgc_error_set(err, MGC_E_IO, "path of fault %s is too long", fault->name);
    return mgc_file_write(path, fault->value, strlen(fault->value), 0644, err);
}

static bool clear_one(const char *dir, const char *name, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    if (!mgc_path_join(path, sizeof path, dir, name))
        return mgc_error_set(err, MGC_E_IO, "path of fault %s is too long", name);
    return mgc_file_remove(path, err);
}

bool mgc_lab_fault_clear(const char *dir, const char *name, struct mgc_error *err)
{
    if (name != NULL)
        return clear_one(dir, name, err);
    bool ok = true;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ok = clear_one(dir, known[i].name, ok ? err : NULL) && ok;
    return ok;
}

bool mgc_lab_fault_list(const char *dir, struct mgc_buf *out, struct mgc_error *err)
{
    struct mgc_dir_names names = {0};
    struct mgc_buf value = {0};
    bool ok = mgc_dir_list(dir, &names, err);
    for (size_t i = 0; ok && i < names.count; i++) {
        char path[MGC_PATH_MAX];
        if (!mgc_lab_fault_known(names.names[i]) ||
            !mgc_path_join(path, sizeof path, dir, names.names[i]))
            continue;
        mgc_buf_clear(&value);
        ok = mgc_file_read(path, MGC_LAB_FAULT_VALUE_MAX, &value, err) &&
             mgc_buf_printf(out, "%s %s\n", names.names[i], mgc_buf_text(&value));
    }
    mgc_buf_destroy(&value);
    mgc_dir_names_destroy(&names);
    return ok;
}
