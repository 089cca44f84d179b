#include "coordinator/stats/link_floor.h"

#include <math.h>

struct mgc_link_moves mgc_link_moves_of(
    const struct mgc_link_use *use, const struct mgc_link_range *range)
{
    struct mgc_link_moves moves = {NAN, NAN, NAN};
    double ms_per_mbyte = 8 * 1000 * (1 / range->slow_mbit_s - 1 / range->fast_mbit_s);
    if (range->slow_mbit_s > 0 && range->fast_mbit_s > 0)
        moves.transfer_ms = use->mbyte_per_frame * fabs(ms_per_mbyte);
    moves.waiting_ms = use->trips_per_frame * fabs(range->long_trip_ms - range->short_trip_ms);
    moves.ms = moves.transfer_ms + moves.waiting_ms;
    return moves;
}

double mgc_link_floor(double moves_ms, double frame_ms)
{
    if (!isfinite(moves_ms) || !(frame_ms > 0))
        return NAN;
    return moves_ms < frame_ms ? moves_ms / (frame_ms - moves_ms) : INFINITY;
}
