/* What PID 1 hands to an app's process: which component to be, and the extras it was started with.
 */
#ifndef MGC_LAB_PHONE_APP_REQUEST_H
#define MGC_LAB_PHONE_APP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "lab/phone/control.h"

struct mgl_app_request {
    const char *package;
    const char *class_name;
    const char *extras[MGL_CONTROL_WORDS_MAX]; /* "key=value" */
    size_t extra_count;
};

/* Pure: from the bytes of a control request (with its length word), which is cut in place and must
 * outlive the result. */
bool mgl_app_request_parse(char *data, size_t len, struct mgl_app_request *ret_request);
/* Value of an extra, or `otherwise` when it is absent. */
const char *mgl_app_request_extra(
    const struct mgl_app_request *request, const char *key, const char *otherwise);

#endif
