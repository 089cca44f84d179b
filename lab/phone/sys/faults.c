#include "lab/phone/sys/faults.h"

#include "common/base/log.h"
#include "lab/phone/phone.h"
#include "lab/phone/rooted.h"
#include "lab/phone/sys/hide.h"

enum { HOT_DC = 480, WARMING = 5, REVERT_MS = 200, CLAMPED_KHZ = 1286400 };

void mgl_fault_hot(struct mgl_phone *phone, const struct mgl_knob *knob)
{
    phone->sys.model.hot_dc = (int)mgl_knob_number(knob, HOT_DC);
    mgl_sys_state_update(phone);
}

void mgl_fault_hot_over(struct mgl_phone *phone)
{
    phone->sys.model.hot_dc = MGL_HOT_NONE;
    mgl_sys_state_update(phone);
}

void mgl_fault_warming(struct mgl_phone *phone, const struct mgl_knob *knob)
{
    mgl_sys_state_update(phone);
    phone->sys.model.warming = (int)mgl_knob_number(knob, WARMING);
}

void mgl_fault_warming_over(struct mgl_phone *phone)
{
    phone->sys.model.warming = 0;
    mgl_sys_state_update(phone);
}

void mgl_fault_throttled(struct mgl_phone *phone, const struct mgl_knob *knob)
{
    mgl_sys_state_throttle(phone, mgl_knob_number(knob, 0));
}

void mgl_fault_throttled_over(struct mgl_phone *phone)
{
    mgl_sys_state_throttle(phone, -1);
}

void mgl_fault_pin_override(struct mgl_phone *phone, const struct mgl_knob *knob)
{
    phone->sys.revert_ms = mgl_knob_number(knob, REVERT_MS);
}

void mgl_fault_pin_override_over(struct mgl_phone *phone)
{
    phone->sys.revert_ms = 0;
}

void mgl_fault_clamped(struct mgl_phone *phone, const struct mgl_knob *knob)
{
    mgl_sys_state_clamp(phone, (int)mgl_knob_number(knob, CLAMPED_KHZ));
}

void mgl_fault_clamped_over(struct mgl_phone *phone)
{
    mgl_sys_state_clamp(phone, 0);
}

static void tell(bool ok, const struct mgc_error *err)
{
    if (!ok)
        mgc_warn("a fault of /sys is not as it should be: %s", err->text);
}

void mgl_fault_missing(struct mgl_phone *phone, const struct mgl_knob *knob)
{
    struct mgc_error err;
    tell(mgl_sys_hide(knob->value, &err), &err);
}

void mgl_fault_missing_over(struct mgl_phone *phone)
{
    struct mgc_error err;
    tell(mgl_sys_hide(NULL, &err), &err);
}

void mgl_fault_unreadable(struct mgl_phone *phone, const struct mgl_knob *knob)
{
    struct mgc_error err;
    tell(mgl_sys_lock(knob->value, &err), &err);
}

void mgl_fault_unreadable_over(struct mgl_phone *phone)
{
    struct mgc_error err;
    tell(mgl_sys_lock(NULL, &err), &err);
}

void mgl_fault_rooted(struct mgl_phone *phone, const struct mgl_knob *knob)
{
    struct mgc_error err;
    if (!mgl_rooted_set(true, &err))
        mgc_warn("no su: %s", err.text);
}

void mgl_fault_rooted_over(struct mgl_phone *phone)
{
    mgl_rooted_set(false, NULL);
}

void mgl_fault_unplugged(struct mgl_phone *phone, const struct mgl_knob *knob)
{
    mgl_store_put(&phone->store, MGL_SPACE_POWER, "plugged", "none");
    mgl_sys_state_update(phone);
}

void mgl_fault_unplugged_over(struct mgl_phone *phone)
{
    mgl_store_put(&phone->store, MGL_SPACE_POWER, "plugged", "usb");
    mgl_sys_state_update(phone);
}
