/* Bytes of a stream that the host closes right behind its last WRTE, as adb does. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/clock.h"
#include "lab/phone/pump.h"
#include "lab/phone/timer.h"
#include "lab/phone/transport.h"

enum { PAYLOAD = 200 * 1024, SMALL_BUFFER = 4096, DEADLINE_MS = 60000, HOST_ID = 7 };

/* A phone with one service behind the streams, whose other end is ours, and the host of it. */
struct world {
    struct mgl_loop loop;
    struct mgl_transport transport;
    struct mgl_timer deadline;
    struct mgl_watch host, service;
    int service_fd; /* the pump's */
    pid_t group;
    bool sent,
        closed; /* the host has sent all; has seen the stream closed: now the service reads */
    size_t arrived;
    struct mgc_buf in; /* at the host */
};

static void host_send(struct world *world, uint32_t command, uint32_t arg0, uint32_t arg1,
    const void *payload, size_t len)
{
    struct mgc_buf out = {0};
    const struct mgl_packet packet = {command, arg0, arg1, payload, len};
    mgl_packet_encode(&out, &packet, true);
    for (size_t done = 0; done < out.len;) {
        ssize_t put = send(world->host.fd, out.data + done, out.len - done, MSG_NOSIGNAL);
        assert_true(put > 0);
        done += (size_t)put;
    }
    mgc_buf_destroy(&out);
}

/* The stream is open: all at once, without a look at what comes back. */
static void write_and_close(struct world *world, uint32_t phone_id)
{
    static uint8_t data[PAYLOAD];
    world->sent = true;
    memset(data, 'x', sizeof(data));
    host_send(world, MGL_ADB_WRTE, HOST_ID, phone_id, data, sizeof(data));
    host_send(world, MGL_ADB_CLSE, HOST_ID, phone_id, NULL, 0);
}

static void on_packet(struct world *world, const struct mgl_packet *packet)
{
    if (packet->command == MGL_ADB_CNXN)
        host_send(world, MGL_ADB_OPEN, HOST_ID, 0, "service:", sizeof("service:"));
    else if (packet->command == MGL_ADB_OKAY && !world->sent)
        write_and_close(world, packet->arg0);
    if (packet->command != MGL_ADB_CLSE)
        return;
    world->closed = true;
    mgl_watch_set(&world->service, EPOLLIN);
}

static void host_ready(struct mgl_watch *watch, uint32_t events)
{
    struct world *world = watch->arg;
    char chunk[4096];
    ssize_t got = recv(watch->fd, chunk, sizeof(chunk), 0);
    assert_true(got > 0);
    mgc_buf_append(&world->in, chunk, (size_t)got);
    struct mgl_packet packet;
    long taken;
    while ((taken = mgl_packet_decode(
                (const uint8_t *)world->in.data, world->in.len, false, &packet, NULL)) > 0) {
        on_packet(world, &packet);
        mgc_buf_consume(&world->in, (size_t)taken);
    }
    assert_true(taken == 0);
}

static void service_ready(struct mgl_watch *watch, uint32_t events)
{
    struct world *world = watch->arg;
    char chunk[65536];
    ssize_t got = read(watch->fd, chunk, sizeof(chunk));
    if (got > 0)
        world->arrived += (size_t)got;
    else
        world->loop.stop = true;
}

static void too_late(struct mgl_timer *timer)
{
    fail_msg("nothing more happened");
}

static void open_service(struct mgl_stream *stream, const char *name, void *arg)
{
    struct world *world = arg;
    mgl_pump_start(&world->loop, stream, world->service_fd, world->group);
}

static int connect_to_phone(struct world *world)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
    assert_true(mgl_transport_start(&world->transport, &world->loop, listener, NULL));
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, len), 0);
    return fd;
}

