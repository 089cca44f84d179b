/* The coordinator's end of control: accepts on the loop, answers each request at once or, where the
 * answer has to be asked for elsewhere, a little later, tells watchers what happens. A watcher that
 * does not read is dropped: nobody may hold up a run. A full house refuses further watchers
 * (MGC_E_BUSY); a question always gets in.
 *
 * Everything happens on the loop's thread.
 */
#ifndef MGC_CONTROL_SERVER_H
#define MGC_CONTROL_SERVER_H

#include "common/bus/loop.h"
#include "coordinator/control/message.h"

struct mgc_control_server; /* opaque */

/* Carry out a request and put what there is to say into `body` (an object; for watch: the state).
 * False: why not. May call everything here but mgc_control_server_free. */
typedef bool mgc_control_handler(
    void *user, enum mgc_control_request request, json_t *body, struct mgc_error *err);

/* From within a handler that returns true: the answer comes by mgc_control_server_answer, to all
 * that wait for one. Who hangs up meanwhile gets none. */
void mgc_control_server_hold(struct mgc_control_server *server);
/* Takes the body's reference over. */
void mgc_control_server_answer(struct mgc_control_server *server, json_t *body);

/* Where it listens: socket.h. */
struct mgc_control_server *mgc_control_server_new(struct mgc_loop *loop, const char *dir,
    const char *run_id, mgc_control_handler *handler, void *user, struct mgc_error *err);
/* Removes the socket; takes NULL. Watchers that were not told of the end see a closed connection.
 */
void mgc_control_server_free(struct mgc_control_server *server);

const char *mgc_control_server_path(const struct mgc_control_server *server);
/* Is anybody watching? */
bool mgc_control_server_watched(const struct mgc_control_server *server);
/* Tell all watchers; takes the event's reference over. */
void mgc_control_server_tell(struct mgc_control_server *server, json_t *event);

#endif
