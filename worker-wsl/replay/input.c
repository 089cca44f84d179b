#include "worker-wsl/replay/input.h"

#include <string.h>

#include "common/plat/file.h"

/* First line of a pointer file: https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md */
static const char lfs_version[] = "version https://git-lfs.github.com/spec/";
enum { LFS_POINTER_MAX = 1024 };

static bool is_lfs_pointer(const char *path, uint64_t size)
{
    struct mgc_buf text = {0};
    if (size > LFS_POINTER_MAX || !mgc_file_read(path, LFS_POINTER_MAX, &text, NULL))
        return false;
    bool pointer = strncmp(mgc_buf_text(&text), lfs_version, sizeof(lfs_version) - 1) == 0;
    mgc_buf_destroy(&text);
    return pointer;
}

bool mgc_replay_input(
    const char *what, const char *path, char ret_hex[MGC_SHA256_HEX_SIZE], struct mgc_error *err)
{
    uint64_t size;
    if (!mgc_file_size(path, &size, err) || !mgc_sha256_file(path, ret_hex, &size, err))
        return mgc_error_prefix(err, "%s", what);
    if (size == 0)
        return mgc_error_set(err, MGC_E_CONFIG, "%s: '%s' is empty", what, path);
    if (is_lfs_pointer(path, size))
        return mgc_error_set(err, MGC_E_CONFIG,
            "%s: '%s' is a Git LFS pointer, not the file itself; fetch it with 'git lfs pull'",
            what, path);
    return true;
}
