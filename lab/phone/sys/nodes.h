/* The files below /sys: which there are, what they say, what writing one does. Pure.
 *
 * Names and units are Linux's cpufreq, thermal and power_supply and Qualcomm's kgsl and
 * msm_performance drivers (contract, section 3.4). */
#ifndef MGC_LAB_PHONE_SYS_NODES_H
#define MGC_LAB_PHONE_SYS_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "lab/phone/sys/model.h"

enum { MGL_NODES_MAX = 192, MGL_NODE_PATH_MAX = 112, MGL_NODE_TEXT_MAX = 256 };

struct mgl_node_kind; /* private: how it reads and what a write does */

struct mgl_node {
    char path[MGL_NODE_PATH_MAX]; /* below /sys, without a leading '/' */
    mode_t mode;                  /* of a file that root owns; the shell may read 0444 */
    const struct mgl_node_kind *kind;
    int index; /* policy, zone, cpu */
};

/* All of them; the count is below MGL_NODES_MAX. */
size_t mgl_nodes_list(struct mgl_node ret_nodes[MGL_NODES_MAX]);

struct mgl_node_link {
    const char *path, *target; /* path below /sys; target absolute */
};

/* Links as sysfs has them, from /sys/class; the last one has no path. */
extern const struct mgl_node_link mgl_node_links[];

/* What the file says, with its newline. */
void mgl_node_text(const struct mgl_sys_model *model, const struct mgl_node *node,
    char ret_text[MGL_NODE_TEXT_MAX]);
/* Somebody wrote `text` into the file; false when that means nothing to the driver. */
bool mgl_node_write(struct mgl_sys_model *model, const struct mgl_node *node, const char *text);
/* Is it a limit of the processor's clocks, such as a vendor's service takes back? */
bool mgl_node_is_cpu_limit(const struct mgl_node *node);

#endif
