/* mgworker-host: the worker that owns adb and the phones. */
#include <stdio.h>
#include <stdlib.h>

#include "common/base/clock.h"
#include "common/task/worker.h"
#include "worker-host/adb/conn.h"
#include "worker-host/adb/program.h"
#include "worker-host/tasks/tasks.h"

enum { FACTS_MS = 15000 };

/* What adb is here. A host without a working adb still says hello: the coordinator then refuses a
 * plan that needs a phone, with these facts in the sentence. */
static bool hello_facts(struct mgc_fields *facts, void *worker, struct mgc_error *err)
{
    const struct mgc_host_worker *host = worker;
    struct mgc_adb_wait wait = {mgc_deadline_in_ms(FACTS_MS), -1};
    struct mgc_adb_program_version program;
    unsigned server;
    bool ok = mgc_fields_set_str(facts, "adb_program", mgc_adb_program(host->adb)) &&
              mgc_fields_set_str(facts, "adb_server", mgc_adb_address(host->adb));
    if (mgc_adb_program_version(mgc_adb_program(host->adb), &program, &wait, NULL)) {
        ok = ok && mgc_fields_setf(facts, "adb_version", "1.0.%u", program.protocol) &&
             mgc_fields_set_str(facts, "adb_release", program.release);
        if (program.path[0])
            ok = ok && mgc_fields_set_str(facts, "adb_path", program.path);
    }
    if (mgc_adb_server_version(host->adb, &server, &wait, NULL))
        ok = ok && mgc_fields_setf(facts, "adb_server_version", "1.0.%u", server);
    return ok || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for hello facts");
}

int main(int argc, char **argv)
{
    struct mgc_error err = {0};
    const char *program = getenv("MGC_ADB"); /* pins one adb by its path */
    struct mgc_host_worker host = {.adb = mgc_adb_new(program ? program : "adb", &err)};
    if (!host.adb || !(host.held = mgc_host_held_new(&err)) ||
        !(host.samplers = mgc_host_samplers_new(&err))) {
        mgc_host_held_free(host.held);
        mgc_adb_free(host.adb);
        fprintf(stderr, "mgworker-host: %s\n", err.text);
        return 2;
    }
    struct mgc_worker_spec spec = {.program = "mgworker-host",
        .role = "host",
        .summary = "The worker that owns adb and the phones.",
        .kinds = mgc_host_kinds,
        .undos = mgc_host_undos,
        .worker = &host,
        .facts = hello_facts};
    int code = mgc_worker_main(&spec, argc, argv);
    mgc_host_samplers_free(host.samplers);
    mgc_host_held_free(host.held);
    mgc_adb_free(host.adb);
    return code;
}
