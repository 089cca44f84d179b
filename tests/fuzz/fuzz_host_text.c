/* What the host worker reads of parameters and of a phone's words: knobs and what they read back,
 * file lists, reports of an app, a phone at rest and a fixture, the streams of a replay. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "worker-host/tasks/am.h"
#include "worker-host/tasks/app_report.h"
#include "worker-host/tasks/fixture.h"
#include "worker-host/tasks/knob.h"
#include "worker-host/tasks/quiesce_report.h"
#include "worker-host/tasks/replay_check.h"
#include "worker-host/tasks/replay_seen.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void knobs(const char *text)
{
    static struct mgc_knobs list;
    char value[MGC_KNOB_VALUE_MAX];
    struct mgc_knob buffer;
    if (mgc_knobs_parse(text, &list, NULL)) {
        for (size_t i = 0; i < list.count; i++) {
            struct mgc_buf script = {0};
            struct mgc_knob again;
            /* The journal keeps the line. */
            if (!mgc_knob_script(&script, &list.items[i], MGC_KNOB_RESTORE, text) ||
                !mgc_knob_parse(list.items[i].line, &again, NULL))
                abort();
            mgc_buf_destroy(&script);
        }
    }
    if (mgc_knob_parse("log-buffer 1M", &buffer, NULL) &&
        mgc_knob_value(&buffer, text, value, NULL))
        mgc_knob_holds(&buffer, value);
}

static void reports(const char *text)
{
    struct mgc_fields facts = {0};
    size_t len = mgc_quiesce_report_length(text);
    if (len > strlen(text))
        abort();
    mgc_quiesce_report_take(text, len, &facts, NULL);
    mgc_app_report_parse(text, &facts, NULL);
    mgc_fields_destroy(&facts);
    mgc_am_judge("s", "am start", 0, text, text, NULL);
}

static void streams(const char *text, size_t size)
{
    static struct mgc_host_files files;
    static struct mgc_replay_seen seen;
    static struct mgc_knobs held = {.count = 0};
    struct mgc_fields facts = {0};
    if (!held.count && !mgc_knobs_parse("sysfs /sys/a 1\nlog-buffer 1M", &held, NULL))
        abort();
    mgc_host_files_parse(text, &files, NULL);
    mgc_replay_seen_init(&seen, "a.b", text, &files);
    mgc_replay_seen_err(&seen, text, size);
    mgc_replay_seen_out(&seen, text, size);
    mgc_replay_seen_settled(&seen);
    mgc_replay_check_take(mgc_buf_text(&seen.check), &held, &facts, NULL);
    mgc_fields_destroy(&facts);
    mgc_replay_seen_destroy(&seen);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1); /* exact size, so that a read past the end is seen */
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    size_t tail = size < MGC_FIXTURE_TAIL ? size : MGC_FIXTURE_TAIL;
    mgc_fixture_judge(MGC_FIXTURE_GOLDEN, data, size < MGC_FIXTURE_HEAD ? size : MGC_FIXTURE_HEAD,
        data + size - tail, tail);
    mgc_fixture_judge_name(text);
    knobs(text);
    reports(text);
    streams(text, size);
    free(text);
    return 0;
}
