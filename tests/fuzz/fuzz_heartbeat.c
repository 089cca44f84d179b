/* Any bytes as a heartbeat file, and as the value of one of its keys: read and judged, or refused.
 * The JSON library itself is not instrumented, so a fuzzer would hardly find the keys alone. */
#include <stddef.h>
#include <stdint.h>

#include "coordinator/night/heartbeat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void judge(const void *data, size_t len)
{
    struct mgc_heartbeat heartbeat;
    struct mgc_buf text = {0};
    if (mgc_heartbeat_parse(data, len, &heartbeat, NULL))
        mgc_heartbeat_judge(&heartbeat, "p", INT64_C(1796040000000000000), 1000, &text);
    mgc_buf_destroy(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const char *const rest[][2] = {{"schema", "\"mgcoord-heartbeat-1\""},
        {"state", "\"done\""}, {"run_id", "\"r\""}, {"plan", "\"p\""}, {"dir", "\"/r\""},
        {"cell_number", "1"}, {"cells", "2"}, {"start_wall_s", "1796030000"},
        {"updated_wall_s", "1796039999"}, {"exit_code", "0"}, {"cell", "null"},
        {"summary", "\"s\""}};
    enum { KEYS = sizeof(rest) / sizeof(rest[0]) };
    judge(data, len);
    if (len == 0)
        return 0;
    struct mgc_buf text = {0};
    for (size_t i = 0; i < KEYS; i++) {
        mgc_buf_printf(&text, "%s\"%s\": ", i ? ", " : "{", rest[i][0]);
        if (i == data[0] % KEYS)
            mgc_buf_append(&text, data + 1, len - 1);
        else
            mgc_buf_puts(&text, rest[i][1]);
    }
    mgc_buf_putc(&text, '}');
    judge(text.data, text.len);
    mgc_buf_destroy(&text);
    return 0;
}
