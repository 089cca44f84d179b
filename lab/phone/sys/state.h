/* /sys of the running phone: the model behind the files. Values go into the files as they change;
 * what root writes into one changes the model. Loop thread only. */
#ifndef MGC_LAB_PHONE_SYS_STATE_H
#define MGC_LAB_PHONE_SYS_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "lab/phone/sys/nodes.h"
#include "lab/phone/timer.h"

struct mgl_phone;

/* Where a node is kept while a fault hides it; for root only. */
#define MGL_SYS_HIDDEN "/sys/.hidden"

struct mgl_sys_state {
    struct mgl_phone *phone; /* borrowed; NULL while not started */
    struct mgl_sys_model model;
    struct mgl_node nodes[MGL_NODES_MAX];
    int fds[MGL_NODES_MAX]; /* stay open, so that our own writes close nothing */
    char texts[MGL_NODES_MAX][MGL_NODE_TEXT_MAX]; /* as last written by us, or taken */
    size_t count;
    /* inotify: somebody closed what he wrote. The phone's only one: a user may have few of them
     * (128 by default), and a lab many phones. */
    struct mgl_watch writes;
    struct mgl_timer tick;     /* time goes on */
    struct mgl_timer revert;   /* the vendor's service takes a limit back */
    struct mgl_timer throttle; /* the fault phone-throttled strikes */
    int64_t stepped_ns;
    int64_t revert_ms;   /* fault phone-pin-override; 0: not set */
    int64_t throttle_ms; /* fault phone-throttled: after it became busy; -1: not set */
};

/* Open the files that mgl_sys_tree_make has made. */
bool mgl_sys_state_start(struct mgl_phone *phone, struct mgc_error *err);
void mgl_sys_state_stop(struct mgl_phone *phone); /* takes one that was not started */

/* Watch a directory that is none of ours as well: what happens there starts phone->knob_timer when
 * its number is phone->knob_dir. The number, or -1 with errno. */
int mgl_sys_state_watch(struct mgl_phone *phone, const char *dir, uint32_t mask);

/* As after a boot: every setting is the kernel's again; faults stay. */
void mgl_sys_state_boot(struct mgl_phone *phone);
/* Something that the model depends on has changed: bring time and files up to date. */
void mgl_sys_state_update(struct mgl_phone *phone);

/* Take what has been written into the files by now. A kernel takes it before the write returns;
 * here a command that begins sees at least what earlier ones have done. */
void mgl_sys_state_settle(struct mgl_phone *phone);

/* An activity has started or finished. */
void mgl_sys_state_busy(struct mgl_phone *phone);

/* The faults of knobs.c; see docs/lab.md. */
void mgl_sys_state_throttle(struct mgl_phone *phone, int64_t after_ms); /* -1: no more */
void mgl_sys_state_clamp(struct mgl_phone *phone, int khz);             /* 0: no more */

#endif
