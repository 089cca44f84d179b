#include "worker-host/adb/program.h"
#include "worker-host/adb/lines.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/parse.h"
#include "common/plat/process.h"

enum { START_MS = 15000, VERSION_MS = 10000, VERSION_TEXT_MAX = 8192 };

static bool wait_success(struct mgc_process *process, const char *what,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_exit end;
    char text[64];
    if (!mgc_process_wait(process, wait->deadline_ns, &end, err))
        return mgc_error_prefix(err, "%s", what);
    if (end.kind != MGC_EXIT_CODE || end.value != 0)
        return mgc_error_set(
            err, MGC_E_FAILED, "%s: %s", what, mgc_exit_text(&end, text, sizeof(text)));
    return true;
}

bool mgc_adb_program_start_server(
    const char *program, unsigned port, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    char port_text[8], what[600];
    snprintf(port_text, sizeof(port_text), "%u", port);
    snprintf(what, sizeof(what), "\"%.500s -P %s start-server\"", program, port_text);
    const char *const argv[] = {program, "-P", port_text, "start-server", NULL};
    struct mgc_process_spec spec = {.argv = argv, .spares_children = true};
    struct mgc_adb_wait limit = mgc_adb_wait_ms(wait, START_MS);
    struct mgc_process *process = mgc_process_start(&spec, err);
    /* The server it starts lives on. */
    bool ok = process && wait_success(process, what, &limit, err);
    mgc_process_free(process);
    return ok;
}

static bool read_all(int fd, char *text, size_t size, struct mgc_error *err)
{
    size_t len = 0;
    while (len < size - 1) {
        long got = (long)read(fd, text + len, (unsigned)(size - 1 - len));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return mgc_error_errno(err, errno, "read the output of adb version");
        if (got == 0)
            break;
        len += (size_t)got;
    }
    text[len] = '\0';
    return true;
}

bool mgc_adb_program_version(const char *program, struct mgc_adb_program_version *ret_version,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    char text[VERSION_TEXT_MAX], what[600];
    snprintf(what, sizeof(what), "\"%.500s version\"", program);
    const char *const argv[] = {program, "version", NULL};
    struct mgc_process_spec spec = {.argv = argv, .stdout_pipe = true};
    struct mgc_adb_wait limit = mgc_adb_wait_ms(wait, VERSION_MS);
    struct mgc_process *process = mgc_process_start(&spec, err);
    /* Waiting first is safe: what it prints fits into any pipe. */
    bool ok = process && wait_success(process, what, &limit, err) &&
              read_all(mgc_process_stdout(process), text, sizeof(text), err) &&
              mgc_adb_program_version_parse(text, ret_version, err);
    mgc_process_free(process);
    return ok;
}

bool mgc_adb_program_version_parse(
    const char *text, struct mgc_adb_program_version *ret_version, struct mgc_error *err)
{
    struct mgc_adb_program_version version = {0};
    char number[64];
    int64_t protocol;
    if (!mgc_adb_line_after(text, "Android Debug Bridge version 1.0.", number, sizeof(number)) ||
        !mgc_parse_int(number, 1, 9999, &protocol))
        return mgc_error_set(err, MGC_E_PROTOCOL,
            "adb version: expected \"Android Debug Bridge version 1.0.N\", got \"%.*s\"",
            (int)strcspn(text, "\r\n"), text);
    version.protocol = (unsigned)protocol;
    mgc_adb_line_after(text, "Version ", version.release, sizeof(version.release));
    mgc_adb_line_after(text, "Installed as ", version.path, sizeof(version.path));
    *ret_version = version;
    return true;
}
