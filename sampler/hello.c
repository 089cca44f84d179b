#include "sampler/hello.h"

#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "sampler/proc.h"

#if defined(__x86_64__)
#define ABI "x86_64"
#elif defined(__aarch64__)
#define ABI "aarch64"
#elif defined(__arm__)
#define ABI "arm"
#else
#define ABI "unknown"
#endif

static void welcome(struct mgd_session *session, uint32_t id)
{
    char boot_id[64];
    int self = mgd_pidfd(getpid());
    if (mgd_read_text("/proc/sys/kernel/random/boot_id", boot_id, sizeof(boot_id)) < 0)
        boot_id[0] = '\0';
    boot_id[strcspn(boot_id, "\r\n")] = '\0';
    struct mgc_device_msg msg = {.type = MGC_DEVICE_WELCOME,
        .id = id,
        .welcome = {.protocol = MGC_DEVICE_PROTOCOL,
            .build = MGC_VERSION,
            .abi = ABI,
            .boot_id = boot_id,
            .pid = (uint32_t)getpid(),
            .uid = (uint32_t)getuid(),
            .has_pidfd = self >= 0}};
    if (self >= 0)
        close(self);
    msg.welcome.mono_ns = mgc_mono_ns();
    msg.welcome.boottime_ns = mgc_boot_ns();
    mgd_send(session, &msg);
}

bool mgd_hello(struct mgd_session *session, const struct mgc_device_msg *msg)
{
    const struct mgc_device_hello *hello = &msg->hello;
    if (msg->type != MGC_DEVICE_HELLO) {
        mgd_failed(session, msg->id, MGC_E_PROTOCOL, 0, "%s came before hello",
            mgc_device_type_name(msg->type));
        return false;
    }
    if (hello->protocol_min > MGC_DEVICE_PROTOCOL || hello->protocol_max < MGC_DEVICE_PROTOCOL) {
        mgd_failed(session, msg->id, MGC_E_VERSION, 0,
            "mgdevice %s speaks version %d of the device protocol, the host %u to %u", MGC_VERSION,
            MGC_DEVICE_PROTOCOL, hello->protocol_min, hello->protocol_max);
        return false;
    }
    welcome(session, msg->id);
    return true;
}
