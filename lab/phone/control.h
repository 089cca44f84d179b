/* How the phone's commands talk to its PID 1, as Android's talk to system_server and logd.
 *
 * A unix stream socket. Request: 4 bytes length (little endian), then words, each ended by a NUL;
 * the first names the operation. Answer: frames (frame.h): STDOUT is one data item, STDERR a
 * sentence for the person, EXIT the result and the end. The operations are listed in control_ops.c.
 */
#ifndef MGC_LAB_PHONE_CONTROL_H
#define MGC_LAB_PHONE_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/buf.h"

#define MGL_CONTROL_SOCKET "/dev/socket/mgphone"

enum {
    MGL_CONTROL_WORDS_MAX = 64,
    MGL_CONTROL_REQUEST_MAX = 64 * 1024, /* bytes of words */
};

/* What the exit frame of an operation means. */
enum mgl_control_result {
    MGL_CONTROL_OK = 0,
    MGL_CONTROL_ABSENT = 1,  /* no such key, package, component */
    MGL_CONTROL_REFUSED = 2, /* not allowed, or the value is not acceptable */
    MGL_CONTROL_BAD = 3,     /* not a request this phone knows */
    MGL_CONTROL_LOST = 4,    /* made by the client: the phone's PID 1 is gone */
};

/* Pure. Append a request made of NULL-ended words. */
bool mgl_control_append_request(struct mgc_buf *out, const char *const *words);
/* Pure. Split the words of a request in place; false when they are not NUL-ended or too many. */
bool mgl_control_split(char *words, size_t len, const char **ret_words, size_t *ret_count);

/* Client side, blocking. `item` (may be NULL) sees each data item; sentences go to standard error.
 */
typedef void mgl_control_item(const uint8_t *data, size_t len, void *arg);
enum mgl_control_result mgl_control_call(
    const char *const *words, mgl_control_item *item, void *arg);
/* The same for an operation that answers with one text; NUL-terminated, cut to size. */
enum mgl_control_result mgl_control_get(const char *const *words, char *ret_text, size_t size);
/* The process that answers them; 0 when there is none. */
pid_t mgl_control_server_pid(void);

#endif
