/* The files that a replay reads: refused early when they are not what they should be, and named in
 * the result by their hash. */
#ifndef WORKER_WSL_REPLAY_INPUT_H
#define WORKER_WSL_REPLAY_INPUT_H

#include <stdbool.h>

#include "common/base/error.h"
#include "common/base/hash.h"

/* Hash of a file; `what` ("trace") begins the sentence of an error. A Git LFS pointer that was
 * never fetched is MGC_E_CONFIG: it is a small text that would be measured as a broken trace. */
bool mgc_replay_input(
    const char *what, const char *path, char ret_hex[MGC_SHA256_HEX_SIZE], struct mgc_error *err);

#endif
