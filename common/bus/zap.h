/* Who may connect: the decision of the ZAP handler (ZeroMQ RFC 27) over the key ring. Pure.
 * Internal to bus/.
 *
 * The user id of an accepted connection is its public key in Z85. Not the name: a name can be
 * given a new key while a connection made with the old one still stands, a key is what it is.
 */
#ifndef MGC_BUS_ZAP_H
#define MGC_BUS_ZAP_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"
#include "common/bus/keys.h"

#define MGC_ZAP_DOMAIN "mgcoord"

enum { MGC_ZAP_FRAMES = 7 }; /* version, request id, domain, address, identity, mechanism, key */

struct mgc_zap_frame {
    const void *data;
    size_t len;
};

struct mgc_zap_answer {
    const char *status; /* "200", "400" or "500" */
    const char *text;
    char user_id[MGC_KEY_SIZE]; /* empty unless 200 */
    /* For the report of a refusal: worker's name or the key, and where it came from. */
    char who[MGC_NAME_SIZE + 160];
    struct mgc_error why; /* MGC_OK when accepted */
};

struct mgc_zap_answer mgc_zap_decide(
    const struct mgc_keyring *ring, const struct mgc_zap_frame *frames, size_t frame_count);

#endif
