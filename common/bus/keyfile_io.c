#include <string.h>
#ifndef _WIN32
#include <sys/stat.h>
#include <unistd.h>
#endif

#include <sodium.h>
#include <zmq.h>

#include "common/bus/keyfile.h"
#include "common/plat/file.h"

enum { FILE_MAX_BYTES = 16 * 1024, KEY_MODE = 0600 };

static bool check_private(const char *path, struct mgc_error *err)
{
#ifndef _WIN32 /* there, the directory's access list protects it */
    struct stat info;
    if (stat(path, &info) != 0)
        return true; /* reading it says why */
    if (!S_ISREG(info.st_mode))
        return mgc_error_set(err, MGC_E_CONFIG, "%s: expected a file", path);
    if (info.st_mode & 077)
        return mgc_error_set(err, MGC_E_CONFIG,
            "%s: others can read or write it (mode %03o), expected mode 600 (chmod 600)", path,
            (unsigned)info.st_mode & 0777);
    if (info.st_uid != geteuid())
        return mgc_error_set(err, MGC_E_CONFIG,
            "%s: it is another user's (id %lld), who can change it; expected this one's (id %lld, "
            "chown)",
            path, (long long)info.st_uid, (long long)geteuid());
#endif
    return true;
}

bool mgc_keyfile_read(const char *path, struct mgc_buf *text, struct mgc_error *err)
{
    if (!check_private(path, err) || !mgc_file_read(path, FILE_MAX_BYTES, text, err))
        return false;
    if (strlen(mgc_buf_text(text)) != text->len)
        return mgc_error_set(err, MGC_E_CONFIG, "%s: expected text, found a NUL byte", path);
    return true;
}

bool mgc_keyfile_write(const char *path, const struct mgc_buf *text, struct mgc_error *err)
{
    if (!mgc_buf_ok(text))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for '%s'", path);
    return mgc_file_write(path, text->data, text->len, KEY_MODE, err);
}

void mgc_keyfile_wipe(struct mgc_buf *text)
{
    if (text->data)
        sodium_memzero(text->data, text->cap);
    mgc_buf_destroy(text);
}

bool mgc_keypair_make(struct mgc_keypair *ret_pair, struct mgc_error *err)
{
    if (zmq_curve_keypair(ret_pair->public_key, ret_pair->secret_key) == 0)
        return true;
    return mgc_error_set(err, MGC_E_UNSUPPORTED, "make a key pair: %s", zmq_strerror(zmq_errno()));
}

bool mgc_keypair_check(const struct mgc_keypair *pair, const char *path, struct mgc_error *err)
{
    char derived[MGC_KEY_SIZE];
    if (zmq_curve_public(derived, pair->secret_key) == 0 && strcmp(derived, pair->public_key) == 0)
        return true;
    return mgc_error_set(err, MGC_E_CONFIG, "%s: 'secret' does not belong to 'public'", path);
}
