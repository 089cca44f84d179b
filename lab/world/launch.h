/* From options to a lab and back: what `mglab run` and `mglab up` have in common. */
#ifndef MGC_LAB_LAUNCH_H
#define MGC_LAB_LAUNCH_H

#include <stdbool.h>

#include "common/base/error.h"
#include "common/plat/file.h"
#include "lab/world/first.h"
#include "lab/world/layout.h"
#include "lab/world/options.h"

struct mgc_lab_launch {
    const char *program; /* in front of every sentence */
    struct mgc_lab_run_options options;
    struct mgc_lab_layout layout;
    struct mgc_lab_first_spec spec;
    struct mgc_lock lock;
    int signal_fd; /* ours while it runs */
    /* Called once, when a lab without a command is up; false ends it. NULL: nobody asked. */
    bool (*on_up)(void *arg);
    void *arg;
};

/* options -> layout and spec. False with MGC_E_USAGE. */
bool mgc_lab_launch_fill(struct mgc_lab_launch *launch, struct mgc_error *err);

/* Lock and prepare the state directory, build the lab, wait for its end, which may be any time
 * from now. The exit code of mglab; what there is to say is said on stderr. */
int mgc_lab_launch_run(struct mgc_lab_launch *launch);

#endif
