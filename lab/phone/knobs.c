#include "lab/phone/knobs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "lab/knob/knob.h"
#include "lab/phone/app_faults.h"
#include "lab/phone/identity.h"
#include "lab/phone/log_server.h"
#include "lab/phone/power.h"
#include "lab/phone/storage.h"
#include "lab/phone/sys/faults.h"

enum { REBOOT_MS = 1000 };

/* ---- what each does -------------------------------------------------------------------------- */

static void set_latency(struct mgl_phone *phone, const struct mgl_knob *knob)
{
    const struct mgl_latency *found = mgl_latency_find(knob->value);
    mgl_phone_set_latency(phone, found ? found : phone->latency_at_start);
}

static void clear_latency(struct mgl_phone *phone)
{
    mgl_phone_set_latency(phone, phone->latency_at_start);
}

static void adb_is_back(struct mgl_timer *timer)
{
    mgl_adb_set_away(timer->arg, MGL_ADB_DROPPED, false);
    mgl_knob_remove("phone-adb-drop");
}

static void drop_adb(struct mgl_phone *phone, const struct mgl_knob *knob)
{
    int64_t away_ms = mgl_knob_number(knob, 0);
    mgl_adb_set_away(phone, MGL_ADB_DROPPED, true);
    phone->adb_timer.fired = adb_is_back;
    phone->adb_timer.arg = phone;
    if (strcmp(knob->value, "ever") == 0)
        return;
    if (away_ms > 0)
        mgl_timer_start(&phone->loop, &phone->adb_timer, away_ms * MGC_NS_PER_MS);
    else
        adb_is_back(&phone->adb_timer);
}

static void clear_drop(struct mgl_phone *phone)
{
    mgl_timer_stop(&phone->adb_timer);
    mgl_adb_set_away(phone, MGL_ADB_DROPPED, false);
}

static void look(struct mgl_phone *phone);

/* Settings start anew with the phone; knobs that change them do it again. */
static void boot(struct mgl_phone *phone)
{
    mgl_timer_stop(&phone->boot_timer);
    mgl_power_on(phone);
    memset(phone->knobs_done, 0, sizeof(phone->knobs_done));
    look(phone);
}

static void switch_off(struct mgl_phone *phone, const struct mgl_knob *knob)
{
    mgl_timer_stop(&phone->boot_timer);
    mgl_power_off(phone);
}

static void boot_time(struct mgl_timer *timer)
{
    boot(timer->arg);
}

static void reboot_phone(struct mgl_phone *phone, const struct mgl_knob *knob)
{
    mgl_knob_remove("phone-reboot");
    mgl_power_off(phone);
    phone->boot_timer.fired = boot_time;
    phone->boot_timer.arg = phone;
    mgl_timer_start(
        &phone->loop, &phone->boot_timer, mgl_knob_number(knob, REBOOT_MS) * MGC_NS_PER_MS);
}

static void kill_app(struct mgl_phone *phone, const struct mgl_knob *knob)
{
    mgl_knob_remove("app-kill");
    for (const struct mgl_package *package = mgl_packages; package->name; package++)
        if (mgl_package_is_app(package))
            mgl_apps_kill(phone, package);
}

static void put_power(struct mgl_phone *phone, const char *key, const char *value)
{
    mgl_store_put(&phone->store, MGL_SPACE_POWER, key, value);
}

static void screen_off(struct mgl_phone *phone, const struct mgl_knob *knob)
{
    put_power(phone, "wakefulness", "Asleep");
}

static void screen_on(struct mgl_phone *phone)
{
    put_power(phone, "wakefulness", "Awake");
}

static void put_abi(struct mgl_phone *phone, const char *abi)
{
    mgl_store_put(&phone->store, MGL_SPACE_PROP, "ro.product.cpu.abi", abi);
}

static void set_abi(struct mgl_phone *phone, const struct mgl_knob *knob)
{
    put_abi(phone, knob->value);
}

static void clear_abi(struct mgl_phone *phone)
{
    put_abi(phone, MGL_ABI);
}

