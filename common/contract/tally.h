/* How many lines are there, when the same line may stand in several logs? A library's line goes to
 * its own log and to the phone's, a server's also over the session to the client's. Pure.
 *
 * A text counts as often as in the log that has it most often, by one writer, so two equal lines of
 * one log are two, and one line in three logs is one. Texts are compared by a 64-bit hash.
 */
#ifndef MGC_CONTRACT_TALLY_H
#define MGC_CONTRACT_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Texts that are told apart. A flood with more is not told apart beyond that: the log with most of
 * the others counts. */
enum { MGC_TALLY_TEXTS = 1 << 14 };

/* The phone's log has two writers: the library, and the service that repeats its server's output.
 */
enum { MGC_TALLY_WRITERS = 2 };

struct mgc_tally_text {
    uint64_t hash; /* 0: free */
    uint64_t here[MGC_TALLY_WRITERS], most;
};

/* Zeroed is a valid start; nothing to destroy. About 400 KiB: not for the stack. */
struct mgc_tally {
    struct mgc_tally_text texts[MGC_TALLY_TEXTS];
    size_t used;
    uint64_t over_here[MGC_TALLY_WRITERS], over_most; /* lines beyond */
};

/* `text` without what a log puts before it (time, tag, thread); `writer`: 0, or 1 for the second
 * one of this log. */
void mgc_tally_add(struct mgc_tally *tally, size_t writer, const char *text);
/* What comes now is from another log. */
void mgc_tally_next_log(struct mgc_tally *tally);
uint64_t mgc_tally_count(const struct mgc_tally *tally);

#endif
