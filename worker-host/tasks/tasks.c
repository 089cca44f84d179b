#include "worker-host/tasks/tasks.h"

/* The log is read, and files are pulled, beside the one server. */
static const struct mgc_need beside_others[] = {{"phone", "serial", false}, {0}};
static const struct mgc_need the_server[] = {{"phone", "serial", true}, {0}};

const struct mgc_task_kind mgc_host_kinds[] = {
    {"host.device", mgc_host_device_params, "what the phone is and how it is doing",
        mgc_host_device_run, beside_others},
    {"host.server", mgc_host_server_params, "the render server in the phone's app, while it holds",
        mgc_host_server_run, the_server},
    {"host.logcat", mgc_host_logcat_params, "the phone's log into a file, while it holds",
        mgc_host_logcat_run, beside_others},
    {"host.pull", mgc_host_pull_params, "one file of the app, with length and hash proved",
        mgc_host_pull_run, beside_others},
    {"host.app", mgc_host_app_params, "the app: versions, hashes, and whether run-as works",
        mgc_host_app_run, beside_others},
    {"host.fixtures", mgc_host_fixtures_params, "trace and golden picture in the app's files",
        mgc_host_fixtures_run, beside_others},
    {"host.helper", mgc_host_helper_params, "the device program on the phone, while it holds",
        mgc_host_helper_run, beside_others},
    {"host.knobs", mgc_host_knobs_params, "settings of the phone, while it holds",
        mgc_host_knobs_run, beside_others},
    {"host.quiesce", mgc_host_quiesce_params, "the phone at rest, and whether it is fit to measure",
        mgc_host_quiesce_run, beside_others},
    {"host.state", mgc_host_state_params, "how the phone is doing, sampled while it holds",
        mgc_host_state_run, beside_others},
    {"host.sink", mgc_host_sink_params, "the phone's end of link tests, while it holds",
        mgc_host_sink_run, beside_others},
    {"host.replay", mgc_host_replay_params, "one replay by the phone's app, and what it left",
        mgc_host_replay_run, beside_others},
    {0},
};

const struct mgc_undo_kind mgc_host_undos[] = {
    {"server.stop", mgc_host_server_undo},
    {"knob.restore", mgc_host_knobs_undo},
    {"helper.remove", mgc_host_helper_undo},
    {"app.stop", mgc_host_replay_undo},
    {0},
};
