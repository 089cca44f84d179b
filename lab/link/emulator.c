#include "lab/link/emulator.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "lab/link/queue.h"
#include "lab/link/settings.h"
#include "lab/link/wire.h"

enum { SLOT_BITS = 16, SIDES = 2, EVENTS_MAX = 4, RECEIVE_ROUNDS = 4 };
enum source { FROM_WIRE, FROM_CONTROL, FROM_SIGNAL };

/* queues[i] holds what came in at wires[i]; it leaves at the other one. */
struct emulator {
    const struct mgc_lab_link_spec *spec;
    struct mgc_lab_link_settings settings;
    struct mgc_lab_link_wire wires[SIDES];
    struct mgc_lab_link_queue queues[SIDES];
    int64_t active_ns, round_ns;
    uint64_t seed, lost_in_cut;
    int epoll_fd, signal_fd;
    bool ended;
};

/* ---- settings ---- */

static void drop_all(struct emulator *emulator)
{
    for (int i = 0; i < SIDES; i++) {
        void *frame;
        while ((frame = mgc_lab_link_queue_drop(&emulator->queues[i])) != NULL) {
            free(frame);
            emulator->lost_in_cut++;
        }
    }
}

static bool read_settings(struct emulator *emulator, struct mgc_error *err)
{
    if (!mgc_lab_link_settings_read(
            emulator->spec->profile, emulator->spec->fault_dir, &emulator->settings, err))
        return false;
    const struct mgc_lab_link_profile *profile = &emulator->settings.profile;
    mgc_info("%" PRId64 " Mbit/s, %" PRId64 " us, %s", profile->rate_bps / 1000000,
        profile->delay_ns / MGC_NS_PER_US, emulator->settings.cut ? "cut" : "open");
    emulator->seed++;
    for (int i = 0; i < SIDES; i++)
        mgc_lab_link_queue_renew(&emulator->queues[i], emulator->seed, mgc_mono_ns());
    if (emulator->settings.cut)
        drop_all(emulator);
    return true;
}

static void on_control(struct emulator *emulator)
{
    uint32_t number;
    struct mgc_error err = {0};
    ssize_t n = recv(emulator->spec->control_fd, &number, sizeof number, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        emulator->ended = true;
    if (n != sizeof number)
        return;
    if (!read_settings(emulator, &err)) {
        mgc_warn("%s, the link stays as it was", err.text);
        number |= MGC_LAB_LINK_REFUSED;
    }
    if (send(emulator->spec->control_fd, &number, sizeof number, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        emulator->ended = true;
}

/* ---- frames ---- */

/* True: more may be there. */
static bool take_in(struct emulator *emulator, int side)
{
    struct mgc_lab_link_frame *frames[MGC_LAB_LINK_BATCH];
    int64_t now = mgc_mono_ns();
    size_t count = mgc_lab_link_wire_receive(&emulator->wires[side], frames);
    for (size_t i = 0; i < count; i++) {
        bool kept =
            !emulator->settings.cut && mgc_lab_link_queue_offer(&emulator->queues[side], frames[i],
                                           mgc_lab_link_frame_cost(frames[i]), now);
        if (!kept)
            free(frames[i]);
        emulator->lost_in_cut += emulator->settings.cut;
    }
    return count == MGC_LAB_LINK_BATCH;
}

static void let_out(struct emulator *emulator, int side)
{
    struct mgc_lab_link_frame *frames[MGC_LAB_LINK_BATCH];
    int64_t now = mgc_mono_ns();
    size_t count;
    do {
        count = 0;
        while (count < MGC_LAB_LINK_BATCH &&
               (frames[count] = mgc_lab_link_queue_take(&emulator->queues[side], now)) != NULL)
            count++;
        mgc_lab_link_wire_send(&emulator->wires[1 - side], frames, count);
    } while (count == MGC_LAB_LINK_BATCH);
}

static int64_t next_work(struct emulator *emulator)
{
    int64_t now = mgc_mono_ns();
    return mgc_deadline_min(mgc_lab_link_queue_next(&emulator->queues[0], now),
        mgc_lab_link_queue_next(&emulator->queues[1], now));
}

/* ---- loop ---- */

static struct timespec time_left(int64_t until_ns)
{
    int64_t left = until_ns - mgc_mono_ns();
    if (left < 0)
        left = 0;
    return (struct timespec){left / MGC_NS_PER_S, left % MGC_NS_PER_S};
}

/* Sparse packets are worked on at once; in a stream of them one round serves all that came within
 * the wake quantum, which halves the cost of 400 Mbit/s. */
static void pace(struct emulator *emulator)
{
    mgc_sleep_until(emulator->round_ns + emulator->settings.profile.wake_ns);
    emulator->round_ns = mgc_mono_ns();
}

static bool turn(struct emulator *emulator, struct mgc_error *err)
{
    struct epoll_event events[EVENTS_MAX];
    int64_t next = next_work(emulator);
    struct timespec left = time_left(next);
    int count = epoll_pwait2(
        emulator->epoll_fd, events, EVENTS_MAX, next == MGC_NEVER ? NULL : &left, NULL);
    if (count < 0 && errno != EINTR)
        return mgc_error_errno(err, errno, "waiting for frames");
    pace(emulator);
    for (int i = 0; i < count; i++) {
        if (events[i].data.u32 == FROM_CONTROL)
            on_control(emulator);
        else if (events[i].data.u32 == FROM_SIGNAL)
            emulator->ended = true;
    }
    for (int side = 0; side < SIDES; side++) {
        for (int i = 0; i < RECEIVE_ROUNDS && take_in(emulator, side); i++)
            ;
        let_out(emulator, side);
    }
    return true;
}

static bool watch(struct emulator *emulator, int fd, enum source source, struct mgc_error *err)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = source};
    return epoll_ctl(emulator->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0 ||
           mgc_error_errno(err, errno, "watching a descriptor");
}

static int open_signals(struct mgc_error *err)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0)
        mgc_error_errno(err, errno, "signalfd");
    return fd;
}

