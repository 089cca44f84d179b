/* The status of a lab as text: the lines PID 1 answers with, and what people and programs see.
 *
 * A line is "NAME HOST PID RESTARTS"; PID is the lab's own number, 0 when the member is not
 * running. The caller of `mglab status` sees other numbers and turns them with a translator.
 */
#ifndef MGC_LAB_STATUS_H
#define MGC_LAB_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "lab/world/hosts.h"

struct mgc_lab_status_row {
    char name[32];
    enum mgc_lab_host host;
    pid_t pid;
    int restarts;
};

/* Hosts, members, the command. */
enum { MGC_LAB_STATUS_MAX = 160 };
struct mgc_lab_status {
    struct mgc_lab_status_row rows[MGC_LAB_STATUS_MAX];
    size_t count;
};

/* All pure. `name` stands in for row->name. */
bool mgc_lab_status_line(
    const struct mgc_lab_status_row *row, const char *name, struct mgc_buf *out);
bool mgc_lab_status_parse(
    const char *text, struct mgc_lab_status *ret_status, struct mgc_error *err);
bool mgc_lab_status_table(const struct mgc_lab_status *status, struct mgc_buf *out);
/* {"pid": N, "members": [{"name", "host", "pid", "restarts"}, ...]}; a pid that is not there is
 * null, never 0. */
bool mgc_lab_status_json(pid_t lab, const struct mgc_lab_status *status, struct mgc_buf *out);

#endif