static void world_open(struct world *world, int service_fd, int our_fd)
{
    assert_true(mgl_loop_init(&world->loop, NULL));
    world->transport.banner = "device::";
    world->transport.open = open_service;
    world->transport.open_arg = world;
    fcntl(service_fd, F_SETFL, O_NONBLOCK);
    world->service_fd = service_fd;
    world->service.ready = service_ready;
    world->service.arg = world;
    mgl_watch_add(&world->loop, &world->service, our_fd, 0);
    world->host.ready = host_ready;
    world->host.arg = world;
    mgl_watch_add(&world->loop, &world->host, connect_to_phone(world), EPOLLIN);
    world->deadline.fired = too_late;
    mgl_timer_start(&world->loop, &world->deadline, DEADLINE_MS * MGC_NS_PER_MS);
    host_send(world, MGL_ADB_CNXN, MGL_ADB_VERSION_SKIP_CHECKSUM, MGL_PACKET_PAYLOAD_MAX,
        "host::", sizeof("host::"));
}

static void world_close(struct world *world)
{
    int fds[2] = {world->host.fd, world->service.fd};
    mgl_timer_stop(&world->deadline);
    mgl_transport_stop(&world->transport);
    mgl_pumps_end();
    mgl_watch_remove(&world->host);
    mgl_watch_remove(&world->service);
    close(fds[0]);
    close(fds[1]);
    mgc_buf_destroy(&world->in);
    mgl_loop_destroy(&world->loop);
}

static void make_pair(int pair[2])
{
    int size = SMALL_BUFFER;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    for (int i = 0; i < 2; i++)
        setsockopt(pair[i], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
}

static void a_slow_target_gets_all_that_was_sent_before_the_close(void **state)
{
    struct world world = {0};
    int pair[2];
    make_pair(pair);
    world_open(&world, pair[0], pair[1]);
    mgl_loop_run(&world.loop);
    assert_true(world.closed);
    assert_int_equal(world.arrived, PAYLOAD);
    world_close(&world);
}

/* As `adb exec-in "cat > FILE"`: the process has the rest still before it when the host has gone.
 */
static int count_input(int in_fd, int go_fd, int result_fd)
{
    char chunk[4096];
    size_t count = 0;
    ssize_t got = read(go_fd, chunk, 1);
    while ((got = read(in_fd, chunk, sizeof(chunk))) > 0)
        count += (size_t)got;
    return write(result_fd, &count, sizeof(count)) == sizeof(count) ? 0 : 1;
}

static void result_ready(struct mgl_watch *watch, uint32_t events)
{
    struct world *world = watch->arg;
    if (read(watch->fd, &world->arrived, sizeof(world->arrived)) != sizeof(world->arrived))
        world->arrived = 0; /* it was killed */
    world->loop.stop = true;
}

static void a_process_reads_its_input_to_the_end(void **state)
{
    struct world world = {0};
    int pair[2], go[2], result[2];
    make_pair(pair);
    assert_int_equal(pipe2(go, O_CLOEXEC), 0);
    assert_int_equal(pipe2(result, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        close(pair[0]);
        close(go[1]);
        _exit(count_input(pair[1], go[0], result[1]));
    }
    setpgid(pid, pid);
    close(pair[1]);
    close(result[1]);
    world.group = pid;
    world_open(&world, pair[0], result[0]);
    world.service.ready = result_ready;
    while (!world.closed) { /* turn by turn, to tell it when */
        struct epoll_event event;
        assert_int_equal(epoll_wait(world.loop.epoll_fd, &event, 1, DEADLINE_MS), 1);
        struct mgl_watch *watch = event.data.ptr;
        watch->ready(watch, event.events);
    }
    assert_int_equal(write(go[1], "g", 1), 1);
    mgl_loop_run(&world.loop);
    assert_int_equal(world.arrived, PAYLOAD);
    waitpid(pid, NULL, 0);
    close(go[0]);
    close(go[1]);
    world_close(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_target_gets_all_that_was_sent_before_the_close),
        cmocka_unit_test(a_process_reads_its_input_to_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
