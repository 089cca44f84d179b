#include "lab/world/knobs.h"

#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/parse.h"
#include "common/base/path.h"
#include "common/plat/file.h"

/* value NULL: as if it had never been set. */
typedef bool act_fn(struct mgc_lab_stage *stage, const char *value, struct mgc_error *err);

/* Clearing what could not be set is success. */
static bool no_network(const char *value, struct mgc_error *err)
{
    return value == NULL || mgc_error_set(err, MGC_E_UNSUPPORTED,
                                "a lab in loopback mode has no networks of its own");
}

static bool act_proxy(struct mgc_lab_stage *stage, const char *value, struct mgc_error *err)
{
    enum mgc_lab_proxy_mode mode = MGC_LAB_PROXY_ACCEPT_ALL;
    if (stage->world.loopback)
        return no_network(value, err);
    return (value == NULL || mgc_lab_proxy_mode_parse(value, &mode, err)) &&
           mgc_lab_world_set_proxy(&stage->world, mode, err);
}

static bool act_link(struct mgc_lab_stage *stage, const char *value, struct mgc_error *err)
{
    if (stage->world.loopback)
        return no_network(value, err);
    if (stage->world.plain_link)
        return value == NULL ||
               mgc_error_set(err, MGC_E_UNSUPPORTED,
                   "this lab has a plain cable to the phone (--link none), which has no knobs");
    return mgc_lab_linkcontrol_reload(&stage->linkcontrol, err); /* it reads the files */
}

/* At the bridge's end, so that wsl keeps its addresses and routes, as with a pulled cable. */
static bool act_wsl_link(struct mgc_lab_stage *stage, const char *value, struct mgc_error *err)
{
    if (stage->world.loopback)
        return no_network(value, err);
    return mgc_lab_world_ip(&stage->world, MGC_LAB_GW,
        value != NULL ? "link set lwsl down\n" : "link set lwsl up\n", err);
}

static bool act_restart(struct mgc_lab_stage *stage, const char *value, struct mgc_error *err)
{
    int64_t ms = MGC_LAB_RESTART_MS;
    if (value != NULL)
        mgc_parse_int(value, 0, MGC_LAB_RESTART_MAX_MS, &ms);
    stage->members.worker_restart_ms = ms;
    return true;
}

static const struct knob {
    const char *name;
    act_fn *act;
    int timed; /* index of its time, -1: it has none */
} rows[] = {
    {"proxy-mode", act_proxy, -1},
    {"link-profile", act_link, -1},
    {"link-delay-ms", act_link, -1},
    {"link-rate-mbit", act_link, -1},
    {"link-cut", act_link, 0},
    {"wsl-link-down", act_wsl_link, 1},
    {"worker-restart-ms", act_restart, -1},
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

static const struct knob *find(const char *name)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    }
    return NULL;
}

void mgc_lab_knobs_init(struct mgc_lab_knobs *knobs, struct mgc_lab_stage *stage, const char *dir)
{
    *knobs =
        (struct mgc_lab_knobs){.stage = stage, .phones = {stage->roster, stage->run}, .dir = dir};
    for (int i = 0; i < MGC_LAB_KNOB_TIMED; i++)
        knobs->until_ns[i] = MGC_NEVER;
}

static void set_time(struct mgc_lab_knobs *knobs, const struct knob *knob, const char *value)
{
    int64_t ms;
    if (knob->timed < 0)
        return;
    bool limited = value != NULL && mgc_parse_duration_ms(value, &ms);
    knobs->until_ns[knob->timed] = limited ? mgc_deadline_in_ms(ms) : MGC_NEVER;
}

/* True for a fault that is no phone's but the whole lab's. */
static bool whole_lab(const struct mgc_lab_knobs *knobs, const char *name)
{
    return !mgc_lab_roster_several(knobs->phones.roster) || find(name) != NULL;
}

static bool check_phone(
    const struct mgc_lab_knobs *knobs, const char *phone, const char *name, struct mgc_error *err)
{
    if (!mgc_lab_faultdirs_check(&knobs->phones, phone, err))
        return false;
    return phone[0] == '\0' || !whole_lab(knobs, name) ||
           mgc_error_set(err, MGC_E_USAGE,
               "fault %s is the whole lab's and of no phone; set it without \"%s.\"", name, phone);
}

