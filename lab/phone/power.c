#include "lab/phone/power.h"

#include <signal.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "lab/phone/app_faults.h"
#include "lab/phone/ids.h"
#include "lab/phone/listen.h"
#include "lab/phone/log_server.h"
#include "lab/phone/procs.h"
#include "lab/phone/root.h"

void mgl_adb_set_away(struct mgl_phone *phone, enum mgl_adb_away reason, bool away)
{
    struct mgc_error err;
    unsigned before = phone->adb_away;
    phone->adb_away = away ? before | reason : before & ~(unsigned)reason;
    if (phone->adb_away && !before)
        mgl_transport_stop(&phone->transport);
    if (phone->adb_away || !before)
        return;
    int fd = mgl_listen(phone->options->listen, &err);
    if (fd < 0 || !mgl_transport_start(&phone->transport, &phone->loop, fd, &err))
        mgc_err("adb does not come back: %s", err.text);
}

static void kill_everything(struct mgl_phone *phone)
{
    if (!phone->options->inside) {
        kill(-1, SIGKILL); /* all in our PID namespace but us, its first process */
        return;
    }
    mgl_procs_kill_below(); /* without a namespace, -1 would be the host's processes */
}

void mgl_power_off(struct mgl_phone *phone)
{
    if (phone->off)
        return;
    phone->off = true;
    mgl_app_faults_stop(phone);
    mgl_adb_set_away(phone, MGL_ADB_OFF, true);
    kill_everything(phone);
    mgl_loop_reap_all(&phone->loop);
    mgl_log_ring_clear(&phone->log);
    mgl_store_destroy(&phone->store);
    mgl_journal_write(phone->journal_fd, mgc_mono_ns(), "phone-off", NULL);
    mgc_info("the phone is off");
}

void mgl_power_on(struct mgl_phone *phone)
{
    struct mgc_error err;
    if (!phone->off)
        return;
    phone->off = false;
    if (!mgl_store_init(&phone->store, mgl_ids_are_real()) || !mgl_root_new_boot_id(&err))
        mgc_err("the phone does not start as it should");
    mgl_sys_state_boot(phone);
    mgl_phone_log(phone, MGL_LOG_INFO, "mgphone", "this is the lab phone of mgcoord, booted");
    mgl_adb_set_away(phone, MGL_ADB_OFF, false);
    mgl_journal_write(phone->journal_fd, mgc_mono_ns(), "phone-on", NULL);
    mgc_info("the phone has booted");
}
