/* Key files: the coordinator's key directory and a worker's enrolment file.
 *
 * Plain "name = value" lines, '#' comments, mode 0600, keys in Z85 (40 characters, ZeroMQ RFC 32).
 * A worker is its public key: its name and role come from the coordinator's directory, never from
 * what it says. Secret keys are wiped from memory by the destroy functions.
 *
 *   KEYS/coordinator.key     public, secret
 *   KEYS/workers/NAME.key    public, role, state (active|revoked); no secret stays here
 *   NAME.enrol               name, role, coordinator, public, secret, address (one line each, in
 *                            the order to try)
 */
#ifndef MGC_BUS_KEYS_H
#define MGC_BUS_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"

enum { MGC_KEY_SIZE = 41, MGC_NAME_SIZE = 64, MGC_ADDRESS_SIZE = 128, MGC_ADDRESS_MAX = 8 };

struct mgc_keypair {
    char public_key[MGC_KEY_SIZE];
    char secret_key[MGC_KEY_SIZE]; /* empty where only the public half is known */
};

struct mgc_worker_key {
    char name[MGC_NAME_SIZE]; /* [a-z0-9-], 1..63 */
    char role[16];            /* "host" or "wsl" */
    char public_key[MGC_KEY_SIZE];
    bool revoked;
};

struct mgc_keyring { /* what the coordinator knows */
    struct mgc_keypair coordinator;
    struct mgc_worker_key *workers; /* owned, sorted by name */
    size_t count;
};

struct mgc_enrolment { /* what a worker needs to know */
    char name[MGC_NAME_SIZE];
    char role[16];
    char coordinator_key[MGC_KEY_SIZE];
    struct mgc_keypair own;
    char addresses[MGC_ADDRESS_MAX][MGC_ADDRESS_SIZE]; /* "tcp://HOST:PORT" */
    size_t address_count;
};

/* Make KEYS and coordinator.key; MGC_E_EXISTS when there is one (it is kept). */
bool mgc_keys_init(const char *dir, struct mgc_error *err);
/* New key pair for worker `name`: public half into KEYS/workers, all the worker needs into
 * enrol_path (0600). MGC_E_EXISTS when the name is taken. */
bool mgc_keys_add(const char *dir, const char *name, const char *role, const char *const *addresses,
    size_t address_count, const char *enrol_path, struct mgc_error *err);
bool mgc_keys_revoke(const char *dir, const char *name, struct mgc_error *err);
/* Errors name file, line, key and what was expected; a file that others can read is refused,
 * and so is another user's. */
bool mgc_keyring_load(const char *dir, struct mgc_keyring *ret_ring, struct mgc_error *err);
const struct mgc_worker_key *mgc_keyring_find(
    const struct mgc_keyring *ring, const char *public_key);
void mgc_keyring_destroy(struct mgc_keyring *ring); /* takes NULL and zeroed */

bool mgc_enrolment_load(
    const char *path, struct mgc_enrolment *ret_enrolment, struct mgc_error *err);
/* Parse the text of an enrolment file; `path` is only for messages. Pure. */
bool mgc_enrolment_parse(
    const char *text, const char *path, struct mgc_enrolment *ret_enrolment, struct mgc_error *err);
void mgc_enrolment_destroy(struct mgc_enrolment *enrolment);

#endif
