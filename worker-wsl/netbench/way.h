/* One direction of a link test. For this folder. */
#ifndef WORKER_WSL_NETBENCH_WAY_H
#define WORKER_WSL_NETBENCH_WAY_H

#include "worker-wsl/netbench/conn.h"

/* New streams, a test over them, its end. `measured` is true in what it returns when it is. */
bool mgc_netbench_way_run(struct mgc_netbench_session *session, enum mgc_device_sink_way direction,
    struct mgc_netbench_way *ret_way, struct mgc_error *err);

#endif
