/* A trace: a header and records. Reading is pure, over bytes in memory.
 *
 *   0   "MGLABTRC"                       integers are little-endian
 *   8   u32 version, 1; u32 size of this header, 96
 *   16  u32 width, u32 height            of the window that was traced, pixels
 *   24  u32 frames                       PRESENT records that follow
 *   28  u32 divisor                      of a reduced set (mglab-fixtures --frames-divisor), else 1
 *   32  u32 frames of the full set; u32 0
 *   40  u64 call of the last PRESENT, which is where the golden was taken
 *   48  u32 crop x, y, width, height     width 0: no crop
 *   64  name, NUL-padded, 32 bytes
 *   96  records (record.h)
 */
#ifndef MGC_LAB_REPLAY_TRACE_H
#define MGC_LAB_REPLAY_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "lab/replay/record.h"

enum { MGR_TRACE_VERSION = 1, MGR_TRACE_HEAD = 96, MGR_TRACE_FRAMES_MAX = 100000 };
#define MGR_TRACE_MAX_BYTES ((size_t)256 << 20)

struct mgr_trace_head {
    uint32_t width, height;
    uint32_t frames, divisor, full_frames;
    uint64_t target_call;
    uint32_t crop[4]; /* x, y, width, height */
    char name[32];
};

void mgr_trace_head_encode(struct mgc_buf *buf, const struct mgr_trace_head *head);

/* Reads the header and walks all records once, so that a replay cannot fail half-way over a
 * broken file: every record decodes, and the PRESENTs are as many as the header says. */
bool mgr_trace_check(
    const void *data, size_t len, struct mgr_trace_head *ret_head, struct mgc_error *err);

/* The record at *offset (start with MGR_TRACE_HEAD), which moves on. False at the end. The trace
 * must have passed mgr_trace_check. */
bool mgr_trace_next(const void *data, size_t len, size_t *offset, struct mgr_record *ret_record);

#endif
