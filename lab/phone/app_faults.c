#include "lab/phone/app_faults.h"

#include <signal.h>
#include <stdio.h>

#include "common/base/clock.h"
#include "lab/knob/knob.h"
#include "lab/phone/phone.h"

enum { AWAY_MS = 1000 };

/* Set, and ours to strike. */
static bool take(const char *name, struct mgl_knob *ret_knob)
{
    return mgl_knob_get(name, ret_knob) && mgl_knob_take(name, ret_knob);
}

static void die(struct mgl_timer *timer)
{
    struct mgl_app_process *process = timer->arg;
    kill(process->child.pid, SIGKILL); /* our child, not yet reaped: the pid is still its own */
}

static void plan_death(struct mgl_app_process *process)
{
    struct mgl_knob knob;
    if (!take("app-dies-ms", &knob))
        return;
    process->death.fired = die;
    process->death.arg = process;
    mgl_timer_start(
        &process->phone->loop, &process->death, mgl_knob_number(&knob, 0) * MGC_NS_PER_MS);
}

/* The other two set the knob that strikes at once, so that there is one way to do it. */
static void reboot(struct mgl_timer *timer)
{
    mgl_knob_set("phone-reboot", "1");
}

static void plan_reboot(struct mgl_phone *phone)
{
    struct mgl_knob knob;
    if (!take("phone-reboot-at", &knob))
        return;
    phone->late_reboot.fired = reboot;
    mgl_timer_start(&phone->loop, &phone->late_reboot, mgl_knob_number(&knob, 0) * MGC_NS_PER_MS);
}

static void drop(struct mgl_timer *timer)
{
    struct mgl_phone *phone = timer->arg;
    char away[24];
    snprintf(away, sizeof(away), "%lld", (long long)phone->late_away_ms);
    mgl_knob_set("phone-adb-drop", away);
}

static void plan_drop(struct mgl_phone *phone)
{
    struct mgl_knob knob;
    int64_t at_ms;
    phone->late_away_ms = AWAY_MS;
    if (!take("phone-adb-drop-at", &knob) ||
        !mgl_app_faults_parse_drop(knob.value, &at_ms, &phone->late_away_ms))
        return;
    phone->late_drop.fired = drop;
    phone->late_drop.arg = phone;
    mgl_timer_start(&phone->loop, &phone->late_drop, at_ms * MGC_NS_PER_MS);
}

void mgl_app_faults_plan(struct mgl_app_process *process)
{
    plan_death(process);
    plan_reboot(process->phone);
    plan_drop(process->phone);
}

void mgl_app_faults_stop(struct mgl_phone *phone)
{
    mgl_timer_stop(&phone->late_reboot);
    mgl_timer_stop(&phone->late_drop);
}
