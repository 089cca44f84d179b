#include "lab/world/status.h"

#include <stdio.h>
#include <string.h>

bool mgc_lab_status_line(
    const struct mgc_lab_status_row *row, const char *name, struct mgc_buf *out)
{
    return mgc_buf_printf(
        out, "%s %s %d %d\n", name, mgc_lab_host_name(row->host), (int)row->pid, row->restarts);
}

static bool parse_line(const char *line, struct mgc_lab_status_row *ret_row)
{
    char host[32];
    int pid, used = 0;
    if (sscanf(line, "%31s %31s %d %d%n", ret_row->name, host, &pid, &ret_row->restarts, &used) !=
            4 ||
        (line[used] != '\n' && line[used] != '\0') || pid < 0 || ret_row->restarts < 0)
        return false;
    ret_row->pid = pid;
    return mgc_lab_host_find(host, &ret_row->host);
}

bool mgc_lab_status_parse(
    const char *text, struct mgc_lab_status *ret_status, struct mgc_error *err)
{
    struct mgc_lab_status status = {0};
    while (*text != '\0') {
        size_t len = strcspn(text, "\n");
        if (status.count == MGC_LAB_STATUS_MAX || !parse_line(text, &status.rows[status.count]))
            return mgc_error_set(err, MGC_E_PROTOCOL, "the lab answered with \"%.*s\"",
                len < 80 ? (int)len : 80, text);
        status.count++;
        text += len + (text[len] == '\n');
    }
    *ret_status = status;
    return true;
}

bool mgc_lab_status_table(const struct mgc_lab_status *status, struct mgc_buf *out)
{
    mgc_buf_printf(out, "%-16s %-8s %8s %s\n", "MEMBER", "HOST", "PID", "RESTARTS");
    for (size_t i = 0; i < status->count; i++) {
        const struct mgc_lab_status_row *row = &status->rows[i];
        char pid[16] = "-";
        if (row->pid > 0)
            snprintf(pid, sizeof pid, "%d", (int)row->pid);
        mgc_buf_printf(out, "%-16s %-8s %8s %d\n", row->name, mgc_lab_host_name(row->host), pid,
            row->restarts);
    }
    return mgc_buf_ok(out);
}

bool mgc_lab_status_json(pid_t lab, const struct mgc_lab_status *status, struct mgc_buf *out)
{
    mgc_buf_printf(out, "{\"pid\": %d, \"members\": [", (int)lab);
    for (size_t i = 0; i < status->count; i++) {
        const struct mgc_lab_status_row *row = &status->rows[i];
        mgc_buf_printf(out, "%s{\"name\": \"%s\", \"host\": \"%s\", \"pid\": ", i > 0 ? ", " : "",
            row->name, mgc_lab_host_name(row->host));
        if (row->pid > 0)
            mgc_buf_printf(out, "%d", (int)row->pid);
        else
            mgc_buf_puts(out, "null");
        mgc_buf_printf(out, ", \"restarts\": %d}", row->restarts);
    }
    return mgc_buf_puts(out, "]}\n") && mgc_buf_ok(out);
}
