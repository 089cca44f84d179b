/* What is started on the lab's hosts, and how. PID 1 only. */
#ifndef MGC_LAB_STAGE_H
#define MGC_LAB_STAGE_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/base/error.h"
#include "lab/world/layout.h"
#include "lab/world/linkcontrol.h"
#include "lab/world/members.h"
#include "lab/world/world.h"

/* Strings that members' argument vectors borrow. */
struct mgc_lab_stage {
    const struct mgc_lab_layout *layout; /* borrowed */
    struct mgc_lab_world world;
    struct mgc_lab_members members;
    struct mgc_lab_linkcontrol linkcontrol;
    char link_program[MGC_LAB_PATH_MAX];
    char proxy_program[MGC_LAB_PATH_MAX];
    char phone_program[MGC_LAB_PATH_MAX];
    char app_lib[MGC_LAB_PATH_MAX];
    char worker_program[2][MGC_LAB_PATH_MAX];
    char worker_enrol[2][MGC_LAB_PATH_MAX];
    char home[4][MGC_LAB_PATH_MAX];
};

bool mgc_lab_stage_proxy(struct mgc_lab_stage *stage, struct mgc_error *err);
/* Start the link emulator with a profile; true once it carries traffic. */
bool mgc_lab_stage_link(struct mgc_lab_stage *stage, const char *profile, struct mgc_error *err);
bool mgc_lab_stage_phone(struct mgc_lab_stage *stage, const char *latency, struct mgc_error *err);
/* In loopback mode: an adb server that dies with the lab. */
bool mgc_lab_stage_adb(struct mgc_lab_stage *stage, struct mgc_error *err);
bool mgc_lab_stage_workers(struct mgc_lab_stage *stage, struct mgc_error *err);

/* A child in winhost that ends with 0 as soon as the phone's adb port takes a connection, with 1
 * when it did not within 10 s. -1 on failure. */
pid_t mgc_lab_stage_await_phone(struct mgc_lab_stage *stage, struct mgc_error *err);

/* Start the command in wsl, in the foreground. -1 on failure. */
pid_t mgc_lab_stage_command(
    struct mgc_lab_stage *stage, char *const *command, struct mgc_error *err);

#endif
