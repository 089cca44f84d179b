#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "common/base/parse.h"
#include "lab/world/first_internal.h"
#include "lab/world/status.h"

static bool fault_request(struct mgc_lab_first *first, char **words, size_t count,
    struct mgc_buf *out, struct mgc_error *err)
{
    struct mgc_lab_fault fault;
    char text[MGC_LAB_CONTROL_LINE];
    if (count == 4 && strcmp(words[1], "set") == 0) {
        snprintf(text, sizeof text, "%s=%s", words[2], words[3]);
        return mgc_lab_fault_parse(text, &fault, err) &&
               mgc_lab_knob_set(&first->knobs, &fault, err);
    }
    if ((count == 2 || count == 3) && strcmp(words[1], "clear") == 0)
        return mgc_lab_knob_clear(&first->knobs, words[2], err);
    if (count == 2 && strcmp(words[1], "list") == 0)
        return mgc_lab_knob_list(&first->knobs, out, err);
    return mgc_error_set(err, MGC_E_USAGE, "fault wants set NAME VALUE, clear [NAME] or list");
}

static bool status_request(struct mgc_lab_first *first, struct mgc_buf *out, struct mgc_error *err)
{
    const struct mgc_lab_status_row command = {.host = MGC_LAB_WSL, .pid = first->command};
    for (int host = 0; host < MGC_LAB_HOST_COUNT; host++) {
        char name[32];
        const struct mgc_lab_status_row row = {
            .host = (enum mgc_lab_host)host, .pid = first->stage.world.hosts[host].holder};
        if (row.pid == 0)
            continue; /* the link, in a lab with a plain cable */
        snprintf(name, sizeof name, "host-%s", mgc_lab_host_name(row.host));
        mgc_lab_status_line(&row, name, out);
    }
    return (mgc_lab_members_status(&first->stage.members, out) &&
               (first->spec->command == NULL || mgc_lab_status_line(&command, "command", out))) ||
           mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the status");
}

bool mgc_lab_first_request(
    char **words, size_t count, struct mgc_buf *out, void *arg, struct mgc_error *err)
{
    struct mgc_lab_first *first = arg;
    int64_t sig;
    mgc_lab_first_used(first);
    if (strcmp(words[0], "touch") == 0 && count == 1)
        return true;
    if (strcmp(words[0], "end") == 0 && count == 1) {
        mgc_lab_first_signal(first, SIGTERM);
        return true;
    }
    if (strcmp(words[0], "status") == 0 && count == 1)
        return status_request(first, out, err);
    if (strcmp(words[0], "fault") == 0)
        return fault_request(first, words, count, out, err);
    if (strcmp(words[0], "kill") == 0 && count == 3 && mgc_parse_int(words[2], 1, 64, &sig))
        return mgc_lab_member_signal(&first->stage.members, words[1], (int)sig, err);
    return mgc_error_set(err, MGC_E_USAGE, "the lab does not know the request \"%s\"", words[0]);
}
