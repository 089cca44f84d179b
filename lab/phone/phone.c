#include "lab/phone/phone.h"

#include <stdio.h>
#include <unistd.h>

#include "common/base/log.h"
#include "lab/phone/ids.h"
#include "lab/phone/root.h"
#include "lab/phone/services.h"

static const char banner[] = "device::ro.product.name=labphone;ro.product.model=lab phone;"
                             "ro.product.device=labphone;features=shell_v2,cmd,fixed_push_mkdir";

static bool start(struct mgl_phone *phone, struct mgc_error *err)
{
    mgl_ids_probe();
    if (!mgl_root_enter(phone->options, err) || !mgl_loop_init(&phone->loop, err))
        return false;
    phone->transport.banner = banner;
    phone->transport.open = mgl_service_open;
    phone->transport.open_arg = phone;
    return mgl_transport_start(&phone->transport, &phone->loop, phone->listener, err);
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
    mgl_transport_stop(&phone->transport);
    mgl_loop_destroy(&phone->loop);
    return 0;
}
