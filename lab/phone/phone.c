#include "lab/phone/phone.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/hash.h"
#include "common/base/log.h"
#include "lab/phone/flat.h"
#include "lab/phone/identity.h"
#include "lab/phone/ids.h"
#include "lab/phone/knobs.h"
#include "lab/phone/log_server.h"
#include "lab/phone/procs.h"
#include "lab/phone/pump.h"
#include "lab/phone/root.h"
#include "lab/phone/services.h"

static const char banner[] =
    "device::ro.product.name=" MGL_DEVICE ";ro.product.model=" MGL_MODEL
    ";ro.product.device=" MGL_DEVICE ";features=shell_v2,cmd,fixed_push_mkdir";

/* adb last: whoever is let in finds a phone that is complete. */
static bool start(struct mgl_phone *phone, struct mgc_error *err)
{
    const struct mgl_options *options = phone->options;
    mgl_ids_probe();
    if (options->inside)
        mgl_flat_settle();
    unsetenv("MGLAB_RUN"); /* named a directory of the host; ours is bound to its usual place */
    if (!mgc_random_init(err) || (!options->inside && !mgl_root_enter(options, err)) ||
        !mgl_loop_init(&phone->loop, err))
        return false;
    mgc_random_text(phone->id, sizeof(phone->id) - 1);
    if (!mgl_store_init(&phone->store, mgl_ids_are_real()))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the phone's settings");
    if (options->serialno &&
        !mgl_store_put(&phone->store, MGL_SPACE_PROP, "ro.serialno", options->serialno))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the phone's serial number");
    if (!mgl_sys_state_start(phone, err) || !mgl_log_server_start(phone, err) ||
        !mgl_control_server_start(&phone->control, phone, err))
        return false;
    mgl_phone_log(phone, MGL_LOG_INFO, "mgphone", "this is the lab phone of mgcoord");
    phone->transport.banner = banner;
    phone->transport.open = mgl_service_open;
    phone->transport.open_arg = phone;
    mgl_phone_set_latency(phone, phone->latency_at_start);
    mgl_journal_write(phone->journal_fd, mgc_mono_ns(), "phone-start", NULL);
    return mgl_transport_start(&phone->transport, &phone->loop, phone->listener, err) &&
           mgl_knobs_start(phone, err);
}

void mgl_phone_set_latency(struct mgl_phone *phone, const struct mgl_latency *latency)
{
    phone->latency = latency;
    phone->transport.to_host_rate = latency->to_host_rate;
}

static void stop(struct mgl_phone *phone)
{
    mgl_knobs_stop(phone);
    mgl_transport_stop(&phone->transport);
    mgl_pumps_end();
    mgl_control_server_stop(&phone->control);
    mgl_log_server_stop(phone);
    mgl_sys_state_stop(phone);
    mgl_store_destroy(&phone->store);
    mgl_loop_destroy(&phone->loop);
}

int mgl_phone_run(struct mgl_phone *phone)
{
    struct mgc_error err;
    if (!start(phone, &err)) {
        mgc_err("the phone does not start: %s", err.text);
        return 1;
    }
    printf("ready adb=%s uids=%s\n", phone->options->listen, mgl_ids_are_real() ? "real" : "none");
    fflush(stdout);
    mgl_loop_run(&phone->loop);
    if (phone->options->inside)
        mgl_procs_kill_below();
    stop(phone);
    return 0;
}
