#include "common/bus/loop.h"

#include <errno.h>
#include <stdlib.h>

#include <zmq.h>

#include "common/base/clock.h"
#include "common/bus/loop_internal.h"

struct source {
    uint64_t id; /* names the entry across changes of the array by handlers */
    int fd;      /* when socket is NULL */
    void *socket;
    void (*fn)(void *user);
    void *user;
};

struct timer {
    uint64_t id;
    int64_t due_ns;
    void (*fn)(void *user);
    void *user;
};

struct mgc_loop {
    struct source *sources; /* owned */
    size_t source_count, source_cap;
    struct timer *timers; /* owned; in no order, there are few */
    size_t timer_count, timer_cap;
    zmq_pollitem_t *items; /* owned; rebuilt for every poll */
    uint64_t *item_ids;    /* owned; ids of the sources in items */
    size_t item_cap;
    uint64_t last_id;
    bool quit;
};

struct mgc_loop *mgc_loop_new(struct mgc_error *err)
{
    struct mgc_loop *loop = calloc(1, sizeof(*loop));
    if (!loop)
        mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a loop");
    return loop;
}

void mgc_loop_free(struct mgc_loop *loop)
{
    if (!loop)
        return;
    free(loop->sources);
    free(loop->timers);
    free(loop->items);
    free(loop->item_ids);
    free(loop);
}

/* Room for one more element of `size`; the array is moved by realloc. */
static bool grow(void *array, size_t *cap, size_t count, size_t size)
{
    void **at = array;
    if (count < *cap)
        return true;
    size_t wanted = *cap ? *cap * 2 : 8;
    void *moved = realloc(*at, wanted * size);
    if (!moved)
        return false;
    *at = moved;
    *cap = wanted;
    return true;
}

static bool add_source(struct mgc_loop *loop, struct source source, struct mgc_error *err)
{
    if (!grow(&loop->sources, &loop->source_cap, loop->source_count, sizeof(*loop->sources)))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory to watch one more descriptor");
    source.id = ++loop->last_id;
    loop->sources[loop->source_count++] = source;
    return true;
}

static void remove_source(struct mgc_loop *loop, void *socket, int fd)
{
    for (size_t i = 0; i < loop->source_count; i++) {
        if (loop->sources[i].socket != socket || loop->sources[i].fd != fd)
            continue;
        loop->sources[i] = loop->sources[--loop->source_count];
        return;
    }
}

bool mgc_loop_add_fd(
    struct mgc_loop *loop, int fd, void (*fn)(void *user), void *user, struct mgc_error *err)
{
    return add_source(loop, (struct source){.fd = fd, .fn = fn, .user = user}, err);
}

void mgc_loop_remove_fd(struct mgc_loop *loop, int fd)
{
    remove_source(loop, NULL, fd);
}

bool mgc_loop_add_socket(
    struct mgc_loop *loop, void *socket, void (*fn)(void *user), void *user, struct mgc_error *err)
{
    struct source source = {.fd = -1, .socket = socket, .fn = fn, .user = user};
    return add_source(loop, source, err);
}

void mgc_loop_remove_socket(struct mgc_loop *loop, void *socket)
{
    remove_source(loop, socket, -1);
}

uint64_t mgc_loop_add_timer(
    struct mgc_loop *loop, int64_t due_ns, void (*fn)(void *user), void *user)
{
    if (!grow(&loop->timers, &loop->timer_cap, loop->timer_count, sizeof(*loop->timers)))
        return 0;
    struct timer timer = {.id = ++loop->last_id, .due_ns = due_ns, .fn = fn, .user = user};
    loop->timers[loop->timer_count++] = timer;
    return timer.id;
}

void mgc_loop_remove_timer(struct mgc_loop *loop, uint64_t timer_id)
{
    for (size_t i = 0; i < loop->timer_count; i++) {
        if (loop->timers[i].id != timer_id)
            continue;
        loop->timers[i] = loop->timers[--loop->timer_count];
        return;
    }
}

static bool build_items(struct mgc_loop *loop, struct mgc_error *err)
{
    if (loop->item_cap < loop->source_cap) {
        size_t cap = loop->source_cap;
        zmq_pollitem_t *items = realloc(loop->items, cap * sizeof(*items));
        if (items)
            loop->items = items;
        uint64_t *ids = realloc(loop->item_ids, cap * sizeof(*ids));
        if (ids)
            loop->item_ids = ids;
        if (!items || !ids)
            return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory to poll %zu descriptors", cap);
        loop->item_cap = cap;
    }
    for (size_t i = 0; i < loop->source_count; i++) {
        const struct source *source = &loop->sources[i];
        loop->items[i] = (zmq_pollitem_t){.socket = source->socket, .events = ZMQ_POLLIN};
        loop->items[i].fd = source->fd;
        loop->item_ids[i] = source->id;
    }
    return true;
}

static int64_t next_due(const struct mgc_loop *loop)
{
    int64_t due = MGC_NEVER;
    for (size_t i = 0; i < loop->timer_count; i++)
        due = mgc_deadline_min(due, loop->timers[i].due_ns);
    return due;
}

static const struct source *find_source(const struct mgc_loop *loop, uint64_t id)
{
    for (size_t i = 0; i < loop->source_count; i++) {
        if (loop->sources[i].id == id)
            return &loop->sources[i];
    }
    return NULL;
}

static void call_ready(struct mgc_loop *loop, size_t count)
{
    for (size_t i = 0; i < count && !loop->quit; i++) {
        if (!loop->items[i].revents)
            continue;
        const struct source *source = find_source(loop, loop->item_ids[i]);
        if (source) /* an earlier handler may have removed it */
            source->fn(source->user);
    }
}

/* Only timers that were there before: one that re-arms itself at once must not starve sockets. */
static void call_due(struct mgc_loop *loop)
{
    uint64_t newest = loop->last_id;
    int64_t now = mgc_mono_ns();
    for (;;) {
        size_t found = loop->timer_count;
        for (size_t i = 0; i < loop->timer_count; i++) {
            const struct timer *timer = &loop->timers[i];
            if (timer->due_ns <= now && timer->id <= newest &&
                (found == loop->timer_count || timer->due_ns < loop->timers[found].due_ns))
                found = i;
        }
        if (found == loop->timer_count || loop->quit)
            return;
        struct timer timer = loop->timers[found];
        loop->timers[found] = loop->timers[--loop->timer_count];
        timer.fn(timer.user);
    }
}

bool mgc_loop_run(struct mgc_loop *loop, struct mgc_error *err)
{
    bool ok = true;
    while (!loop->quit) {
        if (!build_items(loop, err)) {
            ok = false;
            break;
        }
        size_t count = loop->source_count;
        int wait_ms = mgc_deadline_poll_ms(next_due(loop));
        int ready = zmq_poll(loop->items, (int)count, wait_ms);
        if (ready < 0 && zmq_errno() != EINTR) {
            ok = mgc_error_set(
                err, MGC_E_IO, "poll %zu descriptors: %s", count, zmq_strerror(zmq_errno()));
            break;
        }
        if (ready > 0)
            call_ready(loop, count);
        call_due(loop);
    }
    loop->quit = false;
    return ok;
}

void mgc_loop_quit(struct mgc_loop *loop)
{
    loop->quit = true;
}
