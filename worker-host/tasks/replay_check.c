#include "worker-host/tasks/replay_check.h"

#include <stdio.h>
#include <string.h>

#include "worker-host/tasks/app_report.h"

bool mgc_replay_check_script(struct mgc_buf *out, const struct mgc_knobs *held)
{
    mgc_buf_puts(out, MGC_APP_STAMP_TEXT "knobs() {\n:\n");
    if (held && !mgc_knobs_read_script(out, held))
        return false;
    return mgc_buf_puts(out, "}\n"
                             "check() {\n"
                             "  echo " MGC_REPLAY_CHECK_BEGIN "\n"
                             "  stamp \"$1\"\n"
                             "  knobs 2>/dev/null\n"
                             "  echo " MGC_REPLAY_CHECK_END "\n"
                             "}\n");
}

static bool take_stamp(const char *report, struct mgc_fields *facts)
{
    static const char mark[] = "mgc:app_stamp ";
    char line[MGC_APP_LINE_MAX];
    for (const char *at = report; at; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, mark, sizeof(mark) - 1) != 0)
            continue;
        snprintf(line, sizeof(line), "%.*s", (int)strcspn(at, "\n"), at);
        return mgc_app_stamp_take(line + strlen("mgc:"), facts);
    }
    return true;
}

bool mgc_replay_check_take(const char *report, const struct mgc_knobs *held,
    struct mgc_fields *facts, struct mgc_error *err)
{
    struct mgc_buf lost = {0};
    bool ok = take_stamp(report, facts) &&
              (!held || (mgc_knobs_lost(held, report, &lost) &&
                            mgc_fields_set_str(facts, "knobs_lost", mgc_buf_text(&lost))));
    mgc_buf_destroy(&lost);
    return ok || mgc_error_set(err, MGC_E_NO_MEMORY, "host.replay: no memory for facts");
}
