/* What is started on the lab's hosts, and how. PID 1 only. */
#ifndef MGC_LAB_STAGE_H
#define MGC_LAB_STAGE_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/base/error.h"
#include "lab/world/first.h"
#include "lab/world/layout.h"
#include "lab/world/linkcontrol.h"
#include "lab/world/members.h"
#include "lab/world/roster.h"
#include "lab/world/world.h"

struct mgc_lab_stage {
    const struct mgc_lab_layout *layout; /* borrowed, like the roster */
    const struct mgc_lab_roster *roster;
    const char *run; /* borrowed: the directory that stands for /run/mglab */
    struct mgc_lab_world world;
    struct mgc_lab_members members;
    struct mgc_lab_linkcontrol linkcontrol;
};

bool mgc_lab_stage_proxy(struct mgc_lab_stage *stage, struct mgc_error *err);
/* Start the link emulator with a profile; true once it carries traffic. */
bool mgc_lab_stage_link(struct mgc_lab_stage *stage, const char *profile, struct mgc_error *err);
/* All of them. */
bool mgc_lab_stage_phones(struct mgc_lab_stage *stage, const char *latency, struct mgc_error *err);
/* In loopback mode: an adb server for each pair that dies with the lab. */
bool mgc_lab_stage_adb(struct mgc_lab_stage *stage, struct mgc_error *err);
bool mgc_lab_stage_workers(struct mgc_lab_stage *stage, struct mgc_error *err);

/* A child in winhost that ends with 0 as soon as the adb port of every phone takes a connection,
 * else with the number of the first that did not in time. -1 on failure. */
pid_t mgc_lab_stage_await_phones(struct mgc_lab_stage *stage, struct mgc_error *err);

/* How long it waits. */
int mgc_lab_stage_await_ms(const struct mgc_lab_roster *roster);

/* Start the command of the spec in wsl, in the foreground. -1 on failure. */
pid_t mgc_lab_stage_command(
    struct mgc_lab_stage *stage, const struct mgc_lab_first_spec *spec, struct mgc_error *err);

#endif
