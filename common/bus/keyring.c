/* The coordinator's key directory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "common/base/path.h"
#include "common/bus/keyfile.h"
#include "common/plat/file.h"

enum { DIR_MODE = 0700 };

static const char suffix[] = ".key";

static bool join(char path[MGC_PATH_MAX], const char *dir, const char *name, struct mgc_error *err)
{
    return mgc_path_join(path, MGC_PATH_MAX, dir, name) ||
           mgc_error_set(err, MGC_E_CONFIG, "path '%s/%s' is too long", dir, name);
}

static bool coordinator_write(
    const char *path, const struct mgc_keypair *pair, struct mgc_error *err)
{
    struct mgc_buf text = {0};
    mgc_buf_printf(&text,
        "# key pair of the coordinator; 'secret' must not leave this machine\n"
        "public = %s\nsecret = %s\n",
        pair->public_key, pair->secret_key);
    bool ok = mgc_keyfile_write(path, &text, err);
    mgc_keyfile_wipe(&text);
    return ok;
}

static bool coordinator_load(const char *dir, struct mgc_keypair *pair, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf text = {0};
    struct mgc_keyfile_entry entries[] = {
        {"public", pair->public_key, MGC_KEY_SIZE, 1, mgc_keyfile_check_key},
        {"secret", pair->secret_key, MGC_KEY_SIZE, 1, mgc_keyfile_check_key},
    };
    bool ok = join(path, dir, "coordinator.key", err) && mgc_keyfile_read(path, &text, err) &&
              mgc_keyfile_parse(mgc_buf_text(&text), path, entries, 2, err) &&
              mgc_keypair_check(pair, path, err);
    mgc_keyfile_wipe(&text);
    return ok;
}

bool mgc_keys_init(const char *dir, struct mgc_error *err)
{
    char path[MGC_PATH_MAX], workers[MGC_PATH_MAX];
    struct mgc_keypair pair = {0};
    if (!join(path, dir, "coordinator.key", err) || !join(workers, dir, "workers", err))
        return false;
    if (mgc_file_exists(path))
        return mgc_error_set(err, MGC_E_EXISTS, "'%s' exists and is kept", path);
    bool ok = mgc_dir_make(dir, DIR_MODE, err) && mgc_dir_make(workers, DIR_MODE, err) &&
              mgc_keypair_make(&pair, err) && coordinator_write(path, &pair, err);
    sodium_memzero(&pair, sizeof(pair));
    return ok;
}

/* --- one worker's public half --- */

static bool worker_path(
    char path[MGC_PATH_MAX], const char *dir, const char *name, struct mgc_error *err)
{
    char file[MGC_NAME_SIZE + 16];
    if (!mgc_keyfile_check_name(name, err))
        return mgc_error_prefix(err, "worker name '%s'", name);
    snprintf(file, sizeof(file), "workers/%s%s", name, suffix);
    return join(path, dir, file, err);
}

static bool worker_write(const char *path, const struct mgc_worker_key *key, struct mgc_error *err)
{
    struct mgc_buf text = {0};
    mgc_buf_printf(&text, "public = %s\nrole = %s\nstate = %s\n", key->public_key, key->role,
        key->revoked ? "revoked" : "active");
    bool ok = mgc_keyfile_write(path, &text, err);
    mgc_buf_destroy(&text);
    return ok;
}

static bool worker_load(
    const char *path, const char *name, struct mgc_worker_key *key, struct mgc_error *err)
{
    char state[16] = "";
    struct mgc_buf text = {0};
    *key = (struct mgc_worker_key){0};
    struct mgc_keyfile_entry entries[] = {
        {"public", key->public_key, MGC_KEY_SIZE, 1, mgc_keyfile_check_key},
        {"role", key->role, sizeof(key->role), 1, mgc_keyfile_check_role},
        {"state", state, sizeof(state), 1, mgc_keyfile_check_state},
    };
    bool ok = mgc_keyfile_read(path, &text, err) &&
              mgc_keyfile_parse(mgc_buf_text(&text), path, entries, 3, err);
    mgc_buf_destroy(&text);
    if (!ok)
        return false;
    snprintf(key->name, sizeof(key->name), "%s", name);
    key->revoked = strcmp(state, "revoked") == 0;
    return true;
}

/* --- add and revoke --- */

static bool fill_addresses(struct mgc_enrolment *enrolment, const char *const *addresses,
    size_t count, struct mgc_error *err)
{
    if (count == 0 || count > MGC_ADDRESS_MAX)
        return mgc_error_set(
            err, MGC_E_CONFIG, "expected 1 to %d addresses, found %zu", MGC_ADDRESS_MAX, count);
    for (size_t i = 0; i < count; i++) {
        if (!mgc_keyfile_check_address(addresses[i], err))
            return mgc_error_prefix(err, "address %zu", i + 1);
        snprintf(enrolment->addresses[i], MGC_ADDRESS_SIZE, "%s", addresses[i]);
    }
    enrolment->address_count = count;
    return true;
}

