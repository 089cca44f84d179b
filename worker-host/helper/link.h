/* What carries the bytes of a conversation, and the core that the calls stand on. For this folder
 * and its tests. */
#ifndef MGC_HELPER_LINK_H
#define MGC_HELPER_LINK_H

#include "common/device/stream.h"
#include "worker-host/helper/helper.h"

/* An adb shell stream, or in tests a program on this machine. */
struct mgc_helper_link {
    void *self; /* owned by the helper from mgc_helper_new on */
    bool (*send)(void *self, const void *data, size_t len, const struct mgc_adb_wait *wait,
        struct mgc_error *err);
    /* Next piece of output, borrowed until the next call; MGC_ADB_EXIT is the last one. */
    bool (*next)(void *self, struct mgc_adb_shell_piece *ret_piece, const struct mgc_adb_wait *wait,
        struct mgc_error *err);
    bool (*buffered)(const void *self);
    mgc_socket (*socket)(const void *self);
    void (*close)(void *self); /* and free */
};

/* Exit code of what starts the program when there is none; no program of ours uses it. */
enum { MGC_HELPER_EXIT_NONE = 66 };

/* Say hello over a link. `who` ("device S") and `program` go into errors. Closes the link on
 * failure. */
struct mgc_helper *mgc_helper_new(const struct mgc_helper_link *link, const char *who,
    const char *program, const struct mgc_adb_wait *wait, struct mgc_error *err);

/* A request: its message without id. `on` gets what is neither BEGUN nor the end; with `last` the
 * end too. Returns once it has ended, or, with `ret_id`, once it has begun. */
struct mgc_helper_call {
    struct mgc_device_msg msg;
    mgc_helper_on *on;
    void *ctx;
    uint32_t *ret_id; /* NULL: wait for the end */
};
bool mgc_helper_do(struct mgc_helper *helper, struct mgc_helper_call *call,
    const struct mgc_adb_wait *wait, struct mgc_error *err);

/* Send one message as it is (PUT_DATA). */
bool mgc_helper_send(struct mgc_helper *helper, const struct mgc_device_msg *msg,
    const struct mgc_adb_wait *wait, struct mgc_error *err);
/* As mgc_helper_do, but returns after the first answer. When it is true the request goes on until
 * mgc_helper_end, which waits for its last message, or mgc_helper_forget: what still comes is
 * dropped. */
bool mgc_helper_begin(struct mgc_helper *helper, struct mgc_helper_call *call, uint32_t *ret_id,
    const struct mgc_adb_wait *wait, struct mgc_error *err);

bool mgc_helper_end(
    struct mgc_helper *helper, uint32_t id, const struct mgc_adb_wait *wait, struct mgc_error *err);
/* Take what came, without waiting; true when the request, or everything, has ended meanwhile. */
bool mgc_helper_over(struct mgc_helper *helper, uint32_t id);
void mgc_helper_forget(struct mgc_helper *helper, uint32_t id);

/* Texts as a list; `buf` holds them. */
bool mgc_helper_list(struct mgc_device_list *ret_list, struct mgc_buf *buf,
    const char *const *texts, struct mgc_error *err);

#endif
