/* Files and directories: whole-file reads with a cap, writes that survive a crash, locks.
 *
 * Every error names the path. Any thread; one lock object belongs to one thread.
 */
#ifndef MGC_PLAT_FILE_H
#define MGC_PLAT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/buf.h"
#include "common/base/error.h"

/* Append a file's bytes to buf; more than `max` bytes is MGC_E_NO_MEMORY, and buf is unchanged.
 * What is no regular file is refused (common/base/open.h). */
bool mgc_file_read(const char *path, size_t max, struct mgc_buf *buf, struct mgc_error *err);

/* Write a file so that readers see the old content or the new, also after a power cut: a
 * temporary neighbour, fsync, rename, fsync of the directory. The neighbour is removed on failure.
 * `mode` is the permission (0600 for keys); ignored on Windows. */
bool mgc_file_write(
    const char *path, const void *data, size_t len, unsigned mode, struct mgc_error *err);

bool mgc_file_exists(const char *path);
/* Size in bytes of a regular file. */
bool mgc_file_size(const char *path, uint64_t *ret_bytes, struct mgc_error *err);
/* When the file or directory was last changed, in wall time. */
bool mgc_file_changed(const char *path, int64_t *ret_wall_ns, struct mgc_error *err);
/* Atomic replace within one file system; durable when it returns. */
bool mgc_file_rename(const char *from, const char *to, struct mgc_error *err);
/* What was written to `stream`, and the name of its file `path`, survive a power cut from here on.
 */
bool mgc_stream_sync(FILE *stream, const char *path, struct mgc_error *err);
bool mgc_file_remove(const char *path, struct mgc_error *err); /* absent is success */
bool mgc_file_copy(const char *from, const char *to, unsigned mode, struct mgc_error *err);

/* Make the directory and its missing parents, durably; existing is success. */
bool mgc_dir_make(const char *path, unsigned mode, struct mgc_error *err);
/* Remove a directory and all below it; never follows symbolic links; absent is success. */
bool mgc_dir_remove(const char *path, struct mgc_error *err);

/* Names in a directory, sorted bytewise, without "." and "..". */
struct mgc_dir_names {
    char **names; /* owned */
    size_t count;
};
bool mgc_dir_list(const char *path, struct mgc_dir_names *ret_names, struct mgc_error *err);
void mgc_dir_names_destroy(struct mgc_dir_names *names); /* takes NULL and zeroed */

/* Bytes free to this user on the file system that holds path. */
bool mgc_dir_free_bytes(const char *path, uint64_t *ret_bytes, struct mgc_error *err);

/* An exclusive lock on a file, released when the process dies. MGC_E_BUSY when somebody holds it;
 * the file then holds the holder's pid as text. */
struct mgc_lock {
    intptr_t handle; /* -1: not held */
};
#define MGC_LOCK_INIT                                                                              \
    {                                                                                              \
        -1                                                                                         \
    }
bool mgc_lock_take(struct mgc_lock *lock, const char *path, struct mgc_error *err);
/* As mgc_lock_take on a file that programs of several users lock (mode 0666), in a directory that
 * anybody may write to: a symbolic link is refused. */
bool mgc_lock_take_public(struct mgc_lock *lock, const char *path, struct mgc_error *err);
/* Text behind the pid in a lock file that we hold, for people who find it busy. Replaces an earlier
 * one; empty takes the pid away too: nobody holds it. Not made to survive a power cut. */
bool mgc_lock_note(const struct mgc_lock *lock, const char *text, struct mgc_error *err);
void mgc_lock_release(struct mgc_lock *lock); /* takes NULL and not held */

#endif