static bool fill_enrolment(struct mgc_enrolment *enrolment, const char *dir, const char *name,
    const char *role, struct mgc_error *err)
{
    struct mgc_keypair coordinator = {0};
    if (!mgc_keyfile_check_role(role, err))
        return mgc_error_prefix(err, "role of '%s'", name);
    snprintf(enrolment->name, sizeof(enrolment->name), "%s", name);
    snprintf(enrolment->role, sizeof(enrolment->role), "%s", role);
    bool ok = coordinator_load(dir, &coordinator, err) && mgc_keypair_make(&enrolment->own, err);
    memcpy(enrolment->coordinator_key, coordinator.public_key, MGC_KEY_SIZE);
    sodium_memzero(&coordinator, sizeof(coordinator));
    return ok;
}

static bool check_free(const char *path, const char *what, struct mgc_error *err)
{
    return !mgc_file_exists(path) ||
           mgc_error_set(err, MGC_E_EXISTS, "%s: '%s' exists and is kept", what, path);
}

/* Enrolment first: a key in the directory that nobody holds would be the worse leftover. */
static bool write_both(const char *enrol_path, const char *key_path,
    const struct mgc_enrolment *enrolment, struct mgc_error *err)
{
    struct mgc_worker_key key = {0};
    memcpy(key.public_key, enrolment->own.public_key, MGC_KEY_SIZE);
    memcpy(key.role, enrolment->role, sizeof(key.role));
    if (!mgc_enrolment_write(enrol_path, enrolment, err))
        return false;
    if (worker_write(key_path, &key, err))
        return true;
    mgc_file_remove(enrol_path, NULL);
    return false;
}

bool mgc_keys_add(const char *dir, const char *name, const char *role, const char *const *addresses,
    size_t address_count, const char *enrol_path, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_enrolment enrolment = {0};
    bool ok = worker_path(path, dir, name, err) && check_free(path, "worker's key", err) &&
              check_free(enrol_path, "enrolment file", err) &&
              fill_addresses(&enrolment, addresses, address_count, err) &&
              fill_enrolment(&enrolment, dir, name, role, err) &&
              write_both(enrol_path, path, &enrolment, err);
    mgc_enrolment_destroy(&enrolment);
    return ok;
}

bool mgc_keys_revoke(const char *dir, const char *name, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_worker_key key;
    if (!worker_path(path, dir, name, err))
        return false;
    if (!mgc_file_exists(path))
        return mgc_error_set(err, MGC_E_NOT_FOUND, "no worker '%s': '%s' is absent", name, path);
    if (!worker_load(path, name, &key, err))
        return false;
    key.revoked = true;
    return worker_write(path, &key, err);
}

/* --- the whole ring --- */

/* "NAME.key" -> "NAME"; false for other files. */
static bool worker_name(const char *file, char name[MGC_NAME_SIZE])
{
    size_t len = strlen(file);
    size_t tail = sizeof(suffix) - 1;
    if (len <= tail || len - tail >= MGC_NAME_SIZE || strcmp(file + len - tail, suffix) != 0)
        return false;
    memcpy(name, file, len - tail);
    name[len - tail] = '\0';
    return mgc_keyfile_check_name(name, NULL);
}

static bool add_worker(
    struct mgc_keyring *ring, const char *dir, const char *name, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_worker_key *key = &ring->workers[ring->count];
    if (!worker_path(path, dir, name, err) || !worker_load(path, name, key, err))
        return false;
    const struct mgc_worker_key *other = mgc_keyring_find(ring, key->public_key);
    if (other)
        return mgc_error_set(
            err, MGC_E_CONFIG, "%s: its public key is also that of '%s'", path, other->name);
    ring->count++;
    return true;
}

static int by_name(const void *a, const void *b)
{
    const struct mgc_worker_key *left = a, *right = b;
    return strcmp(left->name, right->name);
}

static bool load_workers(struct mgc_keyring *ring, const char *dir, struct mgc_error *err)
{
    char path[MGC_PATH_MAX], name[MGC_NAME_SIZE];
    struct mgc_dir_names files = {0};
    if (!join(path, dir, "workers", err) || !mgc_dir_list(path, &files, err))
        return false;
    ring->workers = calloc(files.count + 1, sizeof(*ring->workers));
    bool ok = ring->workers || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the key ring");
    for (size_t i = 0; ok && i < files.count; i++) {
        if (worker_name(files.names[i], name))
            ok = add_worker(ring, dir, name, err);
    }
    mgc_dir_names_destroy(&files);
    if (ok)
        qsort(ring->workers, ring->count, sizeof(*ring->workers), by_name);
    return ok;
}

bool mgc_keyring_load(const char *dir, struct mgc_keyring *ret_ring, struct mgc_error *err)
{
    *ret_ring = (struct mgc_keyring){0};
    if (coordinator_load(dir, &ret_ring->coordinator, err) && load_workers(ret_ring, dir, err))
        return true;
    mgc_keyring_destroy(ret_ring);
    return false;
}

const struct mgc_worker_key *mgc_keyring_find(
    const struct mgc_keyring *ring, const char *public_key)
{
    for (size_t i = 0; i < ring->count; i++) {
        if (strcmp(ring->workers[i].public_key, public_key) == 0)
            return &ring->workers[i];
    }
    return NULL;
}

void mgc_keyring_destroy(struct mgc_keyring *ring)
{
    if (!ring)
        return;
    free(ring->workers);
    sodium_memzero(ring, sizeof(*ring));
}
