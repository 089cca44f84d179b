#include "lab/phone/app/channel.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "common/base/parse.h"

void mgl_channel_report(int channel, const char *what, int64_t number)
{
    char packet[MGL_CHANNEL_REPORT_MAX];
    int len = snprintf(packet, sizeof(packet), "%s %lld", what, (long long)number);
    if (len > 0 && (size_t)len < sizeof(packet))
        send(channel, packet, (size_t)len, MSG_NOSIGNAL);
}

bool mgl_channel_report_parse(const char *packet, size_t len, char *ret_what, int64_t *ret_number)
{
    char text[MGL_CHANNEL_REPORT_MAX];
    if (len >= sizeof(text))
        return false;
    memcpy(text, packet, len);
    text[len] = '\0';
    char *space = strchr(text, ' ');
    if (!space || space == text || strlen(text) != len)
        return false;
    *space = '\0';
    if (!mgc_parse_int(space + 1, 0, INT64_MAX, ret_number))
        return false;
    strcpy(ret_what, text);
    return true;
}
