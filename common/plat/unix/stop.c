#include "common/plat/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"

bool mgc_stop_init(struct mgc_stop *stop, struct mgc_error *err)
{
    int fds[2];
    if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) != 0)
        return mgc_error_errno(err, errno, "make a stop signal");
    *stop = (struct mgc_stop){.read_fd = fds[0], .write_fd = fds[1]};
    return true;
}

void mgc_stop_raise(struct mgc_stop *stop)
{
    int saved = errno; /* may run inside a signal handler */
    /* A full pipe (EAGAIN) is already raised. */
    ssize_t ignored = write(stop->write_fd, "", 1);
    (void)ignored;
    errno = saved;
}

bool mgc_stop_raised(const struct mgc_stop *stop)
{
    struct pollfd fd = {.fd = stop->read_fd, .events = POLLIN};
    return poll(&fd, 1, 0) == 1;
}

void mgc_stop_lower(struct mgc_stop *stop)
{
    char rings[64];
    while (read(stop->read_fd, rings, sizeof(rings)) > 0)
        ;
}

void mgc_stop_destroy(struct mgc_stop *stop)
{
    if (!stop || stop->read_fd < 0)
        return;
    close(stop->read_fd);
    close(stop->write_fd);
    *stop = (struct mgc_stop)MGC_STOP_INIT;
}

enum { ECHO_MS = 300 };

static struct mgc_stop signal_stop = MGC_STOP_INIT;
static volatile int64_t first_interrupt_ns; /* mono; 0: none yet. Only the handler uses it */

/* Another one than the first. `timeout -s INT`, and parents that pass on what the whole process
 * group has got, send one interrupt twice in a row: that is no second press. */
static bool is_again(void)
{
    int64_t now_ns = mgc_mono_ns(); /* clock_gettime is async-signal-safe */
    if (first_interrupt_ns == 0)
        first_interrupt_ns = now_ns;
    return now_ns - first_interrupt_ns >= ECHO_MS * MGC_NS_PER_MS;
}

static void on_signal(int number)
{
    if (number == SIGINT && is_again()) {
        /* The person means it. Both calls are async-signal-safe; the raised signal is blocked
         * until this handler returns, then ends the process. */
        signal(SIGINT, SIG_DFL);
        raise(SIGINT);
        return;
    }
    mgc_stop_raise(&signal_stop);
}

/* Started by nohup: the terminal may go, the program is to stay. */
static bool is_nohup(int number)
{
    struct sigaction was;
    return number == SIGHUP && sigaction(number, NULL, &was) == 0 && was.sa_handler == SIG_IGN;
}

struct mgc_stop *mgc_stop_on_signals(struct mgc_error *err)
{
    if (signal_stop.read_fd < 0 && !mgc_stop_init(&signal_stop, err))
        return NULL;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
    sigset_t taken;
    sigemptyset(&taken);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        sigaddset(&taken, numbers[i]);
        if (!is_nohup(numbers[i]))
            sigaction(numbers[i], &action, NULL);
    }
    /* Who started us may have held them back until somebody would act on them. */
    pthread_sigmask(SIG_UNBLOCK, &taken, NULL);
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, NULL);
    return &signal_stop;
}
