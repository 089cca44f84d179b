/* mgphone-app: a process of an installed app, as Android's zygote would start it. PID 1 hands the
 * request over on standard input and names the process through argv[0]. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lab/phone/app/components.h"

static const struct {
    const char *class_name;
    mgl_app_component *run;
} components[] = {
    {"top.mobilegl.plugin.MobileGLServerService", mgl_server_service},
};

static size_t read_request(char *data, size_t size)
{
    size_t len = 0;
    ssize_t got;
    while (len < size && (got = read(STDIN_FILENO, data + len, size - len)) > 0)
        len += (size_t)got;
    return len;
}

int main(void)
{
    static char data[MGL_CONTROL_REQUEST_MAX + 4];
    struct mgl_app_request request;
    size_t len = read_request(data, sizeof(data));
    if (!mgl_app_request_parse(data, len, &request)) {
        fputs("mgphone-app is started by mgphone only\n", stderr);
        return 2;
    }
    int null_fd = open("/dev/null", O_RDWR);
    if (null_fd < 0 || dup2(null_fd, STDIN_FILENO) < 0)
        return 1;
    close(null_fd);
    for (size_t i = 0; i < sizeof(components) / sizeof(components[0]); i++)
        if (strcmp(components[i].class_name, request.class_name) == 0)
            return components[i].run(&request);
    return 2;
}
