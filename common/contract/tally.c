#include "common/contract/tally.h"

#include <string.h>

/* FNV-1a; 0 stands for a free place. */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash ? hash : 1;
}

static void count(uint64_t *here, uint64_t *most)
{
    ++*here;
    if (*most < *here)
        *most = *here;
}

void mgc_tally_add(struct mgc_tally *tally, size_t writer, const char *text)
{
    uint64_t hash = hash_of(text);
    size_t at = hash % MGC_TALLY_TEXTS;
    while (tally->texts[at].hash && tally->texts[at].hash != hash)
        at = (at + 1) % MGC_TALLY_TEXTS;
    struct mgc_tally_text *found = &tally->texts[at];
    if (!found->hash && tally->used >= MGC_TALLY_TEXTS / 2) { /* keeps the searches short */
        count(&tally->over_here[writer], &tally->over_most);
        return;
    }
    tally->used += !found->hash;
    found->hash = hash;
    count(&found->here[writer], &found->most);
}

void mgc_tally_next_log(struct mgc_tally *tally)
{
    memset(tally->over_here, 0, sizeof(tally->over_here));
    for (size_t i = 0; i < MGC_TALLY_TEXTS; i++)
        memset(tally->texts[i].here, 0, sizeof(tally->texts[i].here));
}

uint64_t mgc_tally_count(const struct mgc_tally *tally)
{
    uint64_t sum = tally->over_most;
    for (size_t i = 0; i < MGC_TALLY_TEXTS; i++)
        sum += tally->texts[i].most;
    return sum;
}
