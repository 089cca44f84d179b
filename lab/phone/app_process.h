/* One process of an app, as PID 1 holds it: started, told what to be, heard. Loop thread only. */
#ifndef MGC_LAB_PHONE_APP_PROCESS_H
#define MGC_LAB_PHONE_APP_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"
#include "lab/phone/loop.h"
#include "lab/phone/packages.h"
#include "lab/phone/timer.h"

struct mgl_phone;

struct mgl_app_process {
    struct mgl_child child;
    struct mgl_watch channel;              /* app/channel.h */
    struct mgl_timer death;                /* the fault app-dies-ms */
    struct mgl_phone *phone;               /* borrowed */
    const struct mgl_package *package;     /* borrowed, static */
    const struct mgl_component *component; /* borrowed, static */
    pid_t pid;                             /* also once the child has been taken */
    bool in_front;                         /* an activity that has not finished */
    struct mgl_app_process *next;
};

enum { MGL_APP_MARK_SIZE = 160 };

/* What every process of this app of this phone carries (procs.h). */
void mgl_app_process_mark(const struct mgl_phone *phone, const struct mgl_package *package,
    char ret_mark[MGL_APP_MARK_SIZE]);

/* Start the process with its first request and put it into phone->apps; it takes itself out and
 * frees itself when it ends. NULL: err. */
struct mgl_app_process *mgl_app_process_start(struct mgl_phone *phone,
    const struct mgl_package *package, const struct mgl_component *component, const char **extras,
    size_t extra_count, struct mgc_error *err);

/* One more request to the live process. */
bool mgl_app_process_send(struct mgl_app_process *process, const char **extras, size_t extra_count,
    struct mgc_error *err);

#endif
