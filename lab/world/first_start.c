#include <stdio.h>
#include <sys/socket.h>

#include "common/base/clock.h"
#include "lab/world/first_internal.h"
#include "lab/world/loopback.h"
#include "lab/world/ns.h"

/* What the phone says of the world that it stands in (lab/phone/conditions.h). */
static bool write_conditions(const struct mgc_lab_first *first, struct mgc_error *err)
{
    char text[128];
    const struct mgc_lab_first_spec *spec = first->spec;
    const char *link = first->stage.world.loopback ? "none, all on loopback"
                       : spec->link                ? spec->link
                                                   : "none, a plain cable";
    snprintf(text, sizeof text, "link %s%s%s\n", link,
        spec->phone_latency ? ", phone latency " : "",
        spec->phone_latency ? spec->phone_latency : "");
    return mgc_lab_faultdirs_make(&first->knobs.phones, text, err);
}

/* The files must be there before anybody looks at them; the world acts when it is built. */
static bool write_faults(const struct mgc_lab_first *first, struct mgc_error *err)
{
    const struct mgc_lab_first_spec *spec = first->spec;
    if (!write_conditions(first, err))
        return false;
    for (size_t i = 0; i < spec->fault_count; i++) {
        if (!mgc_lab_knob_plant(&first->knobs, &spec->faults[i], err))
            return false;
    }
    return true;
}

static bool set_faults(struct mgc_lab_first *first, struct mgc_error *err)
{
    for (size_t i = 0; i < first->spec->fault_count; i++) {
        if (!mgc_lab_knob_set(&first->knobs, &first->spec->faults[i], err))
            return false;
    }
    return true;
}

static void stay_up(struct mgc_lab_first *first)
{
    const struct mgc_lab_report up = {.up = true};
    first->phase = MGC_LAB_RUNNING;
    mgc_lab_first_used(first);
    if (send(first->sock, &up, sizeof up, MSG_NOSIGNAL) < 0)
        first->phase = MGC_LAB_GONE; /* nobody is there to own it */
}

void mgc_lab_first_start_command(struct mgc_lab_first *first)
{
    struct mgc_error err = {0};
    if (first->spec->workers && !mgc_lab_stage_workers(&first->stage, &err)) {
        mgc_lab_first_fail(first, "workers", MGC_LAB_EXIT_BROKEN, &err);
        return;
    }
    if (first->spec->command == NULL) {
        stay_up(first);
        return;
    }
    first->command = mgc_lab_stage_command(&first->stage, first->spec, &err);
    if (first->command > 0) {
        first->phase = MGC_LAB_RUNNING;
        mgc_lab_first_pass_on(first);
        return;
    }
    first->command = 0;
    mgc_lab_first_fail(first, "command",
        err.code == MGC_E_NOT_FOUND ? MGC_LAB_EXIT_NOT_FOUND : MGC_LAB_EXIT_NOT_RUN, &err);
}

static void start_phone(struct mgc_lab_first *first)
{
    struct mgc_error err = {0};
    if (mgc_lab_stage_phones(&first->stage, first->spec->phone_latency, &err))
        first->waiter = mgc_lab_stage_await_phones(&first->stage, &err);
    if (first->waiter <= 0) {
        first->waiter = 0;
        mgc_lab_first_fail(first, "phone", MGC_LAB_EXIT_BROKEN, &err);
    }
}

static void start_here(struct mgc_lab_first *first)
{
    struct mgc_error err = {0};
    char control[MGC_LAB_CONTROL_SHORT];
    mgc_lab_world_loopback(&first->stage.world);
    if (!mgc_lab_loopback_settle(first->spec->layout, &first->spec->roster, &err) ||
        !write_faults(first, &err) ||
        !mgc_lab_control_short(first->spec->layout->run, control, &err) ||
        !mgc_lab_control_open(&first->control, control, mgc_lab_first_request, first, &err) ||
        !set_faults(first, &err))
        mgc_lab_first_fail(first, "loopback", MGC_LAB_EXIT_BROKEN, &err);
    else if (!first->spec->phone)
        mgc_lab_first_start_command(first);
    else if (!mgc_lab_stage_adb(&first->stage, &err))
        mgc_lab_first_fail(first, "adb", MGC_LAB_EXIT_BROKEN, &err);
    else
        start_phone(first);
}

static void start_world(struct mgc_lab_first *first)
{
    struct mgc_error err = {0};
    /* The socket is there before the command that may use it; requests wait until the loop runs. */
    if (!mgc_lab_ns_settle(&err) || !write_faults(first, &err) ||
        !mgc_lab_control_open(
            &first->control, MGC_LAB_CONTROL_PATH, mgc_lab_first_request, first, &err))
        mgc_lab_first_fail(first, "namespaces", MGC_LAB_EXIT_BROKEN, &err);
    else if (!mgc_lab_world_build(&first->stage.world, &err))
        mgc_lab_first_fail(first, "links", MGC_LAB_EXIT_BROKEN, &err);
    else if (!mgc_lab_stage_proxy(&first->stage, &err))
        mgc_lab_first_fail(first, "proxy", MGC_LAB_EXIT_BROKEN, &err);
    else if ((first->spec->link != NULL &&
                 !mgc_lab_stage_link(&first->stage, first->spec->link, &err)) ||
             !set_faults(first, &err))
        mgc_lab_first_fail(first, "links", MGC_LAB_EXIT_BROKEN, &err);
    else if (first->spec->phone)
        start_phone(first);
    else
        mgc_lab_first_start_command(first);
}

void mgc_lab_first_start(struct mgc_lab_first *first)
{
    if (first->spec->loopback)
        start_here(first);
    else
        start_world(first);
}
