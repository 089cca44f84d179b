#include "lab/phone/latency.h"

#include <stddef.h>
#include <string.h>

static const struct mgl_latency profiles[] = {
    {"none", 0, 0, 0}, {"usb", 20, 300, 30 * 1000 * 1000},
    {"wifi", 45, 300, 6 * 1000 * 1000}, /* adb over Wi-Fi with power save */
};

const struct mgl_latency *mgl_latency_find(const char *name)
{
    for (size_t i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++) {
        if (strcmp(profiles[i].name, name) == 0)
            return &profiles[i];
    }
    return NULL;
}
