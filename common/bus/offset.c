#include "common/bus/offset.h"

#include "common/base/clock.h"

/* Instants come from a peer: arithmetic on them must not overflow. */
static bool subtract(int64_t a, int64_t b, int64_t *ret)
{
    return !__builtin_sub_overflow(a, b, ret);
}

static int64_t uncertainty(const struct mgc_offset_sample *sample, int64_t now_ns)
{
    int64_t age_ns = now_ns > sample->at_ns ? now_ns - sample->at_ns : 0;
    return (sample->round_trip_ns + 1) / 2 + age_ns / (1000000 / MGC_OFFSET_DRIFT_PPM);
}

static const struct mgc_offset_sample *sharpest(
    const struct mgc_offset_filter *filter, int64_t now_ns)
{
    const struct mgc_offset_sample *best = NULL;
    for (size_t i = 0; i < filter->count; i++) {
        const struct mgc_offset_sample *sample = &filter->samples[i];
        if (now_ns - sample->at_ns > MGC_OFFSET_AGE_S * MGC_NS_PER_S)
            continue;
        if (!best || uncertainty(sample, now_ns) < uncertainty(best, now_ns))
            best = sample;
    }
    return best;
}

/* How far two samples are apart when no offset satisfies both, otherwise 0. */
static int64_t contradiction(
    const struct mgc_offset_sample *a, const struct mgc_offset_sample *b, int64_t now_ns)
{
    int64_t apart;
    if (!subtract(a->offset_ns, b->offset_ns, &apart) || apart == INT64_MIN)
        return INT64_MAX;
    if (apart < 0)
        apart = -apart;
    return apart > uncertainty(a, now_ns) + uncertainty(b, now_ns) ? apart : 0;
}

static void note_step(struct mgc_offset_filter *filter, int64_t step_ns)
{
    if (__builtin_add_overflow(filter->stepped_ns, step_ns, &filter->stepped_ns))
        filter->stepped_ns = INT64_MAX;
    filter->count = filter->next = 0;
}

static bool make_sample(
    struct mgc_offset_sample *sample, int64_t t1_ns, int64_t t2_ns, int64_t t3_ns, int64_t t4_ns)
{
    int64_t here, there, out, back, sum;
    if (!subtract(t4_ns, t1_ns, &here) || !subtract(t3_ns, t2_ns, &there) ||
        !subtract(t2_ns, t1_ns, &out) || !subtract(t3_ns, t4_ns, &back) ||
        __builtin_add_overflow(out, back, &sum))
        return false;
    if (there < 0 || here < there || here > MGC_OFFSET_AGE_S * MGC_NS_PER_S)
        return false;
    *sample = (struct mgc_offset_sample){
        .at_ns = t4_ns, .offset_ns = sum / 2, .round_trip_ns = here - there};
    return true;
}

bool mgc_offset_add(
    struct mgc_offset_filter *filter, int64_t t1_ns, int64_t t2_ns, int64_t t3_ns, int64_t t4_ns)
{
    struct mgc_offset_sample sample;
    if (!make_sample(&sample, t1_ns, t2_ns, t3_ns, t4_ns))
        return false;
    const struct mgc_offset_sample *best = sharpest(filter, t4_ns);
    int64_t step_ns = best ? contradiction(best, &sample, t4_ns) : 0;
    if (step_ns > 0)
        note_step(filter, step_ns);
    filter->samples[filter->next] = sample;
    filter->next = (filter->next + 1) % MGC_OFFSET_SAMPLES;
    if (filter->count < MGC_OFFSET_SAMPLES)
        filter->count++;
    return true;
}

void mgc_offset_note_boot(struct mgc_offset_filter *filter, int64_t boot_ns)
{
    int64_t grown;
    if (!filter->boot_known) {
        filter->boot_known = true;
        filter->boot_first_ns = boot_ns;
    }
    if (subtract(boot_ns, filter->boot_first_ns, &grown))
        filter->slept_ns = grown;
}

struct mgc_clock_offset mgc_offset_estimate(const struct mgc_offset_filter *filter, int64_t now_ns)
{
    const struct mgc_offset_sample *best = sharpest(filter, now_ns);
    struct mgc_clock_offset offset = {
        .known = best != NULL, .slept_ns = filter->slept_ns, .stepped_ns = filter->stepped_ns};
    if (best) {
        offset.offset_ns = best->offset_ns;
        offset.round_trip_ns = best->round_trip_ns;
        offset.uncertainty_ns = uncertainty(best, now_ns);
    }
    return offset;
}
