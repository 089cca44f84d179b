/* Is a trace or a golden picture on this machine what it should be? Looked at before it is pushed,
 * because the phone says only that a replay failed. Any thread.
 *
 * Archives are refused, not unpacked: which file of one is the trace is for a person to say, and
 * unpacked once is pushed and hashed many times. */
#ifndef MGC_HOST_FIXTURE_H
#define MGC_HOST_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/hash.h"

enum mgc_fixture_kind { MGC_FIXTURE_TRACE, MGC_FIXTURE_GOLDEN };

struct mgc_fixture {
    uint64_t bytes;
    char sha256[MGC_SHA256_HEX_SIZE];
};

/* Check and hash a file. MGC_E_CONFIG when it is empty, a Git LFS pointer, an archive, a golden
 * that is no PNG, or cut off (a PNG without its last chunk; a trace in apitrace's snappy container
 * that ends within a chunk, one without a container that does not end as a call does; gzip and
 * brotli do not tell); a code of its own when it cannot be
 * read. */
bool mgc_fixture_check(const char *path, enum mgc_fixture_kind kind,
    struct mgc_fixture *ret_fixture, struct mgc_error *err);

/* What the first and the last bytes of a file say, pure: NULL, or what is wrong ("is ..."). */
enum { MGC_FIXTURE_HEAD = 512, MGC_FIXTURE_TAIL = 12 };
const char *mgc_fixture_judge(enum mgc_fixture_kind kind, const unsigned char *head,
    size_t head_len, const unsigned char *tail, size_t tail_len);
/* What a file's name says, pure. */
const char *mgc_fixture_judge_name(const char *path);

#endif
