/* What PID 1 hands to an app's process: which component to be, and the extras it was started with.
 *
 * Extras are words "T:key=value"; T is the type that the option of `am` gave them (intent.h). Like
 * an Intent, a getter of another type finds nothing: a wrong type is as good as absent. */
#ifndef MGC_LAB_PHONE_APP_REQUEST_H
#define MGC_LAB_PHONE_APP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lab/phone/control.h"

struct mgl_app_request {
    const char *package;
    const char *class_name;
    const char *extras[MGL_CONTROL_WORDS_MAX]; /* "T:key=value" */
    size_t extra_count;
};

/* Pure: from the bytes of a control request (with its length word), which is cut in place and must
 * outlive the result. */
bool mgl_app_request_parse(char *data, size_t len, struct mgl_app_request *ret_request);

/* The value of an extra, or `otherwise` when it is absent or of another type. */
const char *mgl_app_request_extra(
    const struct mgl_app_request *request, const char *key, const char *otherwise);
bool mgl_app_request_bool(const struct mgl_app_request *request, const char *key, bool otherwise);
int64_t mgl_app_request_int(
    const struct mgl_app_request *request, const char *key, int64_t otherwise);
int64_t mgl_app_request_long(
    const struct mgl_app_request *request, const char *key, int64_t otherwise);
double mgl_app_request_double(
    const struct mgl_app_request *request, const char *key, double otherwise);

#endif
