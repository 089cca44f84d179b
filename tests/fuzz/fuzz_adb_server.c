/* What an adb server or a device's shell may send: status and length, device lists, shell packets
 * in pieces of any size, log lines. The first byte picks how the rest is cut. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "worker-host/adb/appfile.h"
#include "worker-host/adb/devices.h"
#include "worker-host/adb/logline.h"
#include "worker-host/adb/program.h"
#include "worker-host/adb/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void shell(const char *data, size_t len, size_t step)
{
    struct mgc_adb_shell_parser parser = {0};
    struct mgc_adb_shell_piece piece;
    size_t used;
    for (size_t at = 0; at < len; at += used) {
        size_t chunk = step < len - at ? step : len - at;
        if (!mgc_adb_wire_shell_next(&parser, data + at, chunk, &used, &piece, NULL))
            return;
        if (used == 0 || used > chunk || piece.len > used)
            abort();
    }
}

static void texts(const char *text)
{
    static struct mgc_adb_devices devices;
    struct mgc_adb_program_version version;
    struct mgc_adb_measure measure;
    mgc_adb_devices_parse(text, &devices, NULL);
    mgc_adb_program_version_parse(text, &version, NULL);
    mgc_adb_measure_parse(text, &measure);
    mgc_adb_wire_fail_code(text);
}

static void log_lines(const char *data, size_t len)
{
    struct mgc_adb_logscan scan = {0};
    while (len) {
        const char *end = memchr(data, '\n', len);
        size_t line = end ? (size_t)(end - data) : len;
        mgc_adb_logscan_line(&scan, data, line);
        line += end != NULL;
        data += line;
        len -= line;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 5)
        return 0;
    bool okay;
    size_t number;
    mgc_adb_wire_status((const char *)data, &okay, NULL);
    mgc_adb_wire_hex4((const char *)data, &number);
    shell((const char *)data + 1, size - 1, data[0] ? data[0] : size);
    log_lines((const char *)data + 1, size - 1);
    char *text = malloc(size);
    if (!text)
        return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    texts(text);
    free(text);
    return 0;
}
