/* One thread's poll loop: file descriptors, timers, and the bus sockets that register themselves.
 *
 * Everything registered is called on the thread that runs the loop. A handler may add and remove
 * entries, its own included.
 */
#ifndef MGC_BUS_LOOP_H
#define MGC_BUS_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"

struct mgc_loop; /* opaque */

struct mgc_loop *mgc_loop_new(struct mgc_error *err);
void mgc_loop_free(struct mgc_loop *loop); /* takes NULL */

/* Call fn whenever fd is readable. */
bool mgc_loop_add_fd(
    struct mgc_loop *loop, int fd, void (*fn)(void *user), void *user, struct mgc_error *err);
void mgc_loop_remove_fd(struct mgc_loop *loop, int fd);

/* Call fn once at or after due_ns (mono); returns an id, 0 on no memory. */
uint64_t mgc_loop_add_timer(
    struct mgc_loop *loop, int64_t due_ns, void (*fn)(void *user), void *user);
void mgc_loop_remove_timer(struct mgc_loop *loop, uint64_t timer_id); /* unknown id: nothing */

/* Run until mgc_loop_quit. False only when polling itself fails. */
bool mgc_loop_run(struct mgc_loop *loop, struct mgc_error *err);
void mgc_loop_quit(struct mgc_loop *loop);

#endif
