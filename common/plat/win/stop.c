/* Windows can poll sockets only, so a stop signal is a pair of connected ones on loopback. */
#include "common/plat/stop.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <winsock2.h>
#include <ws2tcpip.h>

#include "common/base/clock.h"
#include "common/plat/net.h"
#include "common/plat/win/error.h"
#include "common/plat/win/stop.h"
#include "common/plat/win/wait.h"
#include "common/plat/win/wide.h"

enum { PAIR_MS = 10000 };

/* Is `accepted` the other end of `ours`? Any program of this machine may have connected instead. */
static bool is_pair(SOCKET ours, SOCKET accepted)
{
    struct sockaddr_in here = {0}, there = {0};
    int here_len = sizeof(here), there_len = sizeof(there);
    return getsockname(ours, (struct sockaddr *)&here, &here_len) == 0 &&
           getpeername(accepted, (struct sockaddr *)&there, &there_len) == 0 &&
           here.sin_port == there.sin_port && here.sin_addr.s_addr == there.sin_addr.s_addr;
}

/* Closing resets the connection, so that signals that come and go leave no ports waiting. */
static void close_end(mgc_socket socket)
{
    struct linger at_once = {.l_onoff = 1};
    if (socket == MGC_SOCKET_NONE)
        return;
    setsockopt((SOCKET)socket, SOL_SOCKET, SO_LINGER, (const char *)&at_once, sizeof(at_once));
    mgc_net_close(socket);
}

static bool connect_pair(mgc_socket listener, mgc_socket ends[2], struct mgc_error *err)
{
    int64_t deadline_ns = mgc_deadline_in_ms(PAIR_MS);
    unsigned port;
    if (!mgc_net_local_port(listener, &port, err))
        return false;
    ends[1] = mgc_net_connect("127.0.0.1", port, deadline_ns, -1, err);
    if (ends[1] == MGC_SOCKET_NONE)
        return false;
    for (;;) {
        ends[0] = mgc_net_accept(listener, deadline_ns, -1, err);
        if (ends[0] == MGC_SOCKET_NONE)
            return false;
        if (is_pair((SOCKET)ends[1], (SOCKET)ends[0]))
            return mgc_net_nodelay(ends[1], err);
        close_end(ends[0]);
    }
}

bool mgc_stop_init(struct mgc_stop *stop, struct mgc_error *err)
{
    mgc_socket ends[2] = {MGC_SOCKET_NONE, MGC_SOCKET_NONE};
    mgc_socket listener = mgc_net_listen("127.0.0.1", 0, err);
    bool ok = listener != MGC_SOCKET_NONE && connect_pair(listener, ends, err);
    mgc_net_close(listener);
    if (!ok) {
        close_end(ends[0]);
        close_end(ends[1]);
        return mgc_error_prefix(err, "make a stop signal");
    }
    /* Handles, sockets too, have 32 significant bits ("Interprocess communication between 32-bit
     * and 64-bit applications" in Microsoft's documentation). */
    *stop = (struct mgc_stop){.read_fd = (int)ends[0], .write_fd = (int)ends[1]};
    return true;
}

void mgc_stop_raise(struct mgc_stop *stop)
{
    /* Full (WSAEWOULDBLOCK) is already raised. */
    send((SOCKET)stop->write_fd, "", 1, 0);
}

bool mgc_stop_raised(const struct mgc_stop *stop)
{
    WSAPOLLFD fd = {.fd = (SOCKET)stop->read_fd, .events = POLLRDNORM};
    return WSAPoll(&fd, 1, 0) == 1;
}

void mgc_stop_lower(struct mgc_stop *stop)
{
    char rings[64];
    while (recv((SOCKET)stop->read_fd, rings, sizeof(rings), 0) > 0)
        ;
}

void mgc_stop_destroy(struct mgc_stop *stop)
{
    if (!stop || stop->read_fd < 0)
        return;
    close_end(stop->read_fd);
    close_end(stop->write_fd);
    *stop = (struct mgc_stop)MGC_STOP_INIT;
}

/* ---- the process's own ---- */

static struct mgc_stop signal_stop = MGC_STOP_INIT;
static volatile LONG interrupts;

/* Runs on a thread that Windows makes for the event. */
static BOOL WINAPI on_control(DWORD type)
{
    if (type == CTRL_C_EVENT && InterlockedIncrement(&interrupts) > 1)
        return FALSE; /* the person means it: the default handler ends the process */
    mgc_stop_raise(&signal_stop);
    /* A closed console, the end of the session and of the system: the process is ended when this
     * returns, or after some seconds; stay, so that the program may end by itself. */
    if (type == CTRL_CLOSE_EVENT || type == CTRL_LOGOFF_EVENT || type == CTRL_SHUTDOWN_EVENT)
        Sleep(INFINITE);
    return TRUE;
}

static void CALLBACK on_event(void *user, BOOLEAN timed_out)
{
    (void)user;
    (void)timed_out;
    mgc_stop_raise(&signal_stop);
}

/* The event and the wait live as long as the process. */
static bool watch_event(struct mgc_error *err)
{
    HANDLE wait;
    const char *name = getenv(MGC_WIN_STOP_VARIABLE);
    if (!name || !*name)
        return true;
    uint16_t *wide = mgc_win_text(name, MGC_WIN_STOP_VARIABLE, err);
    if (!wide)
        return false;
    HANDLE event = OpenEventW(SYNCHRONIZE, FALSE, wide);
    free(wide);
    if (!event) /* whoever made it is gone */
        return true;
    return RegisterWaitForSingleObject(
               &wait, event, on_event, NULL, INFINITE, WT_EXECUTEONLYONCE) ||
           mgc_win_error(err, GetLastError(), "watch the event '%.80s'", name);
}

struct mgc_stop *mgc_stop_on_signals(struct mgc_error *err)
{
    if (signal_stop.read_fd >= 0)
        return &signal_stop;
    if (!mgc_stop_init(&signal_stop, err))
        return NULL;
    if (!SetConsoleCtrlHandler(on_control, TRUE)) {
        mgc_win_error(err, GetLastError(), "watch for Ctrl-C");
        return NULL;
    }
    return watch_event(err) ? &signal_stop : NULL;
}
