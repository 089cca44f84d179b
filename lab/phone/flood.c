#include "lab/phone/flood.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "common/base/log.h"
#include "lab/knob/knob.h"
#include "lab/phone/spawn.h"

enum { LINES = 100000 };

/* Numbered, so that a reader can tell what it has missed. */
static int run_flood(void *arg)
{
    const int64_t *lines = arg;
    for (int64_t i = 1; i <= *lines; i++) {
        char text[160];
        snprintf(text, sizeof(text),
            "flood line %lld of %lld: the quick brown fox jumps over the lazy dog", (long long)i,
            (long long)*lines);
        mgl_logd_write(MGL_LOG_INFO, "mglab-flood", text);
    }
    return 0;
}

void mgl_flood_start(struct mgl_phone *phone)
{
    static const char knob_name[] = "phone-log-flood";
    struct mgl_knob knob;
    struct mgc_error err;
    if (!mgl_knob_get(knob_name, &knob) || !mgl_knob_take(knob_name, &knob))
        return;
    int64_t lines = mgl_knob_number(&knob, LINES);
    int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    struct mgl_spawn spawn = {.function = run_flood,
        .arg = &lines,
        .cwd = "/",
        .in = null_fd,
        .out = null_fd,
        .err = null_fd,
        .identity = MGL_SHELL};
    if (null_fd < 0 || mgl_spawn(&spawn, &err) < 0)
        mgc_warn("no log flood");
    if (null_fd >= 0)
        close(null_fd);
}
