#include "worker-host/tasks/replay_params.h"

#include <string.h>

bool mgc_replay_check_mode(const struct mgc_value *value, struct mgc_error *err)
{
    return strcmp(value->string, "benchmark") == 0 || strcmp(value->string, "ssim") == 0 ||
           mgc_error_set(
               err, MGC_E_USAGE, "expected benchmark or ssim, got \"%.40s\"", value->string);
}

bool mgc_replay_check_ratio(const struct mgc_value *value, struct mgc_error *err)
{
    double ratio = value->type == MGC_VALUE_INT ? (double)value->integer : value->real;
    return (ratio >= 0 && ratio <= 1) ||
           mgc_error_set(err, MGC_E_USAGE, "expected a number from 0 to 1, got %g", ratio);
}
