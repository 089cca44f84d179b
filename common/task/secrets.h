/* Secret values of a task, and the one place where they are taken out of what leaves the worker.
 *
 * A masked secret is replaced by as many '*', so sizes and offsets stay. Overlapping secrets are
 * masked as their union. Pure; one thread at a time. The functions here are the only ones that
 * look at secret values; destroy wipes them.
 */
#ifndef MGC_TASK_SECRETS_H
#define MGC_TASK_SECRETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/fields.h"

enum { MGC_SECRET_MIN = 8, MGC_SECRETS_MAX = 16 };

struct mgc_secrets {
    struct {
        char *text; /* owned */
        size_t len; /* >= 1 */
    } items[MGC_SECRETS_MAX];
    size_t count;
    size_t longest;   /* bytes */
    bool starts[256]; /* first bytes, so that most positions cost one look */
};

/* Copies the string values; empty ones are left out. False: no memory, or more than
 * MGC_SECRETS_MAX. */
bool mgc_secrets_init(struct mgc_secrets *secrets, const struct mgc_fields *from);
void mgc_secrets_destroy(struct mgc_secrets *secrets); /* takes NULL and zeroed */

bool mgc_secrets_in_text(const struct mgc_secrets *secrets, const char *text);
/* Mask in place. */
void mgc_secrets_mask_text(const struct mgc_secrets *secrets, char *text);
/* Mask every string value in place. */
void mgc_secrets_mask_fields(const struct mgc_secrets *secrets, struct mgc_fields *fields);

/* Masking of a stream that comes in pieces of any size; a secret may lie across pieces. */
struct mgc_masker {
    const struct mgc_secrets *secrets; /* borrowed */
    struct mgc_buf pending;            /* raw bytes not yet decided */
    size_t covered;                    /* so many bytes at the front of pending are masked */
    uint64_t count;                    /* secrets found */
    bool has_nul;                      /* the stream is not text */
};

void mgc_masker_init(struct mgc_masker *masker, const struct mgc_secrets *secrets);
void mgc_masker_destroy(struct mgc_masker *masker); /* takes NULL and zeroed */
/* Append what can be decided to `out` (NULL: only count). False: no memory. */
bool mgc_masker_feed(struct mgc_masker *masker, const void *data, size_t len, struct mgc_buf *out);
/* The stream ends: append the rest. */
bool mgc_masker_end(struct mgc_masker *masker, struct mgc_buf *out);

#endif
