/* mgworker-wsl: the worker on the cross-host side. Everything it can do is in tasks/tasks.c. */
#include <stdio.h>
#include <string.h>

#include "common/plat/host.h"
#include "common/task/worker.h"
#include "worker-wsl/tasks/tasks.h"

int main(int argc, char **argv)
{
    struct mgc_wsl_worker worker = {0};
    struct mgc_host host;
    struct mgc_error err = {0};
    if (!mgc_host_read(&host, &err)) {
        fprintf(stderr, "mgworker-wsl: %s\n", err.text);
        return 3;
    }
    memcpy(worker.boot_id, host.boot_id, sizeof(worker.boot_id));
    struct mgc_worker_spec spec = {
        .program = "mgworker-wsl",
        .role = "wsl",
        .summary = "Worker on the cross-host side: routes, path check, replay client.",
        .kinds = mgc_wsl_kinds,
        .undos = mgc_wsl_undos,
        .worker = &worker,
    };
    return mgc_worker_main(&spec, argc, argv);
}