static void fill_disk(struct mgl_phone *phone, const struct mgl_knob *knob)
{
    struct mgc_error err;
    if (!mgl_storage_fill(&err))
        mgc_warn("no full disk: %s", err.text);
}

static void free_disk(struct mgl_phone *phone)
{
    mgl_storage_unfill();
}

static const struct row {
    const char *name;
    bool when_off; /* has a meaning while the phone is off */
    void (*set)(struct mgl_phone *phone, const struct mgl_knob *knob);
    void (*clear)(struct mgl_phone *phone); /* NULL: it takes itself away */
} rows[MGL_KNOB_COUNT] = {
    {"phone-gone", true, switch_off, boot},
    {"phone-reboot", false, reboot_phone, NULL},
    {"phone-adb-drop", true, drop_adb, clear_drop},
    {"phone-latency", true, set_latency, clear_latency},
    {"phone-disk-full", true, fill_disk, free_disk},
    {"phone-hot", false, mgl_fault_hot, mgl_fault_hot_over},
    {"phone-unplugged", false, mgl_fault_unplugged, mgl_fault_unplugged_over},
    {"phone-screen-off", false, screen_off, screen_on},
    {"phone-abi", false, set_abi, clear_abi},
    {"phone-rooted", true, mgl_fault_rooted, mgl_fault_rooted_over},
    {"phone-warming", false, mgl_fault_warming, mgl_fault_warming_over},
    {"phone-throttled", false, mgl_fault_throttled, mgl_fault_throttled_over},
    {"phone-pin-override", false, mgl_fault_pin_override, mgl_fault_pin_override_over},
    {"phone-clamped", false, mgl_fault_clamped, mgl_fault_clamped_over},
    {"phone-node-missing", true, mgl_fault_missing, mgl_fault_missing_over},
    {"phone-node-unreadable", true, mgl_fault_unreadable, mgl_fault_unreadable_over},
    {"app-kill", false, kill_app, NULL},
};

/* ---- watching -------------------------------------------------------------------------------- */

/* Compare what is set with what was done, row by row. A row that takes its file away counts as
 * not done afterwards, so that it can be set again. */
static void look_at(struct mgl_phone *phone, size_t i)
{
    struct mgl_knob knob;
    char *done = phone->knobs_done[i];
    if (phone->off && !rows[i].when_off)
        return;
    if (!mgl_knob_get(rows[i].name, &knob)) {
        if (done[0] && rows[i].clear)
            rows[i].clear(phone);
        done[0] = '\0';
        return;
    }
    if (strcmp(done, knob.value) == 0)
        return;
    mgl_phone_log(phone, MGL_LOG_WARN, "mgphone", "fault %s=%s", rows[i].name, knob.value);
    strcpy(done, knob.value);
    rows[i].set(phone, &knob);
    if (!mgl_knob_get(rows[i].name, &knob))
        done[0] = '\0';
}

static void look(struct mgl_phone *phone)
{
    for (size_t i = 0; i < MGL_KNOB_COUNT; i++)
        look_at(phone, i);
}

/* Which one it was does not matter: the files are the truth. */
static void changed(struct mgl_timer *timer)
{
    look(timer->arg);
}

bool mgl_knobs_start(struct mgl_phone *phone, struct mgc_error *err)
{
    char dir[PATH_MAX];
    if (!mgl_knob_dir(dir, sizeof(dir)) || access(dir, R_OK) != 0)
        return true;
    phone->knob_timer = (struct mgl_timer){.fired = changed, .arg = phone};
    phone->knob_dir =
        mgl_sys_state_watch(phone, dir, IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE);
    if (phone->knob_dir < 0)
        return mgc_error_errno(err, errno, "watch the fault knobs in '%s'", dir);
    look(phone);
    return true;
}

void mgl_knobs_stop(struct mgl_phone *phone)
{
    mgl_timer_stop(&phone->adb_timer);
    mgl_timer_stop(&phone->boot_timer);
    mgl_app_faults_stop(phone);
    mgl_timer_stop(&phone->knob_timer);
}
