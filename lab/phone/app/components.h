/* What an app's process can be: one function per component class. */
#ifndef MGC_LAB_PHONE_APP_COMPONENTS_H
#define MGC_LAB_PHONE_APP_COMPONENTS_H

#include "lab/phone/app/request.h"

/* Runs until the component ends; the result is the process's exit code. `channel` (borrowed,
 * closed on exec) leads to PID 1: app/channel.h. */
typedef int mgl_app_component(const struct mgl_app_request *request, int channel);

mgl_app_component mgl_server_service;
mgl_app_component mgl_replay_activity;

#endif
