#include "coordinator/report/table_proof.h"

#include <string.h>

static const char *const checks[] = {"transport-spawn", "control-tcp", "run-ahead-armed",
    "present credit", "ssim", "totalFrames", "server session"};

enum { CHECK_COUNT = sizeof(checks) / sizeof(checks[0]) };

static bool is_proved(const struct mgc_verdict *verdict, const char *check)
{
    for (size_t i = 0; i < verdict->evidence_count; i++) {
        if (strcmp(verdict->evidence[i].check, check) == 0 &&
            verdict->evidence[i].outcome == MGC_CHECK_OK)
            return true;
    }
    return false;
}

/* One bit per check. */
static unsigned proofs_of(const struct mgc_cell_result *cell)
{
    unsigned set = 0;
    for (size_t i = 0; i < CHECK_COUNT; i++) {
        if (is_proved(&cell->verdict, checks[i]))
            set |= 1u << i;
    }
    return set;
}

static void put_sentence(
    const struct mgc_cell_result *first, size_t count, unsigned set, struct mgc_buf *out)
{
    const char *between = "";
    if (count == 1)
        mgc_buf_printf(out, "%s proved by: ", first->cell->id);
    else
        mgc_buf_printf(out, "%zu cells proved by: ", count);
    for (size_t i = 0; i < CHECK_COUNT; i++) {
        if (!(set & 1u << i))
            continue;
        mgc_buf_printf(out, "%s%s", between, checks[i]);
        between = ", ";
    }
    mgc_buf_puts(out, set ? "\n" : "nothing\n");
}

struct group {
    const struct mgc_cell_result *first;
    size_t count;
};

void mgc_table_proofs(const struct mgc_results *results, bool (*skip)(const struct mgc_cell *cell),
    struct mgc_buf *out)
{
    struct group groups[1u << CHECK_COUNT] = {0};
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell_result *cell = &results->cells[i];
        if (cell->verdict.state != MGC_VERDICT_MEASURED || (skip && skip(cell->cell)))
            continue;
        struct group *group = &groups[proofs_of(cell)];
        group->first = group->first ? group->first : cell;
        group->count++;
    }
    for (unsigned set = 0; set < 1u << CHECK_COUNT; set++) {
        if (groups[set].count)
            put_sentence(groups[set].first, groups[set].count, set, out);
    }
}
