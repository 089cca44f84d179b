#include "lab/replay/fault.h"

#include "lab/knob/knob.h"

bool mgr_fault(const char *name)
{
    struct mgl_knob knob;
    return mgl_knob_get(name, &knob) && mgl_knob_take(name, &knob);
}

bool mgr_fault_number(const char *name, int64_t bare, int64_t *ret_value)
{
    struct mgl_knob knob;
    if (!mgl_knob_get(name, &knob) || !mgl_knob_take(name, &knob))
        return false;
    *ret_value = mgl_knob_number(&knob, bare);
    return true;
}

bool mgr_fault_at(const char *name, int64_t bare, int64_t now)
{
    struct mgl_knob knob;
    return mgl_knob_get(name, &knob) && mgl_knob_number(&knob, bare) == now &&
           mgl_knob_take(name, &knob);
}
