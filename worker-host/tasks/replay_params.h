/* Checks of host.replay's parameters. Pure; any thread. */
#ifndef MGC_HOST_REPLAY_PARAMS_H
#define MGC_HOST_REPLAY_PARAMS_H

#include "common/contract/backend.h"
#include "common/task/task.h"

enum { MGC_REPLAY_SIDE_MAX = 16384 }; /* pixels */

bool mgc_replay_check_mode(const struct mgc_value *value, struct mgc_error *err);
bool mgc_replay_check_ratio(const struct mgc_value *value, struct mgc_error *err);

#endif