static bool open_all(struct emulator *emulator, struct mgc_error *err)
{
    const char *const names[SIDES] = {emulator->spec->lan_side, emulator->spec->phone_side};
    emulator->active_ns = mgc_mono_ns();
    emulator->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    emulator->signal_fd = open_signals(err);
    if (emulator->epoll_fd < 0 || emulator->signal_fd < 0)
        return mgc_error_errno(err, errno, "epoll");
    for (int i = 0; i < SIDES; i++) {
        const struct mgc_lab_link_queue_setup setup = {
            &emulator->settings.profile, &emulator->active_ns, 1, i == 0};
        if (!mgc_lab_link_queue_init(&emulator->queues[i], &setup, SLOT_BITS, err) ||
            !mgc_lab_link_wire_open(&emulator->wires[i], names[i], err) ||
            !watch(emulator, emulator->wires[i].fd, FROM_WIRE, err))
            return false;
    }
    return read_settings(emulator, err) &&
           watch(emulator, emulator->spec->control_fd, FROM_CONTROL, err) &&
           watch(emulator, emulator->signal_fd, FROM_SIGNAL, err);
}

static void close_all(struct emulator *emulator)
{
    drop_all(emulator);
    for (int i = 0; i < SIDES; i++) {
        mgc_lab_link_queue_destroy(&emulator->queues[i]);
        if (emulator->wires[i].fd >= 0)
            close(emulator->wires[i].fd);
    }
    if (emulator->epoll_fd >= 0)
        close(emulator->epoll_fd);
    if (emulator->signal_fd >= 0)
        close(emulator->signal_fd);
}

static void log_counts(const struct emulator *emulator)
{
    static const char *const names[SIDES] = {"to the phone", "from the phone"};
    for (int i = 0; i < SIDES; i++)
        mgc_info("%s: %" PRIu64 " passed, %" PRIu64 " found the queue full, %" PRIu64
                 " lost at random, %" PRIu64 " too long, %" PRIu64 " refused by the kernel",
            names[i], emulator->queues[i].taken, emulator->queues[i].refused_full,
            emulator->queues[i].refused_lost, emulator->wires[i].too_long,
            emulator->wires[1 - i].unsent);
    mgc_info("%" PRIu64 " lost while the link was cut", emulator->lost_in_cut);
}

bool mgc_lab_link_serve(const struct mgc_lab_link_spec *spec, struct mgc_error *err)
{
    struct emulator emulator = {
        .spec = spec, .wires = {{.fd = -1}, {.fd = -1}}, .epoll_fd = -1, .signal_fd = -1};
    /* The kernel's default may wake us 50 us late; a delay is measured against that. */
    prctl(PR_SET_TIMERSLACK, 1UL);
    bool ok = open_all(&emulator, err);
    while (ok && !emulator.ended)
        ok = turn(&emulator, err);
    log_counts(&emulator);
    close_all(&emulator);
    return ok;
}
