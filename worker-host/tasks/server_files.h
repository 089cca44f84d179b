/* The files of a server that has been stopped: its log, and what the parameter `files` asks for.
 * Task's thread. */
#ifndef MGC_HOST_SERVER_FILES_H
#define MGC_HOST_SERVER_FILES_H

#include "worker-host/helper/helper.h"
#include "worker-host/tasks/common.h"
#include "worker-host/tasks/files.h"

/* In the app's files directory (contract section 1). */
#define MGC_SERVER_LOG_NAME "mgl.server.log"

/* The list of parameter `files` (may be absent) with the server's log in front. */
bool mgc_server_files_list(
    const struct mgc_task *task, struct mgc_host_files *ret_files, struct mgc_error *err);
/* Declare them as artifacts. */
bool mgc_server_files_declare(struct mgc_task *task, struct mgc_error *err);
/* Bring them: over the helper's stream when there is one that still works, else one stream each. An
 * absent file is no failure: the fact missing_files names it, and the manifest lacks it. */
bool mgc_server_files_pull(struct mgc_task *task, struct mgc_helper *helper,
    const struct mgc_adb_wait *wait, struct mgc_error *err);

#endif
