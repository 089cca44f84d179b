/* What a moving link alone can do to the time of a frame, and what difference between two arms
 * that leaves unsettled. Pure; any thread.
 *
 * A client that sends its frames over a link at rate r, with round trips of t, has frames of the
 * period (present credit: MobileGL trace replay contract, section 6; waits and staged bytes:
 * P65LinkMetrics, section 5)
 *
 *     T(r, t) = work + transfer + waiting,    transfer <= 8 B / r,    waiting <= (1 / c + w) t
 *
 *   B  bytes that a frame sends to the server (staged bytes of LinkMetrics; the record stream
 *      beside them is not counted there, and small)
 *   c  present credit: the client is at most c frames ahead of the server's word, so c frames share
 *      one round trip. With c = 1 a frame waits for about a whole one: a round trip that becomes
 *      d ms longer makes the frame up to d ms longer. With c = 3 it is a third.
 *   w  replies that a frame waits for besides, each a round trip
 *
 * How much of transfer and waiting hides behind other work is not known, and differs from trace to
 * trace; but T does not fall when r falls or t rises, and it cannot grow by more than they do. So
 * between a look at the link with (r1, t1) and one with (r2, t2) T moves by at most
 *
 *     D = 8 B |1 / r1 - 1 / r2|  +  (1 / c + w) |t1 - t2|
 *
 * The first part applies to frames that wait for the link's throughput: their time scales with
 * 1 / r. The second applies to frames that wait for answers. Both are taken, since a trace has
 * frames of either kind. It is taken over all looks of the rounds that count, from the fastest to
 * the slowest: what the link did between rounds is in the mean as well.
 *
 * An arm of mean time T, D of which may be the link's, is known no better than a factor
 * T / (T - D): a difference of up to D / (T - D) may be nobody's but the link's.
 */
#ifndef MGC_STATS_LINK_FLOOR_H
#define MGC_STATS_LINK_FLOOR_H

struct mgc_link_use {       /* of one arm; NAN: not known */
    double mbyte_per_frame; /* B, 10^6 bytes */
    double trips_per_frame; /* 1 / c + w */
};

struct mgc_link_range {              /* over the looks; NAN: not known */
    double slow_mbit_s, fast_mbit_s; /* to the server, 10^6 bits/s */
    double short_trip_ms, long_trip_ms;
};

struct mgc_link_moves { /* ms per frame; NAN: not known */
    double transfer_ms, waiting_ms;
    double ms; /* both: D */
};
struct mgc_link_moves mgc_link_moves_of(
    const struct mgc_link_use *use, const struct mgc_link_range *range);

/* For struct mgc_floor (compare.h): D / (T - D), infinite where D is not below T, NAN when one is
 * not known or T is not above 0. */
double mgc_link_floor(double moves_ms, double frame_ms);

#endif
