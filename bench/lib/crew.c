#include "bench/lib/crew.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HEAR_MS = 10 * 1000 };

bool mgc_crew_read(int command, int64_t *ret_number)
{
    ssize_t got;
    do
        got = read(command, ret_number, sizeof(*ret_number));
    while (got < 0 && errno == EINTR);
    return got ==
           sizeof(*ret_number); /* the writers write 8 bytes at once, which pipes keep whole */
}

static bool put(int fd, int64_t number)
{
    ssize_t sent;
    do
        sent = write(fd, &number, sizeof(number));
    while (sent < 0 && errno == EINTR);
    return sent == sizeof(number);
}

void mgc_crew_answer(int answer, int64_t number)
{
    if (!put(answer, number))
        _exit(1);
}

/* The child keeps two ends only: with a copy of another member's write end, that one would never
 * see its pipe closed. */
static void be_member(const struct mgc_crew *crew, size_t member, int command, int answer,
    mgc_crew_work *work, void *user)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (size_t i = 0; i <= member; i++)
        close(crew->command[i]);
    close(crew->answer);
    work(user, member, command, answer);
    _exit(0);
}

static bool start_one(struct mgc_crew *crew, size_t member, int answer, mgc_crew_work *work,
    void *user, struct mgc_error *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return mgc_error_errno(err, errno, "make a pipe");
    crew->command[member] = ends[1];
    crew->count = member + 1;
    crew->pids[member] = fork();
    if (crew->pids[member] == 0)
        be_member(crew, member, ends[0], answer, work, user);
    int errnum = errno;
    close(ends[0]);
    return crew->pids[member] > 0 || mgc_error_errno(err, errnum, "fork");
}

bool mgc_crew_start(
    struct mgc_crew *crew, size_t count, mgc_crew_work *work, void *user, struct mgc_error *err)
{
    int ends[2];
    *crew = (struct mgc_crew){.answer = -1};
    crew->pids = calloc(count, sizeof(*crew->pids));
    crew->command = calloc(count, sizeof(*crew->command));
    if (!crew->pids || !crew->command || pipe2(ends, O_CLOEXEC) != 0) {
        mgc_crew_end(crew);
        return mgc_error_set(err, MGC_E_NO_MEMORY, "make %zu control processes", count);
    }
    crew->answer = ends[0];
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++)
        ok = start_one(crew, i, ends[1], work, user, err);
    close(ends[1]);
    if (!ok)
        mgc_crew_end(crew);
    return ok;
}

void mgc_crew_end(struct mgc_crew *crew)
{
    if (!crew || !crew->pids)
        return;
    for (size_t i = 0; i < crew->count; i++)
        close(crew->command[i]);
    if (crew->answer >= 0)
        close(crew->answer);
    for (size_t i = 0; i < crew->count; i++) {
        if (crew->pids[i] > 0)
            waitpid(crew->pids[i], NULL, 0);
    }
    free(crew->pids);
    free(crew->command);
    *crew = (struct mgc_crew){.answer = -1};
}

bool mgc_crew_tell(struct mgc_crew *crew, size_t member, int64_t number, struct mgc_error *err)
{
    return put(crew->command[member], number) ||
           mgc_error_errno(err, errno, "control process %zu", member);
}

bool mgc_crew_hear(struct mgc_crew *crew, int64_t *ret_number, struct mgc_error *err)
{
    struct pollfd item = {.fd = crew->answer, .events = POLLIN};
    int ready;
    do
        ready = poll(&item, 1, HEAR_MS);
    while (ready < 0 && errno == EINTR);
    if (ready <= 0)
        return mgc_error_set(err, MGC_E_TIMEOUT, "a control process did not answer");
    return mgc_crew_read(crew->answer, ret_number) ||
           mgc_error_set(err, MGC_E_LOST, "the control processes have ended");
}
