/* Moves the scalar keys of a JSON object into a field list by a table of names and types.
 * Internal to common/contract.
 */
#ifndef MGC_CONTRACT_SCALARS_H
#define MGC_CONTRACT_SCALARS_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "common/base/error.h"
#include "common/base/fields.h"

struct contract_key {
    const char *name;
    enum mgc_value_type type;
    bool minus_one_absent; /* -1 is how the writer spells "no data" */
};

/* NULL when the table has no such key. */
const struct contract_key *contract_key_find(
    const struct contract_key *keys, size_t count, const char *name);

/* Set the field from value; null and a marked -1 set nothing. `where` names the document. */
bool contract_scalar_set(struct mgc_fields *fields, const struct contract_key *key,
    const json_t *value, const char *where, struct mgc_error *err);

#endif
