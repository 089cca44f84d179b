/* Small file system steps whose errors name the path; for building the phone's root. */
#ifndef MGC_LAB_PHONE_MOUNTS_H
#define MGC_LAB_PHONE_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/base/error.h"
#include "lab/phone/ids.h"

/* With missing parents (0755); an existing directory keeps its mode. */
bool mgl_make_dir(const char *path, mode_t mode, struct mgc_error *err);
/* A directory with exactly this mode and owner. */
bool mgl_make_owned_dir(
    const char *path, mode_t mode, enum mgl_identity owner, struct mgc_error *err);
bool mgl_make_file(
    const char *path, const void *data, size_t len, mode_t mode, struct mgc_error *err);
bool mgl_make_link(const char *target, const char *path, struct mgc_error *err);
/* Where nothing can be mounted: bindings as `proot -b` takes them, "SOURCE:TARGET". */
enum { MGL_MOUNTS_MAX = 64 };
struct mgl_mount_list {
    char *items[MGL_MOUNTS_MAX]; /* owned; never freed, the process becomes another program */
    size_t count;
};
/* From now on mounts are noted here instead of made; targets are relative to the new root, which
 * is the current directory. */
void mgl_mounts_record(struct mgl_mount_list *list);
/* From now on mounting fails. */
void mgl_mounts_forbid(void);

bool mgl_mount(const char *source, const char *target, const char *type, unsigned long flags,
    const char *data, struct mgc_error *err);
/* Recursive bind of a file or directory (a plain one fails in user namespaces). */
bool mgl_bind(const char *source, const char *target, bool read_only, struct mgc_error *err);

#endif
