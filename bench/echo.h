/* A bare CURVE ROUTER with DEALER processes that echo: what libzmq alone takes for a round trip.
 * It includes zmq.h, as nothing else outside common/bus does: it must not use what it is compared
 * to.
 */
#ifndef MGC_BENCH_ECHO_H
#define MGC_BENCH_ECHO_H

#include "bench/lib/crew.h"

/* Work of a crew of one; user is the number of dealers. Told N, it makes N round trips, with the
 * dealers in turn, and answers with the nanoseconds of each. */
mgc_crew_work mgc_echo_control;

#endif
