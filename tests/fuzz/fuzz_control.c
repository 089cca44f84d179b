/* Any line on the control socket, in both directions, and any note in a lock file: no crash, an
 * error says something, and what is understood can be said again. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/control/message.h"
#include "coordinator/progress/status.h"
#include "coordinator/store/run_note.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void as_answer(const char *text, size_t size)
{
    struct mgc_error err = {0};
    struct mgc_status status;
    struct mgc_buf line = {0};
    json_t *doc = mgc_control_answer_parse(text, size, &err);
    if (!doc && err.code == MGC_OK)
        abort();
    mgc_status_from_json(json_object_get(doc, "status"), &status);
    mgc_status_line(&status, 40, &line);
    if (line.len >= 40)
        abort();
    mgc_buf_destroy(&line);
    json_decref(doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    enum mgc_control_request request;
    struct mgc_run_note note;
    struct mgc_error err = {0};
    if (mgc_control_request_parse(text, size, &request, &err) ? !mgc_control_request_name(request)
                                                              : err.code == MGC_OK)
        abort();
    as_answer(text, size);
    if (mgc_run_note_parse(text, size, &note) != (note.pid != 0))
        abort();
    return 0;
}
