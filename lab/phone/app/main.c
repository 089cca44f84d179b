/* mgphone-app: a process of an installed app, as Android's zygote would start it. PID 1 hands the
 * request over on standard input and names the process through argv[0]. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lab/phone/app/channel.h"
#include "lab/phone/app/components.h"

enum { COMM_MAX = 15, CHANNEL_FD_MIN = 3 };

static const struct {
    const char *class_name;
    mgl_app_component *run;
} components[] = {
    {"top.mobilegl.plugin.MobileGLServerService", mgl_server_service},
    {"top.mobilegl.plugin.trace.TraceReplayActivity", mgl_replay_activity},
};

/* Android names a process by the end of its package name, as much as fits. */
static void set_comm(const char *name)
{
    size_t len = strlen(name);
    prctl(PR_SET_NAME, len > COMM_MAX ? name + len - COMM_MAX : name);
}

/* Away from standard input, which becomes /dev/null. */
static int keep_channel(void)
{
    int channel = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, CHANNEL_FD_MIN);
    int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (channel < 0 || null_fd < 0 || dup2(null_fd, STDIN_FILENO) < 0)
        return -1;
    close(null_fd);
    return channel;
}

int main(int argc, char **argv)
{
    static char data[MGL_CHANNEL_PACKET_MAX];
    struct mgl_app_request request;
    ssize_t len = recv(STDIN_FILENO, data, sizeof(data), 0);
    if (len <= 0 || !mgl_app_request_parse(data, (size_t)len, &request)) {
        fputs("mgphone-app is started by mgphone only\n", stderr);
        return 2;
    }
    int channel = keep_channel();
    if (channel < 0)
        return 1;
    set_comm(argv[0]);
    for (size_t i = 0; i < sizeof(components) / sizeof(components[0]); i++)
        if (strcmp(components[i].class_name, request.class_name) == 0)
            return components[i].run(&request, channel);
    return 2;
}
