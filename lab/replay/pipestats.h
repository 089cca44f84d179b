/* "MGPipe stats:" lines of either role (contract section 5). Counters that a miniature does not
 * have are printed as 0, as a real build prints what it did not count. Pure. */
#ifndef MGC_LAB_REPLAY_PIPESTATS_H
#define MGC_LAB_REPLAY_PIPESTATS_H

#include <stdint.h>

enum { MGR_PIPESTATS_LINE_MAX = 1024 };

struct mgr_pipestats {
    uint64_t frames, draws, records;
    uint64_t buffer_bytes, texture_bytes, texture_uploads;
    uint64_t max_record; /* gauge */
    uint64_t server_waits, client_waits;
};

/* Totals so far and the totals at the last line; the window is the difference. */
void mgr_pipestats_line(const struct mgr_pipestats *now, const struct mgr_pipestats *last,
    char ret_text[MGR_PIPESTATS_LINE_MAX]);

#endif
