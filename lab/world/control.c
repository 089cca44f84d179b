#include "lab/world/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/clock.h"

/* The longest work behind a request is nft, whose own deadline is 20 s. */
enum { CLIENT_DEADLINE_MS = 2000, ANSWER_DEADLINE_S = 30 };

bool mgc_lab_control_split(char *line, char **ret_words, size_t max, size_t *ret_count)
{
    size_t count = 0;
    for (char *word = strtok(line, " "); word != NULL; word = strtok(NULL, " ")) {
        if (count == max)
            return false;
        ret_words[count++] = word;
    }
    ret_words[count] = NULL;
    *ret_count = count;
    return true;
}

static bool set_address(struct sockaddr_un *address, const char *path, struct mgc_error *err)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address->sun_path)
        return mgc_error_set(err, MGC_E_USAGE, "\"%s\" is too long for a socket", path);
    strcpy(address->sun_path, path);
    return true;
}

bool mgc_lab_control_short(
    const char *dir, char ret_path[MGC_LAB_CONTROL_SHORT], struct mgc_error *err)
{
    int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return mgc_error_errno(err, errno, "%s", dir);
    snprintf(ret_path, MGC_LAB_CONTROL_SHORT, "/proc/self/fd/%d/control", fd);
    return true;
}

bool mgc_lab_control_open(struct mgc_lab_control *control, const char *path,
    mgc_lab_control_fn *handle, void *arg, struct mgc_error *err)
{
    struct sockaddr_un address;
    *control = (struct mgc_lab_control){.handle = handle, .arg = arg};
    for (int i = 0; i < MGC_LAB_CONTROL_CLIENTS; i++)
        control->clients[i].fd = -1;
    control->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (!set_address(&address, path, err))
        return false;
    if (control->listen_fd < 0 ||
        bind(control->listen_fd, (struct sockaddr *)&address, sizeof address) < 0 ||
        chmod(path, 0600) < 0 || listen(control->listen_fd, 16) < 0)
        return mgc_error_errno(err, errno, "%s", path);
    return true;
}

void mgc_lab_control_polls(const struct mgc_lab_control *control, struct pollfd *ret_fds)
{
    bool room = false;
    for (int i = 0; i < MGC_LAB_CONTROL_CLIENTS; i++) {
        ret_fds[1 + i] = (struct pollfd){.fd = control->clients[i].fd, .events = POLLIN};
        room = room || control->clients[i].fd < 0;
    }
    ret_fds[0] = (struct pollfd){.fd = room ? control->listen_fd : -1, .events = POLLIN};
}

static void drop(struct mgc_lab_control_client *client)
{
    close(client->fd);
    client->fd = -1;
}

static void answer(struct mgc_lab_control *control, struct mgc_lab_control_client *client)
{
    char *words[MGC_LAB_CONTROL_WORDS + 1];
    size_t count = 0;
    struct mgc_buf data = {0}, reply = {0};
    struct mgc_error err = {0};
    bool ok =
        mgc_lab_control_split(client->line, words, MGC_LAB_CONTROL_WORDS, &count) && count > 0;
    if (!ok)
        mgc_error_set(&err, MGC_E_USAGE, "the request is no line of 1 to 5 words");
    else
        ok = control->handle(words, count, &data, control->arg, &err);
    mgc_buf_printf(&reply, ok ? "ok\n%s" : "error %s\n", ok ? mgc_buf_text(&data) : err.text);
    /* Fits the socket's buffer; a client that does not read is no reason to wait. */
    if (send(client->fd, mgc_buf_text(&reply), reply.len, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        errno = 0;
    mgc_buf_destroy(&data);
    mgc_buf_destroy(&reply);
    drop(client);
}

static void read_some(struct mgc_lab_control *control, struct mgc_lab_control_client *client)
{
    size_t room = sizeof client->line - 1 - client->len;
    ssize_t n = recv(client->fd, client->line + client->len, room, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        drop(client);
        return;
    }
    client->len += (size_t)n;
    client->line[client->len] = '\0';
    char *end = strchr(client->line, '\n');
    if (end != NULL) {
        *end = '\0';
        answer(control, client);
    } else if (client->len == sizeof client->line - 1) {
        drop(client);
    }
}

static void accept_one(struct mgc_lab_control *control)
{
    int fd = accept4(control->listen_fd, NULL, NULL, SOCK_CLOEXEC);
    for (int i = 0; fd >= 0 && i < MGC_LAB_CONTROL_CLIENTS; i++) {
        struct mgc_lab_control_client *client = &control->clients[i];
        if (client->fd >= 0)
            continue;
        *client = (struct mgc_lab_control_client){
            .fd = fd, .deadline_ns = mgc_deadline_in_ms(CLIENT_DEADLINE_MS)};
        return;
    }
    if (fd >= 0)
        close(fd);
}

void mgc_lab_control_work(struct mgc_lab_control *control, const struct pollfd *fds)
{
    for (int i = 0; i < MGC_LAB_CONTROL_CLIENTS; i++) {
        struct mgc_lab_control_client *client = &control->clients[i];
        if (client->fd < 0)
            continue;
        if (fds[1 + i].revents != 0)
            read_some(control, client);
        else if (mgc_deadline_past(client->deadline_ns))
            drop(client);
    }
    if (fds[0].revents != 0)
        accept_one(control);
}

int64_t mgc_lab_control_next(const struct mgc_lab_control *control)
{
    int64_t next = MGC_NEVER;
    for (int i = 0; i < MGC_LAB_CONTROL_CLIENTS; i++) {
        if (control->clients[i].fd >= 0)
            next = mgc_deadline_min(next, control->clients[i].deadline_ns);
    }
    return next;
}

static bool exchange(int fd, const char *request, struct mgc_buf *reply, struct mgc_error *err)
{
    char chunk[4096];
    ssize_t n;
    struct timeval limit = {.tv_sec = ANSWER_DEADLINE_S};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (send(fd, request, strlen(request), MSG_NOSIGNAL) != (ssize_t)strlen(request))
        return mgc_error_errno(err, errno, "asking the lab");
    while ((n = recv(fd, chunk, sizeof chunk, 0)) > 0)
        mgc_buf_append(reply, chunk, (size_t)n);
    if (n < 0)
        return mgc_error_errno(err, errno == EAGAIN ? ETIMEDOUT : errno, "the lab's answer");
    return mgc_buf_ok(reply) || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the answer");
}

static bool take_answer(const struct mgc_buf *reply, struct mgc_buf *out, struct mgc_error *err)
{
    const char *text = mgc_buf_text(reply);
    if (strncmp(text, "ok\n", 3) == 0)
        return mgc_buf_puts(out, text + 3);
    if (strncmp(text, "error ", 6) == 0)
        return mgc_error_set(err, MGC_E_FAILED, "%.*s", (int)strcspn(text + 6, "\n"), text + 6);
    return mgc_error_set(err, MGC_E_LOST, "the lab gave no answer; it may have ended just now");
}

bool mgc_lab_control_ask(
    const char *path, const char *request, struct mgc_buf *out, struct mgc_error *err)
{
    struct sockaddr_un address;
    struct mgc_buf reply = {.max = 65536};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool ok = false;
    if (fd < 0)
        return mgc_error_errno(err, errno, "opening a socket");
    if (set_address(&address, path, err)) {
        if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
            mgc_error_errno(err, errno, "the lab's control socket %s", path);
        else
            ok = exchange(fd, request, &reply, err) && take_answer(&reply, out, err);
    }
    mgc_buf_destroy(&reply);
    close(fd);
    return ok;
}
