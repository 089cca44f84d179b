/* Key files: their text, "name = value" lines against a table of what may stand there (pure), and
 * reading and writing them. Internal to bus/.
 */
#ifndef MGC_BUS_KEYFILE_H
#define MGC_BUS_KEYFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/bus/keys.h"

struct mgc_keyfile_entry {
    const char *name;
    char *into;  /* room for `max` values of `size` bytes each */
    size_t size; /* of one value, terminator included */
    size_t max;  /* how often the line may stand there; at least once is required */
    /* What the value must be; the error must not quote secrets. */
    bool (*check)(const char *value, struct mgc_error *err);
    size_t count; /* filled: how often it stood there */
};

/* MGC_E_CONFIG: "PATH:LINE: NAME: expected ...". Every line has an end, the last one too: a value
 * that was cut off may well look like a shorter one. */
bool mgc_keyfile_parse(const char *text, const char *path, struct mgc_keyfile_entry *entries,
    size_t entry_count, struct mgc_error *err);

/* Checks for the table. */
bool mgc_keyfile_check_key(const char *value, struct mgc_error *err);   /* Z85, 40 characters */
bool mgc_keyfile_check_name(const char *value, struct mgc_error *err);  /* [a-z0-9-], 1..63 */
bool mgc_keyfile_check_role(const char *value, struct mgc_error *err);  /* host or wsl */
bool mgc_keyfile_check_state(const char *value, struct mgc_error *err); /* active or revoked */
bool mgc_keyfile_check_address(const char *value, struct mgc_error *err);

/* Append the file's text. A file that others can read or write, another user's file and what is no
 * file are refused (MGC_E_CONFIG). */
bool mgc_keyfile_read(const char *path, struct mgc_buf *text, struct mgc_error *err);
/* Mode 0600, old or new content whatever happens. */
bool mgc_keyfile_write(const char *path, const struct mgc_buf *text, struct mgc_error *err);
/* Destroy text that held a secret. */
void mgc_keyfile_wipe(struct mgc_buf *text);

bool mgc_keypair_make(struct mgc_keypair *ret_pair, struct mgc_error *err);
/* MGC_E_CONFIG when the halves do not belong together. */
bool mgc_keypair_check(const struct mgc_keypair *pair, const char *path, struct mgc_error *err);

/* Write an enrolment file. */
bool mgc_enrolment_write(
    const char *path, const struct mgc_enrolment *enrolment, struct mgc_error *err);

#endif