bool mgc_lab_knob_plant(
    const struct mgc_lab_knobs *knobs, const struct mgc_lab_fault *fault, struct mgc_error *err)
{
    if (!check_phone(knobs, fault->phone, fault->name, err))
        return false;
    return whole_lab(knobs, fault->name) ? mgc_lab_fault_set(knobs->dir, fault, err)
                                         : mgc_lab_faultdirs_set(&knobs->phones, fault, err);
}

bool mgc_lab_knob_set(
    struct mgc_lab_knobs *knobs, const struct mgc_lab_fault *fault, struct mgc_error *err)
{
    const struct knob *knob = find(fault->name);
    if (!mgc_lab_knob_plant(knobs, fault, err))
        return false;
    if (knob == NULL)
        return true;
    if (!knob->act(knobs->stage, fault->value, err)) {
        mgc_lab_fault_clear(knobs->dir, fault->name, NULL);
        return false;
    }
    set_time(knobs, knob, fault->value);
    return true;
}

static bool is_set(const struct mgc_lab_knobs *knobs, const char *name)
{
    char path[MGC_PATH_MAX];
    return mgc_path_join(path, sizeof path, knobs->dir, name) && mgc_file_exists(path);
}

static bool clear_one(struct mgc_lab_knobs *knobs, const char *name, struct mgc_error *err)
{
    const struct knob *knob = find(name);
    bool was_set = is_set(knobs, name);
    if (!mgc_lab_fault_clear(knobs->dir, name, err))
        return false;
    if (knob == NULL || !was_set)
        return true;
    set_time(knobs, knob, NULL);
    return knob->act(knobs->stage, NULL, err);
}

static bool clear_all(struct mgc_lab_knobs *knobs, struct mgc_error *err)
{
    bool ok = true;
    for (size_t i = 0; i < ROW_COUNT; i++)
        ok = clear_one(knobs, rows[i].name, ok ? err : NULL) && ok;
    ok = mgc_lab_fault_clear(knobs->dir, NULL, ok ? err : NULL) && ok;
    return mgc_lab_faultdirs_clear(&knobs->phones, "", NULL, ok ? err : NULL) && ok;
}

bool mgc_lab_knob_clear(struct mgc_lab_knobs *knobs, const char *text, struct mgc_error *err)
{
    char phone[MGC_LAB_NAME_SIZE];
    if (text == NULL)
        return clear_all(knobs, err);
    if (mgc_lab_roster_several(knobs->phones.roster) &&
        mgc_lab_roster_find(knobs->phones.roster, text) != 0)
        return mgc_lab_faultdirs_clear(&knobs->phones, text, NULL, err);
    const char *name = mgc_lab_fault_split(text, phone);
    if (!mgc_lab_fault_known(name))
        return mgc_error_set(err, MGC_E_USAGE, "there is no fault \"%s\"", name);
    if (!check_phone(knobs, phone, name, err))
        return false;
    return whole_lab(knobs, name) ? clear_one(knobs, name, err)
                                  : mgc_lab_faultdirs_clear(&knobs->phones, phone, name, err);
}

bool mgc_lab_knob_list(
    const struct mgc_lab_knobs *knobs, struct mgc_buf *out, struct mgc_error *err)
{
    if (!mgc_lab_fault_list(knobs->dir, "", out, err))
        return false;
    return !mgc_lab_roster_several(knobs->phones.roster) ||
           mgc_lab_faultdirs_list(&knobs->phones, out, err);
}

void mgc_lab_knobs_work(struct mgc_lab_knobs *knobs)
{
    struct mgc_error err = {0};
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (rows[i].timed < 0 || !mgc_deadline_past(knobs->until_ns[rows[i].timed]))
            continue;
        knobs->until_ns[rows[i].timed] = MGC_NEVER;
        if (!clear_one(knobs, rows[i].name, &err))
            mgc_warn("fault %s is over, but stays: %s", rows[i].name, err.text);
        else
            mgc_info("fault %s is over", rows[i].name);
    }
}

int64_t mgc_lab_knobs_next(const struct mgc_lab_knobs *knobs)
{
    int64_t next = MGC_NEVER;
    for (int i = 0; i < MGC_LAB_KNOB_TIMED; i++)
        next = mgc_deadline_min(next, knobs->until_ns[i]);
    return next;
}
