#include <string.h>

#include <sodium.h>

#include "common/bus/keyfile.h"

bool mgc_enrolment_parse(
    const char *text, const char *path, struct mgc_enrolment *ret_enrolment, struct mgc_error *err)
{
    struct mgc_enrolment *e = ret_enrolment;
    *e = (struct mgc_enrolment){0};
    struct mgc_keyfile_entry entries[] = {
        {"name", e->name, sizeof(e->name), 1, mgc_keyfile_check_name},
        {"role", e->role, sizeof(e->role), 1, mgc_keyfile_check_role},
        {"coordinator", e->coordinator_key, MGC_KEY_SIZE, 1, mgc_keyfile_check_key},
        {"public", e->own.public_key, MGC_KEY_SIZE, 1, mgc_keyfile_check_key},
        {"secret", e->own.secret_key, MGC_KEY_SIZE, 1, mgc_keyfile_check_key},
        {"address", (char *)e->addresses, MGC_ADDRESS_SIZE, MGC_ADDRESS_MAX,
            mgc_keyfile_check_address},
    };
    size_t count = sizeof(entries) / sizeof(entries[0]);
    if (!mgc_keyfile_parse(text, path, entries, count, err) ||
        !mgc_keypair_check(&e->own, path, err)) {
        mgc_enrolment_destroy(e);
        return false;
    }
    e->address_count = entries[count - 1].count;
    return true;
}

bool mgc_enrolment_load(
    const char *path, struct mgc_enrolment *ret_enrolment, struct mgc_error *err)
{
    struct mgc_buf text = {0};
    *ret_enrolment = (struct mgc_enrolment){0};
    bool ok = mgc_keyfile_read(path, &text, err) &&
              mgc_enrolment_parse(mgc_buf_text(&text), path, ret_enrolment, err);
    mgc_keyfile_wipe(&text);
    return ok;
}

bool mgc_enrolment_write(
    const char *path, const struct mgc_enrolment *enrolment, struct mgc_error *err)
{
    struct mgc_buf text = {0};
    mgc_buf_printf(&text,
        "# enrolment of worker '%s'; whoever holds this file is that worker\n"
        "name = %s\nrole = %s\ncoordinator = %s\npublic = %s\nsecret = %s\n",
        enrolment->name, enrolment->name, enrolment->role, enrolment->coordinator_key,
        enrolment->own.public_key, enrolment->own.secret_key);
    for (size_t i = 0; i < enrolment->address_count; i++)
        mgc_buf_printf(&text, "address = %s\n", enrolment->addresses[i]);
    bool ok = mgc_keyfile_write(path, &text, err);
    mgc_keyfile_wipe(&text);
    return ok;
}

void mgc_enrolment_destroy(struct mgc_enrolment *enrolment)
{
    if (enrolment)
        sodium_memzero(enrolment, sizeof(*enrolment));
}
