#include "tests/unit/worker-host/fake_adb.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/plat/net.h"
#include "tests/lib/env.h"

enum { STEP_MS = 20000 };

struct fake_adb {
    pthread_t thread;
    mgc_socket listener;
    const struct fake_step *steps;
    size_t count;
    char problem[512]; /* empty: all went by the script */
};

static bool play_step(struct fake_adb *fake, mgc_socket socket, const struct fake_step *step)
{
    char got[4096];
    struct mgc_error err;
    int64_t deadline_ns = mgc_deadline_in_ms(STEP_MS);
    assert_true(step->expect_len <= sizeof(got));
    if (!mgc_net_recv_all(socket, got, step->expect_len, deadline_ns, -1, &err) ||
        !mgc_net_send_all(socket, step->reply, step->reply_len, deadline_ns, -1, &err)) {
        snprintf(fake->problem, sizeof(fake->problem), "%s", err.text);
        return false;
    }
    if (memcmp(got, step->expect, step->expect_len) == 0)
        return true;
    snprintf(fake->problem, sizeof(fake->problem), "expected \"%.*s\", got \"%.*s\"",
        (int)step->expect_len, step->expect, (int)step->expect_len, got);
    return false;
}

static void *serve(void *arg)
{
    struct fake_adb *fake = arg;
    for (size_t i = 0; i < fake->count && !fake->problem[0]; i++) {
        struct mgc_error err;
        mgc_socket socket = mgc_net_accept(fake->listener, mgc_deadline_in_ms(STEP_MS), -1, &err);
        if (socket == MGC_SOCKET_NONE)
            snprintf(fake->problem, sizeof(fake->problem), "step %zu: %.400s", i, err.text);
        while (socket != MGC_SOCKET_NONE && i < fake->count && fake->steps[i].expect &&
               play_step(fake, socket, &fake->steps[i]))
            i++;
        /* Close only once the client has: closing over unread bytes would reset its side. */
        char rest[256];
        size_t len = 1;
        mgc_net_shutdown_send(socket);
        while (socket != MGC_SOCKET_NONE && len &&
               mgc_net_recv_some(
                   socket, rest, sizeof(rest), &len, mgc_deadline_in_ms(STEP_MS), -1, NULL))
            continue;
        mgc_net_close(socket);
    }
    return NULL;
}

struct fake_adb *fake_adb_start(const struct fake_step *steps, size_t count)
{
    struct fake_adb *fake = calloc(1, sizeof(*fake));
    unsigned port;
    char text[16];
    assert_non_null(fake);
    fake->steps = steps;
    fake->count = count;
    fake->listener = mgc_net_listen("127.0.0.1", 0, NULL);
    assert_true(fake->listener != MGC_SOCKET_NONE);
    assert_true(mgc_net_local_port(fake->listener, &port, NULL));
    snprintf(text, sizeof(text), "%u", port);
    env_set("ANDROID_ADB_SERVER_PORT", text);
    assert_int_equal(pthread_create(&fake->thread, NULL, serve, fake), 0);
    return fake;
}

void fake_adb_stop(struct fake_adb *fake)
{
    char problem[sizeof(fake->problem)];
    pthread_join(fake->thread, NULL);
    mgc_net_close(fake->listener);
    snprintf(problem, sizeof(problem), "%s", fake->problem);
    free(fake);
    if (problem[0])
        fail_msg("fake adb server: %s", problem);
}
