/* What root writes into the lab phone's /sys: the first byte picks the file. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "lab/phone/sys/nodes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static struct mgl_node nodes[MGL_NODES_MAX];
    struct mgl_sys_model model;
    char text[MGL_NODE_TEXT_MAX];
    if (len == 0 || len > sizeof(text))
        return 0;
    size_t count = mgl_nodes_list(nodes);
    memcpy(text, data + 1, len - 1);
    text[len - 1] = '\0';
    mgl_sys_model_init(&model);
    mgl_node_write(&model, &nodes[data[0] % count], text);
    model.busy = true;
    mgl_sys_model_step(&model, 1);
    for (size_t i = 0; i < count; i++) {
        mgl_node_text(&model, &nodes[i], text);
        assert(strlen(text) < sizeof(text) - 1);
    }
    return 0;
}
