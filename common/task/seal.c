#include "common/task/seal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/open.h"
#include "common/base/path.h"
#include "common/plat/file.h"

enum { PIECE = 64 * 1024 };

/* One pass over the file: hash of what was read, and, with `to`, the masked bytes and their hash.
 */
struct pass {
    FILE *from; /* owned */
    FILE *to;   /* owned; NULL: only look */
    struct mgc_masker masker;
    struct mgc_sha256 raw, masked;
    uint64_t size; /* bytes read */
    struct mgc_buf out;
};

static bool put(struct pass *pass)
{
    bool ok = mgc_buf_ok(&pass->out);
    mgc_sha256_update(&pass->masked, mgc_buf_text(&pass->out), pass->out.len);
    ok = ok && fwrite(mgc_buf_text(&pass->out), 1, pass->out.len, pass->to) == pass->out.len;
    mgc_buf_clear(&pass->out);
    return ok;
}

static bool pass_run(struct pass *pass, const char *path, struct mgc_error *err)
{
    char piece[PIECE];
    struct mgc_buf *out = pass->to ? &pass->out : NULL;
    size_t got;
    errno = 0;
    while ((got = fread(piece, 1, sizeof(piece), pass->from)) > 0) {
        mgc_sha256_update(&pass->raw, piece, got);
        pass->size += got;
        if (!mgc_masker_feed(&pass->masker, piece, got, out) || (out && !put(pass)))
            return mgc_error_errno(err, errno ? errno : ENOMEM, "mask '%s'", path);
    }
    if (ferror(pass->from))
        return mgc_error_errno(err, errno, "read '%s'", path);
    if (!mgc_masker_end(&pass->masker, out) || (out && (!put(pass) || fflush(pass->to) != 0)))
        return mgc_error_errno(err, errno ? errno : ENOMEM, "mask '%s'", path);
    return true;
}

static bool pass_begin(struct pass *pass, const char *path, const char *to_path,
    const struct mgc_secrets *secrets, struct mgc_error *err)
{
    *pass = (struct pass){0};
    mgc_masker_init(&pass->masker, secrets);
    mgc_sha256_init(&pass->raw);
    mgc_sha256_init(&pass->masked);
    pass->from = mgc_open_read(path, err);
    if (!pass->from)
        return false;
    pass->to = to_path ? mgc_open_write(to_path) : NULL;
    if (to_path && !pass->to)
        return mgc_error_errno(err, errno, "create '%s'", to_path);
    return true;
}

static void pass_end(struct pass *pass)
{
    if (pass->from)
        fclose(pass->from);
    if (pass->to)
        fclose(pass->to);
    mgc_masker_destroy(&pass->masker);
    mgc_buf_destroy(&pass->out);
}

static void hex_of(struct mgc_sha256 *hash, char *ret_hex)
{
    unsigned char digest[MGC_SHA256_SIZE];
    mgc_sha256_final(hash, digest);
    mgc_sha256_hex(digest, ret_hex);
}

/* Replace the file by its masked copy. */
static bool mask_file(const char *path, const struct mgc_secrets *secrets,
    struct mgc_artifact *artifact, struct mgc_error *err)
{
    char to_path[MGC_PATH_MAX];
    struct pass pass;
    if ((size_t)snprintf(to_path, sizeof(to_path), "%s.masked~", path) >= sizeof(to_path))
        return mgc_error_set(err, MGC_E_CONFIG, "mask '%s': path is too long", path);
    bool ok = pass_begin(&pass, path, to_path, secrets, err) && pass_run(&pass, path, err);
    hex_of(&pass.masked, artifact->sha256);
    artifact->masked_count = pass.masker.count;
    pass_end(&pass);
    ok = ok && mgc_file_rename(to_path, path, err);
    if (!ok)
        mgc_file_remove(to_path, NULL);
    return ok;
}

enum mgc_seal mgc_seal_file(const char *dir, const char *name, const struct mgc_secrets *secrets,
    struct mgc_artifact *ret_artifact, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_artifact artifact = {0};
    struct pass pass;
    if (!mgc_path_join(path, sizeof(path), dir, name)) {
        mgc_error_set(err, MGC_E_CONFIG, "artifact '%s': path is too long", name);
        return MGC_SEAL_FAILED;
    }
    if (!mgc_file_exists(path))
        return MGC_SEAL_ABSENT;
    /* Opening a pipe that a child left would wait for a writer, for ever. */
    if (!mgc_file_size(path, &artifact.size_bytes, err))
        return MGC_SEAL_FAILED;
    bool ok = pass_begin(&pass, path, NULL, secrets, err) && pass_run(&pass, path, err);
    bool found = pass.masker.count > 0, binary = pass.masker.has_nul;
    artifact.size_bytes = pass.size;
    hex_of(&pass.raw, artifact.raw_sha256);
    memcpy(artifact.sha256, artifact.raw_sha256, sizeof(artifact.sha256));
    pass_end(&pass);
    if (ok && found && binary)
        return MGC_SEAL_QUARANTINED;
    if (ok && found)
        ok = mask_file(path, secrets, &artifact, err);
    if (ok && !(artifact.name = strdup(name)))
        ok = mgc_error_set(err, MGC_E_NO_MEMORY, "artifact '%s': out of memory", name);
    if (!ok)
        return MGC_SEAL_FAILED;
    *ret_artifact = artifact;
    return MGC_SEAL_READY;
}
