/* Texts the phone takes from adb and from commands: service names, log filters and times, control
 * requests, the env extra. The first byte chooses the parser. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lab/phone/app/request.h"
#include "lab/phone/app/server_env.h"
#include "lab/phone/ids.h"
#include "lab/phone/log_text.h"
#include "lab/phone/shell.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse_log_text(const char *text)
{
    struct mgl_log_filter filter;
    uint64_t bytes;
    int64_t ns;
    mgl_log_filter_init(&filter);
    mgl_log_filter_add_all(&filter, text);
    mgl_log_size_parse(text, &bytes);
    mgl_log_time_parse(text, 0, &ns);
}

static void build_env(const char *text)
{
    static const char *const base[] = {"PATH=/system/bin", NULL};
    struct mgl_server_env spec = {base, "/files", "token", text};
    struct mgc_fields env;
    mgl_server_env_build(&spec, &env);
    mgc_fields_destroy(&env);
}

static void print_record(const uint8_t *data, size_t len)
{
    struct mgl_log_record record;
    struct mgl_log_format format = {.layout = MGL_LOG_THREADTIME};
    struct mgc_buf out = {0};
    if (mgl_log_record_decode(data, len, &record))
        mgl_log_format_append(&out, &format, &record);
    mgc_buf_destroy(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mgl_shell_request shell;
    struct mgl_app_request request;
    if (size == 0)
        return 0;
    char *text = malloc(size);
    if (!text)
        return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    switch (data[0] % 6) {
    case 0:
        mgl_shell_parse(text, &shell);
        break;
    case 1:
        parse_log_text(text);
        break;
    case 2:
        mgl_app_request_parse(text, size - 1, &request);
        break;
    case 3:
        build_env(text);
        break;
    case 4:
        print_record((const uint8_t *)text, size - 1);
        break;
    default:
        mgl_ids_map_covers(text, 2000);
        break;
    }
    free(text);
    return 0;
}
