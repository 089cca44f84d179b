#include "worker-host/tasks/tasks.h"

const struct mgc_task_kind mgc_host_kinds[] = {
    {"host.device", mgc_host_device_params, "what the phone is and how it is doing",
        mgc_host_device_run},
    {"host.server", mgc_host_server_params, "the render server in the phone's app, while it holds",
        mgc_host_server_run},
    {"host.logcat", mgc_host_logcat_params, "the phone's log into a file, while it holds",
        mgc_host_logcat_run},
    {"host.pull", mgc_host_pull_params, "one file of the app, with length and hash proved",
        mgc_host_pull_run},
    {0},
};

const struct mgc_undo_kind mgc_host_undos[] = {
    {"server.stop", mgc_host_server_undo},
    {0},
};
